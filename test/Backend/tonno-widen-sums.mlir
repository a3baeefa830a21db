// RUN: tonno-opt %s --tonno-widen-sums --split-input-file | FileCheck %s
// RUN: tonno-opt %s --tonno-widen-sums=fuse-rounding --split-input-file | FileCheck %s --check-prefix=FUSED

// CHECK-LABEL: func.func @product(
// CHECK-SAME: %[[A:.+]]: tensor<96x128xbf16>, %[[B:.+]]: tensor<128x64xbf16>)
// CHECK-DAG:  %[[E:.+]] = tensor.empty() : tensor<96x64xbf16>
// CHECK-DAG:  %[[W:.+]] = tensor.empty() : tensor<96x64xf32>
// CHECK:      %[[F:.+]] = linalg.fill ins(%{{.+}} : f32) outs(%[[W]] : tensor<96x64xf32>)
// CHECK:      %[[S:.+]] = linalg.matmul {tonno.lowering_config = {subgroup = [8, 32, 0], workgroup = [128, 64, 0]}}
// CHECK-SAME:     ins(%[[A]], %[[B]] : tensor<96x128xbf16>, tensor<128x64xbf16>) outs(%[[F]] : tensor<96x64xf32>)
// CHECK:      %[[R:.+]] = linalg.generic
// CHECK-SAME:     ins(%[[S]] : tensor<96x64xf32>) outs(%[[E]] : tensor<96x64xbf16>)
// CHECK:      ^bb0(%[[SUM:.+]]: f32, %{{.+}}: bf16):
// CHECK-NEXT:   %[[ROUNDED:.+]] = arith.truncf %[[SUM]] : f32 to bf16
// CHECK-NEXT:   linalg.yield %[[ROUNDED]]
// CHECK:      return %[[R]]
// FUSED-LABEL: func.func @product(
// FUSED: linalg.matmul {tonno.lowering_config = {subgroup = [8, 32, 0], workgroup = [0, 0, 0]}}
// FUSED: linalg.generic {{.*}} attrs = {tonno.lowering_config = {fuse = [128, 64], workgroup = [1, 32]}}
func.func @product(%a: tensor<96x128xbf16>, %b: tensor<128x64xbf16>) -> tensor<96x64xbf16> {
  %zero = arith.constant 0.0 : bf16
  %e = tensor.empty() : tensor<96x64xbf16>
  %f = linalg.fill ins(%zero : bf16) outs(%e : tensor<96x64xbf16>) -> tensor<96x64xbf16>
  %r = linalg.matmul {tonno.lowering_config = {subgroup = [8, 32, 0], workgroup = [128, 64, 0]}}
      ins(%a, %b : tensor<96x128xbf16>, tensor<128x64xbf16>) outs(%f : tensor<96x64xbf16>) -> tensor<96x64xbf16>
  return %r : tensor<96x64xbf16>
}

// -----

// What the sums start from is added before they are rounded.
// CHECK-LABEL: func.func @added(
// CHECK-SAME: %[[C:[a-z0-9]+]]: tensor<4xf16>)
// CHECK:      linalg.generic
// CHECK:      ^bb0(%[[X:.+]]: f16, %[[Y:.+]]: f16, %[[S:.+]]: f32):
// CHECK-DAG:    %[[X32:.+]] = arith.extf %[[X]] : f16 to f32
// CHECK-DAG:    %[[Y32:.+]] = arith.extf %[[Y]] : f16 to f32
// CHECK:        %[[P:.+]] = arith.mulf %[[X32]], %[[Y32]] : f32
// CHECK:        arith.addf %[[S]], %[[P]] : f32
// CHECK:      linalg.generic {{.*}} outs(%[[C]] : tensor<4xf16>)
// CHECK:      ^bb0(%[[SUM:.+]]: f32, %[[OUT:.+]]: f16):
// CHECK-NEXT:   %[[FIRST:.+]] = arith.extf %[[OUT]] : f16 to f32
// CHECK-NEXT:   %[[ALL:.+]] = arith.addf %[[FIRST]], %[[SUM]] : f32
// CHECK-NEXT:   arith.truncf %[[ALL]] : f32 to f16
#all = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
func.func @added(%a: tensor<4x8xf16>, %b: tensor<4x8xf16>, %c: tensor<4xf16>) -> tensor<4xf16> {
  %r = linalg.generic {indexing_maps = [#all, #all, #row], iterator_types = ["parallel", "reduction"]}
      ins(%a, %b : tensor<4x8xf16>, tensor<4x8xf16>) outs(%c : tensor<4xf16>) {
  ^bb0(%x: f16, %y: f16, %s: f16):
    %p = arith.mulf %x, %y : f16
    %n = arith.addf %s, %p : f16
    linalg.yield %n : f16
  } -> tensor<4xf16>
  return %r : tensor<4xf16>
}

// -----

// CHECK-LABEL: func.func @buffers(
// CHECK-SAME: %[[C:[a-z0-9]+]]: memref<4x4xf16>)
// CHECK: %[[W:.+]] = memref.alloc() : memref<4x4xf32>
// CHECK: linalg.matmul {{.*}} outs(%[[W]] : memref<4x4xf32>)
// CHECK: linalg.generic {{.*}} ins(%[[W]] : memref<4x4xf32>) outs(%[[C]] : memref<4x4xf16>)
func.func @buffers(%a: memref<4x8xf16>, %b: memref<8x4xf16>, %c: memref<4x4xf16>) {
  linalg.matmul ins(%a, %b : memref<4x8xf16>, memref<8x4xf16>) outs(%c : memref<4x4xf16>)
  return
}

// -----

// Of what a loop computes in a buffer, the sums have no place.
// CHECK-LABEL: func.func @tiles(
// CHECK-NOT: f32
func.func @tiles(%a: memref<4x8xf16>, %b: memref<8x6xf16>, %c: memref<4x6xf16>) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c6 = arith.constant 6 : index
  scf.for %j = %c0 to %c6 step %c4 {
    %n = affine.min affine_map<(j) -> (4, 6 - j)>(%j)
    %bj = memref.subview %b[0, %j] [8, %n] [1, 1] : memref<8x6xf16> to memref<8x?xf16, strided<[6, 1], offset: ?>>
    %cj = memref.subview %c[0, %j] [4, %n] [1, 1] : memref<4x6xf16> to memref<4x?xf16, strided<[6, 1], offset: ?>>
    linalg.matmul ins(%a, %bj : memref<4x8xf16>, memref<8x?xf16, strided<[6, 1], offset: ?>>)
                  outs(%cj : memref<4x?xf16, strided<[6, 1], offset: ?>>)
  }
  return
}

// -----

// CHECK-LABEL: func.func @convolution(
// CHECK: linalg.conv_2d_nhwc_hwcf {{.*}} outs(%{{.+}} : tensor<1x8x8x4xf32>)
func.func @convolution(%x: tensor<1x10x10x2xbf16>, %w: tensor<3x3x2x4xbf16>, %c: tensor<1x8x8x4xbf16>) -> tensor<1x8x8x4xbf16> {
  %r = linalg.conv_2d_nhwc_hwcf ins(%x, %w : tensor<1x10x10x2xbf16>, tensor<3x3x2x4xbf16>)
                                outs(%c : tensor<1x8x8x4xbf16>) -> tensor<1x8x8x4xbf16>
  return %r : tensor<1x8x8x4xbf16>
}

// -----

// Wide sums, sums without products, and kernels with a lowering of their own.
// CHECK-LABEL: func.func @wide(
// CHECK-NOT: linalg.generic
// CHECK-LABEL: func.func @largest(
// CHECK-NOT: f32
// CHECK-LABEL: func.func @lowered(
// CHECK-NOT: f32
func.func @wide(%a: tensor<4x8xf16>, %b: tensor<8x4xf16>, %c: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %r = linalg.matmul ins(%a, %b : tensor<4x8xf16>, tensor<8x4xf16>) outs(%c : tensor<4x4xf32>) -> tensor<4x4xf32>
  return %r : tensor<4x4xf32>
}
func.func @largest(%a: tensor<4x8xf16>, %c: tensor<4xf16>) -> tensor<4xf16> {
  %r = linalg.reduce { arith.maximumf } ins(%a : tensor<4x8xf16>) outs(%c : tensor<4xf16>) dimensions = [1]
  return %r : tensor<4xf16>
}
func.func @lowered(%a: tensor<4x8xf16>, %b: tensor<8x4xf16>, %c: tensor<4x4xf16>) -> tensor<4x4xf16>
    attributes {tonno.pipeline = {passes = "builtin.module(cse)"}} {
  %r = linalg.matmul ins(%a, %b : tensor<4x8xf16>, tensor<8x4xf16>) outs(%c : tensor<4x4xf16>) -> tensor<4x4xf16>
  return %r : tensor<4x4xf16>
}

// -----

// Sums that a later op has the tiles of are rounded as a part of it.
// CHECK-LABEL: func.func @followed(
// FUSED-LABEL: func.func @followed(
// FUSED: linalg.matmul {tonno.lowering_config = {subgroup = [8, 32, 0], workgroup = [16, 0, 0]}}
// FUSED: linalg.generic
// FUSED-NOT: lowering_config
// FUSED: arith.truncf
// FUSED: linalg.exp {tonno.lowering_config = {fuse = [16, 0]}}
func.func @followed(%a: tensor<96x128xbf16>, %b: tensor<128x64xbf16>) -> tensor<96x64xbf16> {
  %zero = arith.constant 0.0 : bf16
  %e = tensor.empty() : tensor<96x64xbf16>
  %f = linalg.fill ins(%zero : bf16) outs(%e : tensor<96x64xbf16>) -> tensor<96x64xbf16>
  %s = linalg.matmul {tonno.lowering_config = {subgroup = [8, 32, 0], workgroup = [16, 0, 0]}}
      ins(%a, %b : tensor<96x128xbf16>, tensor<128x64xbf16>) outs(%f : tensor<96x64xbf16>) -> tensor<96x64xbf16>
  %r = linalg.exp {tonno.lowering_config = {fuse = [16, 0]}} ins(%s : tensor<96x64xbf16>) outs(%e : tensor<96x64xbf16>) -> tensor<96x64xbf16>
  return %r : tensor<96x64xbf16>
}

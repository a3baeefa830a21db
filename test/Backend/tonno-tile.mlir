// RUN: tonno-opt %s --split-input-file --tonno-tile --canonicalize | FileCheck %s

// Cache tiles over rows and columns, then over the reduction; register tiles
// with columns outermost and the reduction innermost.
// CHECK-LABEL: func.func @levels(
// CHECK-DAG: %[[C1:.+]] = arith.constant 1 : index
// CHECK-DAG: %[[C8:.+]] = arith.constant 8 : index
// CHECK-DAG: %[[C16:.+]] = arith.constant 16 : index
// CHECK-DAG: %[[C32:.+]] = arith.constant 32 : index
// CHECK-DAG: %[[C64:.+]] = arith.constant 64 : index
// CHECK: scf.for {{.*}} step %[[C32]]
// CHECK:   scf.for {{.*}} step %[[C64]]
// CHECK:     scf.for {{.*}} step %[[C16]]
// CHECK:       scf.for {{.*}} step %[[C32]]
// CHECK:         scf.for {{.*}} step %[[C8]]
// CHECK:           scf.for {{.*}} step %[[C1]]
// CHECK:             linalg.matmul ins({{.*}} : tensor<8x1xf32>, tensor<1x32xf32>)
// CHECK-NOT: linalg.matmul
// CHECK-NOT: tonno.lowering_config
func.func @levels(%a: tensor<128x128xf32>, %b: tensor<128x128xf32>, %c: tensor<128x128xf32>) -> tensor<128x128xf32> {
  %r = linalg.matmul {tonno.lowering_config = {workgroup = [32, 64, 0], reduction = [0, 0, 16], subgroup = [8, 32, 0]}}
    ins(%a, %b : tensor<128x128xf32>, tensor<128x128xf32>) outs(%c : tensor<128x128xf32>) -> tensor<128x128xf32>
  return %r : tensor<128x128xf32>
}

// -----

// 10 rows by 8 leave 2; 50 columns by 32 leave 18, which are 16 and 2: vectors
// of other lengths than powers of two are slow. Every shape is static.
// CHECK-LABEL: func.func @rests(
// CHECK-NOT: ?x
// CHECK: linalg.matmul ins({{.*}} : tensor<8x1xf32>, tensor<1x32xf32>)
// CHECK: linalg.matmul ins({{.*}} : tensor<8x1xf32>, tensor<1x16xf32>)
// CHECK: linalg.matmul ins({{.*}} : tensor<8x1xf32>, tensor<1x2xf32>)
// CHECK: linalg.matmul ins({{.*}} : tensor<2x1xf32>, tensor<1x32xf32>)
// CHECK: linalg.matmul ins({{.*}} : tensor<2x1xf32>, tensor<1x16xf32>)
// CHECK: linalg.matmul ins({{.*}} : tensor<2x1xf32>, tensor<1x2xf32>)
// CHECK-NOT: linalg.matmul
func.func @rests(%a: tensor<10x30xf32>, %b: tensor<30x50xf32>, %c: tensor<10x50xf32>) -> tensor<10x50xf32> {
  %r = linalg.matmul {tonno.lowering_config = {subgroup = [8, 32, 0]}}
    ins(%a, %b : tensor<10x30xf32>, tensor<30x50xf32>) outs(%c : tensor<10x50xf32>) -> tensor<10x50xf32>
  return %r : tensor<10x50xf32>
}

// -----

// Tiles as large as the loops, or larger, make no loops.
// CHECK-LABEL: func.func @clamped(
// CHECK-NOT: scf.for
// CHECK: linalg.matmul ins({{.*}} : tensor<4x4xf32>, tensor<4x4xf32>)
func.func @clamped(%a: tensor<4x4xf32>, %b: tensor<4x4xf32>, %c: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %r = linalg.matmul {tonno.lowering_config = {workgroup = [4, 64, 0], reduction = [0, 0, 8], subgroup = [0, 0, 0]}}
    ins(%a, %b : tensor<4x4xf32>, tensor<4x4xf32>) outs(%c : tensor<4x4xf32>) -> tensor<4x4xf32>
  return %r : tensor<4x4xf32>
}

// -----

// A matrix product that says nothing is tiled modestly; other ops stay whole.
// CHECK-LABEL: func.func @unconfigured(
// CHECK: scf.for
// CHECK: linalg.matmul ins({{.*}} : tensor<8x1xf32>, tensor<1x32xf32>)
// CHECK: linalg.add ins({{.*}} : tensor<64x64xf32>, tensor<64x64xf32>)
func.func @unconfigured(%a: tensor<64x64xf32>, %b: tensor<64x64xf32>, %c: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %r = linalg.matmul ins(%a, %b : tensor<64x64xf32>, tensor<64x64xf32>) outs(%c : tensor<64x64xf32>) -> tensor<64x64xf32>
  %s = linalg.add ins(%r, %a : tensor<64x64xf32>, tensor<64x64xf32>) outs(%c : tensor<64x64xf32>) -> tensor<64x64xf32>
  return %s : tensor<64x64xf32>
}

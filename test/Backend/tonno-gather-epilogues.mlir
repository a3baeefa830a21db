// RUN: tonno-opt %s --mlir-print-local-scope --split-input-file --pass-pipeline='builtin.module(func.func(tonno-gather-epilogues))' | FileCheck %s

#all = affine_map<(m, n) -> (m, n)>
#column = affine_map<(m, n) -> (n)>

// An op on the sums follows the product, and what else it needs precedes it.
// CHECK-LABEL: @scaled
// CHECK:         linalg.rsqrt
// CHECK-NEXT:    tensor.empty() : tensor<16x64xf32>
// CHECK-NEXT:    linalg.matmul
// CHECK-NEXT:    linalg.generic
// CHECK:         linalg.exp
func.func @scaled(%x: tensor<16x32xf32>, %w: tensor<32x64xf32>, %z: tensor<16x64xf32>, %variance: tensor<64xf32>)
    -> (tensor<16x64xf32>, tensor<64xf32>) {
  %y = linalg.matmul ins(%x, %w : tensor<16x32xf32>, tensor<32x64xf32>) outs(%z : tensor<16x64xf32>) -> tensor<16x64xf32>
  %e = tensor.empty() : tensor<64xf32>
  %s = linalg.rsqrt ins(%variance : tensor<64xf32>) outs(%e : tensor<64xf32>) -> tensor<64xf32>
  %other = linalg.exp ins(%variance : tensor<64xf32>) outs(%e : tensor<64xf32>) -> tensor<64xf32>
  %f = tensor.empty() : tensor<16x64xf32>
  %r = linalg.generic {indexing_maps = [#all, #column, #all], iterator_types = ["parallel", "parallel"]}
      ins(%y, %s : tensor<16x64xf32>, tensor<64xf32>) outs(%f : tensor<16x64xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %p = arith.mulf %a, %b : f32
    linalg.yield %p : f32
  } -> tensor<16x64xf32>
  return %r, %other : tensor<16x64xf32>, tensor<64xf32>
}

// -----

// What needs a reduction, or the result itself in another way, stays behind it.
// CHECK-LABEL: @waits
// CHECK:         %[[Y:.*]] = linalg.matmul
// CHECK:         %[[SUM:.*]] = linalg.reduce {{.*}} ins(%[[Y]]
// CHECK:         linalg.exp ins(%[[SUM]]
// CHECK:         linalg.generic
// CHECK-SAME:      ins(%[[Y]], %{{.*}} : tensor<16x64xf32>, tensor<16xf32>)
func.func @waits(%x: tensor<16x32xf32>, %w: tensor<32x64xf32>, %z: tensor<16x64xf32>, %zeros: tensor<16xf32>) -> tensor<16x64xf32> {
  %y = linalg.matmul ins(%x, %w : tensor<16x32xf32>, tensor<32x64xf32>) outs(%z : tensor<16x64xf32>) -> tensor<16x64xf32>
  %sum = linalg.reduce {arith.addf} ins(%y : tensor<16x64xf32>) outs(%zeros : tensor<16xf32>) dimensions = [1]
  %e = tensor.empty() : tensor<16xf32>
  %s = linalg.exp ins(%sum : tensor<16xf32>) outs(%e : tensor<16xf32>) -> tensor<16xf32>
  %f = tensor.empty() : tensor<16x64xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m)>, affine_map<(m, n) -> (m, n)>], iterator_types = ["parallel", "parallel"]}
      ins(%y, %s : tensor<16x64xf32>, tensor<16xf32>) outs(%f : tensor<16x64xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %p = arith.mulf %a, %b : f32
    linalg.yield %p : f32
  } -> tensor<16x64xf32>
  return %r : tensor<16x64xf32>
}

// -----

// A product that an op on another one's sums needs does not move: the op
// follows the later product.
// CHECK-LABEL: @gated
// CHECK:         %[[GATE:.*]] = linalg.matmul
// CHECK-NEXT:    linalg.negf ins(%[[GATE]]
// CHECK-NEXT:    %[[UP:.*]] = linalg.matmul
// CHECK-NEXT:    linalg.mul ins(%{{.*}}, %[[UP]]
func.func @gated(%x: tensor<16x32xf32>, %w: tensor<32x64xf32>, %v: tensor<32x64xf32>, %z: tensor<16x64xf32>) -> tensor<16x64xf32> {
  %gate = linalg.matmul ins(%x, %w : tensor<16x32xf32>, tensor<32x64xf32>) outs(%z : tensor<16x64xf32>) -> tensor<16x64xf32>
  %up = linalg.matmul ins(%x, %v : tensor<16x32xf32>, tensor<32x64xf32>) outs(%z : tensor<16x64xf32>) -> tensor<16x64xf32>
  %n = linalg.negf ins(%gate : tensor<16x64xf32>) outs(%z : tensor<16x64xf32>) -> tensor<16x64xf32>
  %r = linalg.mul ins(%n, %up : tensor<16x64xf32>, tensor<16x64xf32>) outs(%z : tensor<16x64xf32>) -> tensor<16x64xf32>
  return %r : tensor<16x64xf32>
}

// -----

// A wider copy is made where it is read.
// CHECK-LABEL: @widened
// CHECK:         linalg.matmul
// CHECK:         linalg.exp
// CHECK-NEXT:    linalg.generic
// CHECK:           arith.extf
// CHECK:         linalg.reduce
func.func @widened(%x: tensor<16x32xf16>, %w: tensor<32x64xf16>, %z: tensor<16x64xf16>, %v: tensor<8xf16>, %zeros: tensor<16xf32>) -> (tensor<16xf32>, tensor<8xf16>) {
  %y = linalg.matmul ins(%x, %w : tensor<16x32xf16>, tensor<32x64xf16>) outs(%z : tensor<16x64xf16>) -> tensor<16x64xf16>
  %e = tensor.empty() : tensor<16x64xf32>
  %wide = linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m, n)>], iterator_types = ["parallel", "parallel"]}
      ins(%y : tensor<16x64xf16>) outs(%e : tensor<16x64xf32>) {
  ^bb0(%a: f16, %o: f32):
    %p = arith.extf %a : f16 to f32
    linalg.yield %p : f32
  } -> tensor<16x64xf32>
  %other = linalg.exp ins(%v : tensor<8xf16>) outs(%v : tensor<8xf16>) -> tensor<8xf16>
  %sum = linalg.reduce {arith.addf} ins(%wide : tensor<16x64xf32>) outs(%zeros : tensor<16xf32>) dimensions = [1]
  return %sum, %other : tensor<16xf32>, tensor<8xf16>
}

// -----

// A tensor may be a view of a buffer, which is written between.
// CHECK-LABEL: @written
// CHECK:         arith.extf
// CHECK:         linalg.fill
// CHECK:         linalg.exp
func.func @written(%m: memref<8xf16>, %zero: f16, %e: tensor<8xf32>) -> tensor<8xf32> {
  %x = bufferization.to_tensor %m : memref<8xf16> to tensor<8xf16>
  %wide = linalg.generic {indexing_maps = [affine_map<(m) -> (m)>, affine_map<(m) -> (m)>], iterator_types = ["parallel"]}
      ins(%x : tensor<8xf16>) outs(%e : tensor<8xf32>) {
  ^bb0(%a: f16, %o: f32):
    %p = arith.extf %a : f16 to f32
    linalg.yield %p : f32
  } -> tensor<8xf32>
  linalg.fill ins(%zero : f16) outs(%m : memref<8xf16>)
  %r = linalg.exp ins(%wide : tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  return %r : tensor<8xf32>
}

// Kernels of GPUs are the launches of the default schedule.

// RUN: tonno-opt %s --tonno-form-kernels="target=nvptx chip=sm_90" --split-input-file | FileCheck %s
// RUN: tonno-opt %s --tonno-form-kernels="target=amdgpu chip=gfx942" --split-input-file | FileCheck %s
// RUN: not tonno-opt %s --tonno-form-kernels="target=amdgpu chip=sm_90" --split-input-file 2>&1 | FileCheck %s --check-prefix=CHIP
// CHIP: error: 'sm_90' is another vendor's chip; give one such as 'gfx942'

#all = affine_map<(m, n) -> (m, n)>
#column = affine_map<(m, n) -> (n)>

// Equal layers share a kernel. A product has what follows it and, since it is
// cheap, what that needs; the transposition is read in place, and so part of
// each kernel that uses it.
// CHECK-LABEL: func.func @mlp(
// CHECK-SAME:    %[[X:[^:]*]]: {{[^,]*}}, %[[W:[^:]*]]: {{[^,]*}}, %[[V:[^:]*]]:
// CHECK-NEXT:    %[[H:.*]] = call @mlp.kernel_0(%[[W]], %[[X]], %[[V]])
// CHECK-NEXT:    %[[R:.*]] = call @mlp.kernel_0(%[[W]], %[[H]], %[[V]])
// CHECK-NEXT:    return %[[R]]
// CHECK:       func.func private @mlp.kernel_0(
// CHECK-DAG:     linalg.transpose
// CHECK-DAG:     linalg.matmul
// CHECK-DAG:     linalg.rsqrt
// CHECK:         linalg.generic
// CHECK-NOT:   func.func
func.func @mlp(%x: tensor<64x64xf32>, %w: tensor<64x64xf32>, %variance: tensor<64xf32>) -> tensor<64x64xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<64x64xf32>
  %f = tensor.empty() : tensor<64xf32>
  %init = linalg.fill ins(%zero : f32) outs(%e : tensor<64x64xf32>) -> tensor<64x64xf32>
  %t = linalg.transpose ins(%w : tensor<64x64xf32>) outs(%e : tensor<64x64xf32>) permutation = [1, 0]
  %p0 = linalg.matmul ins(%x, %t : tensor<64x64xf32>, tensor<64x64xf32>) outs(%init : tensor<64x64xf32>) -> tensor<64x64xf32>
  %s0 = linalg.rsqrt ins(%variance : tensor<64xf32>) outs(%f : tensor<64xf32>) -> tensor<64xf32>
  %r0 = linalg.generic {indexing_maps = [#all, #column, #all], iterator_types = ["parallel", "parallel"]}
      ins(%p0, %s0 : tensor<64x64xf32>, tensor<64xf32>) outs(%e : tensor<64x64xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %p = arith.mulf %a, %b : f32
    linalg.yield %p : f32
  } -> tensor<64x64xf32>
  %p1 = linalg.matmul ins(%r0, %t : tensor<64x64xf32>, tensor<64x64xf32>) outs(%init : tensor<64x64xf32>) -> tensor<64x64xf32>
  %s1 = linalg.rsqrt ins(%variance : tensor<64xf32>) outs(%f : tensor<64xf32>) -> tensor<64xf32>
  %r1 = linalg.generic {indexing_maps = [#all, #column, #all], iterator_types = ["parallel", "parallel"]}
      ins(%p1, %s1 : tensor<64x64xf32>, tensor<64xf32>) outs(%e : tensor<64x64xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %p = arith.mulf %a, %b : f32
    linalg.yield %p : f32
  } -> tensor<64x64xf32>
  return %r1 : tensor<64x64xf32>
}

// -----

// A launch may have several results. A view of the first is used by the second
// product.
// CHECK-LABEL: func.func @results(
// CHECK-NEXT:    %[[FIRST:.*]]:2 = call @results.kernel_0(
// CHECK-NEXT:    %[[VIEW:.*]] = tensor.extract_slice %[[FIRST]]#1
// CHECK-NEXT:    %[[SECOND:.*]] = call @results.kernel_1({{.*}}%[[VIEW]]
// CHECK-NEXT:    return %[[FIRST]]#0, %[[SECOND]]
// CHECK:       func.func private @results.kernel_0({{.*}}) -> (tensor<64x64xf32>, tensor<64x64xf32>)
func.func @results(%x: tensor<64x64xf32>, %w: tensor<64x64xf32>) -> (tensor<64x64xf32>, tensor<32x64xf32>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<64x64xf32>
  %init = linalg.fill ins(%zero : f32) outs(%e : tensor<64x64xf32>) -> tensor<64x64xf32>
  %p = linalg.matmul ins(%x, %w : tensor<64x64xf32>, tensor<64x64xf32>) outs(%init : tensor<64x64xf32>) -> tensor<64x64xf32>
  %view = tensor.extract_slice %p[16, 0] [32, 64] [1, 1] : tensor<64x64xf32> to tensor<32x64xf32>
  %n = linalg.exp ins(%p : tensor<64x64xf32>) outs(%e : tensor<64x64xf32>) -> tensor<64x64xf32>
  %se = tensor.empty() : tensor<32x64xf32>
  %sinit = linalg.fill ins(%zero : f32) outs(%se : tensor<32x64xf32>) -> tensor<32x64xf32>
  %q = linalg.matmul ins(%view, %w : tensor<32x64xf32>, tensor<64x64xf32>) outs(%sinit : tensor<32x64xf32>) -> tensor<32x64xf32>
  return %n, %q : tensor<64x64xf32>, tensor<32x64xf32>
}

// -----

#all = affine_map<(m, n) -> (m, n)>
#row = affine_map<(m, n) -> (m)>

// Reshapes between ops of one launch are in its kernel.
// CHECK-LABEL: func.func @between(
// CHECK-NEXT:    %[[ROWS:.*]] = call @between.kernel_0(
// CHECK-NEXT:    %[[P:.*]] = call @between.kernel_1({{.*}}%[[ROWS]]
// CHECK-NEXT:    return %[[P]]
// CHECK:       func.func private @between.kernel_0(%{{[^,]*}}: tensor<64x96xf32>) -> tensor<64x96xf32>
// CHECK:         tensor.expand_shape
// CHECK:         tensor.collapse_shape
func.func @between(%x: tensor<64x96xf32>, %w: tensor<96x96xf32>) -> tensor<64x96xf32> {
  %zero = arith.constant 0.0 : f32
  %e0 = tensor.empty() : tensor<64xf32>
  %e1 = tensor.empty() : tensor<64x1xf32>
  %e = tensor.empty() : tensor<64x96xf32>
  %i0 = linalg.fill ins(%zero : f32) outs(%e0 : tensor<64xf32>) -> tensor<64xf32>
  %s = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<64x96xf32>) outs(%i0 : tensor<64xf32>) {
  ^bb0(%a: f32, %o: f32):
    %t = arith.addf %a, %o : f32
    linalg.yield %t : f32
  } -> tensor<64xf32>
  %k = tensor.expand_shape %s [[0, 1]] output_shape [64, 1] : tensor<64xf32> into tensor<64x1xf32>
  %m = linalg.tanh ins(%k : tensor<64x1xf32>) outs(%e1 : tensor<64x1xf32>) -> tensor<64x1xf32>
  %c = tensor.collapse_shape %m [[0, 1]] : tensor<64x1xf32> into tensor<64xf32>
  %r = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]} ins(%x, %c : tensor<64x96xf32>, tensor<64xf32>) outs(%e : tensor<64x96xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %t = arith.subf %a, %b : f32
    linalg.yield %t : f32
  } -> tensor<64x96xf32>
  %init = linalg.fill ins(%zero : f32) outs(%e : tensor<64x96xf32>) -> tensor<64x96xf32>
  %p = linalg.matmul ins(%r, %w : tensor<64x96xf32>, tensor<96x96xf32>) outs(%init : tensor<64x96xf32>) -> tensor<64x96xf32>
  return %p : tensor<64x96xf32>
}

// -----

// A fill that two launches begin with is in the kernel of each, and does not
// make them one.
// CHECK-LABEL: func.func @shared_fill(
// CHECK:         %[[P:.*]] = call @shared_fill.kernel_0(
// CHECK:         %[[Q:.*]] = call @shared_fill.kernel_1(
// CHECK:         return %[[P]], %[[Q]]
// CHECK:       func.func private @shared_fill.kernel_0(
// CHECK:         linalg.fill
// CHECK:         linalg.matmul
// CHECK:       func.func private @shared_fill.kernel_1(
// CHECK:         linalg.fill
// CHECK:         linalg.matmul
func.func @shared_fill(%x: tensor<64x64xf32>, %v: f32) -> (tensor<64x64xf32>, tensor<64x64xf32>) {
  %e = tensor.empty() : tensor<64x64xf32>
  %init = linalg.fill ins(%v : f32) outs(%e : tensor<64x64xf32>) -> tensor<64x64xf32>
  %p = linalg.matmul ins(%x, %x : tensor<64x64xf32>, tensor<64x64xf32>) outs(%init : tensor<64x64xf32>) -> tensor<64x64xf32>
  %q = linalg.matmul ins(%p, %x : tensor<64x64xf32>, tensor<64x64xf32>) outs(%init : tensor<64x64xf32>) -> tensor<64x64xf32>
  return %p, %q : tensor<64x64xf32>, tensor<64x64xf32>
}

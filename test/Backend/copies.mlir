// Results of products are computed where they belong, without copies.
// RUN: tonno-opt %s --tonno-annotate --tonno-apply --tonno-lower-host --mlir-print-ir-after=tonno-lower-copies -o /dev/null 2>&1 | FileCheck %s
// RUN: tonno-tune %s --verify-only --cache=off --budget-trials=2 --seed=1 2>&1 | FileCheck %s --check-prefix=RESULT

// RESULT: @concat for host {{.*}}: 2 of 2 candidates compile and compute the right result
// RESULT: @concat_operand for host {{.*}}: 2 of 2 candidates compile and compute the right result
// RESULT: @reshaped for host {{.*}}: 2 of 2 candidates compile and compute the right result
// RESULT: @slices for host {{.*}}: 2 of 2 candidates compile and compute the right result

// In the parts of the result.
// CHECK-LABEL: func.func @concat(
// CHECK-NOT:   linalg.copy
// CHECK:       return
func.func @concat(%x: tensor<64x64xf32>, %w: tensor<64x64xf32>, %v: tensor<64x64xf32>) -> tensor<64x128xf32> {
  %c = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<64x64xf32>
  %z = linalg.fill ins(%c : f32) outs(%e : tensor<64x64xf32>) -> tensor<64x64xf32>
  %a = linalg.matmul ins(%x, %w : tensor<64x64xf32>, tensor<64x64xf32>) outs(%z : tensor<64x64xf32>) -> tensor<64x64xf32>
  %b = linalg.matmul ins(%x, %v : tensor<64x64xf32>, tensor<64x64xf32>) outs(%z : tensor<64x64xf32>) -> tensor<64x64xf32>
  %r = tensor.concat dim(1) %a, %b : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x128xf32>
  return %r : tensor<64x128xf32>
}

// In a tensor that is read next. Products with one fill share no buffer.
// CHECK-LABEL: func.func @concat_operand(
// CHECK-NOT:   linalg.copy
// CHECK:       return
func.func @concat_operand(%x: tensor<64x64xf32>, %w: tensor<64x64xf32>, %v: tensor<64x64xf32>, %u: tensor<128x64xf32>) -> tensor<64x64xf32> {
  %c = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<64x64xf32>
  %z = linalg.fill ins(%c : f32) outs(%e : tensor<64x64xf32>) -> tensor<64x64xf32>
  %a = linalg.matmul ins(%x, %w : tensor<64x64xf32>, tensor<64x64xf32>) outs(%z : tensor<64x64xf32>) -> tensor<64x64xf32>
  %b = linalg.matmul ins(%x, %v : tensor<64x64xf32>, tensor<64x64xf32>) outs(%z : tensor<64x64xf32>) -> tensor<64x64xf32>
  %r = tensor.concat dim(1) %a, %b : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x128xf32>
  %q = linalg.matmul ins(%r, %u : tensor<64x128xf32>, tensor<128x64xf32>) outs(%z : tensor<64x64xf32>) -> tensor<64x64xf32>
  return %q : tensor<64x64xf32>
}

// In a reshape of the result.
// CHECK-LABEL: func.func @reshaped(
// CHECK-NOT:   linalg.copy
// CHECK:       return
func.func @reshaped(%x: tensor<4x16x64xf32>, %w: tensor<64x64xf32>) -> tensor<4x16x64xf32> {
  %c = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<64x64xf32>
  %z = linalg.fill ins(%c : f32) outs(%e : tensor<64x64xf32>) -> tensor<64x64xf32>
  %s = tensor.collapse_shape %x [[0, 1], [2]] : tensor<4x16x64xf32> into tensor<64x64xf32>
  %a = linalg.matmul ins(%s, %w : tensor<64x64xf32>, tensor<64x64xf32>) outs(%z : tensor<64x64xf32>) -> tensor<64x64xf32>
  %t = tensor.expand_shape %a [[0, 1], [2]] output_shape [4, 16, 64] : tensor<64x64xf32> into tensor<4x16x64xf32>
  return %t : tensor<4x16x64xf32>
}

// Slices of one product are copied to the results once each.
// CHECK-LABEL: func.func @slices(
// CHECK-COUNT-2: linalg.copy
// CHECK-NOT:   linalg.copy
// CHECK:       return
func.func @slices(%x: tensor<128x64xf32>, %w: tensor<64x192xf32>) -> (tensor<128x64xf32>, tensor<128x64xf32>) {
  %c = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<128x192xf32>
  %z = linalg.fill ins(%c : f32) outs(%e : tensor<128x192xf32>) -> tensor<128x192xf32>
  %a = linalg.matmul ins(%x, %w : tensor<128x64xf32>, tensor<64x192xf32>) outs(%z : tensor<128x192xf32>) -> tensor<128x192xf32>
  %q = tensor.extract_slice %a[0, 0] [128, 64] [1, 1] : tensor<128x192xf32> to tensor<128x64xf32>
  %k = tensor.extract_slice %a[0, 64] [128, 64] [1, 1] : tensor<128x192xf32> to tensor<128x64xf32>
  return %q, %k : tensor<128x64xf32>, tensor<128x64xf32>
}

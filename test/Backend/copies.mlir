// Results of products are computed where they belong, without copies.
// RUN: tonno-opt %s --tonno-annotate --tonno-apply --tonno-lower-host --mlir-disable-threading --mlir-print-ir-after=tonno-lower-copies -o /dev/null 2>&1 | FileCheck %s
// RUN: tonno-tune %s --verify-only --cache=off --budget-trials=2 --seed=1 2>&1 | FileCheck %s --check-prefix=RESULT

// RESULT: @concat for host {{.*}}: 2 of 2 candidates compile and compute the right result
// RESULT: @concat_operand for host {{.*}}: 2 of 2 candidates compile and compute the right result
// RESULT: @reshaped for host {{.*}}: 2 of 2 candidates compile and compute the right result
// RESULT: @slices for host {{.*}}: 2 of 2 candidates compile and compute the right result
// RESULT: @padded for host {{.*}}: 2 of 2 candidates compile and compute the right result
// RESULT: @padded_argument for host {{.*}}: 2 of 2 candidates compile and compute the right result
// RESULT: @padded_and_reshaped for host {{.*}}: 2 of 2 candidates compile and compute the right result
// RESULT: @dense for host {{.*}}: 2 of 2 candidates compile and compute the right result
// RESULT: @split for host {{.*}}: 2 of 2 candidates compile and compute the right result

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

// A result that is padded is computed within the borders, which are filled.
// The sum reads it there. The loops over 14 rows have peeled tails, whose
// tiles are inserted into buffers of their own.
// CHECK-LABEL: func.func @padded(
// CHECK-NOT:   linalg.copy
// CHECK:       return
func.func @padded(%x: tensor<1x16x16x32xf32>, %w: tensor<3x3x32x32xf32>, %v: tensor<3x3x32x32xf32>, %u: tensor<3x3x32x32xf32>) -> tensor<1x14x14x32xf32> {
  %c = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x14x14x32xf32>
  %z = linalg.fill ins(%c : f32) outs(%e : tensor<1x14x14x32xf32>) -> tensor<1x14x14x32xf32>
  %a = linalg.conv_2d_nhwc_hwcf ins(%x, %w : tensor<1x16x16x32xf32>, tensor<3x3x32x32xf32>) outs(%z : tensor<1x14x14x32xf32>) -> tensor<1x14x14x32xf32>
  %b = linalg.max ins(%a, %z : tensor<1x14x14x32xf32>, tensor<1x14x14x32xf32>) outs(%e : tensor<1x14x14x32xf32>) -> tensor<1x14x14x32xf32>
  %q = tensor.pad %b low[0, 1, 1, 0] high[0, 1, 1, 0] {
  ^bb0(%i: index, %j: index, %k: index, %l: index):
    tensor.yield %c : f32
  } : tensor<1x14x14x32xf32> to tensor<1x16x16x32xf32>
  %d = linalg.conv_2d_nhwc_hwcf ins(%q, %v : tensor<1x16x16x32xf32>, tensor<3x3x32x32xf32>) outs(%z : tensor<1x14x14x32xf32>) -> tensor<1x14x14x32xf32>
  %f = linalg.add ins(%d, %b : tensor<1x14x14x32xf32>, tensor<1x14x14x32xf32>) outs(%e : tensor<1x14x14x32xf32>) -> tensor<1x14x14x32xf32>
  %p = tensor.pad %f low[0, 1, 1, 0] high[0, 1, 1, 0] {
  ^bb0(%i: index, %j: index, %k: index, %l: index):
    tensor.yield %c : f32
  } : tensor<1x14x14x32xf32> to tensor<1x16x16x32xf32>
  %g = linalg.conv_2d_nhwc_hwcf ins(%p, %u : tensor<1x16x16x32xf32>, tensor<3x3x32x32xf32>) outs(%z : tensor<1x14x14x32xf32>) -> tensor<1x14x14x32xf32>
  %h = linalg.add ins(%g, %f : tensor<1x14x14x32xf32>, tensor<1x14x14x32xf32>) outs(%e : tensor<1x14x14x32xf32>) -> tensor<1x14x14x32xf32>
  return %h : tensor<1x14x14x32xf32>
}

// An argument is copied into the padded tensor.
// CHECK-LABEL: func.func @padded_argument(
// CHECK:       linalg.copy ins(%arg0
// CHECK-NOT:   linalg.copy
// CHECK:       return
func.func @padded_argument(%x: tensor<1x14x14x32xf32>, %w: tensor<3x3x32x32xf32>) -> tensor<1x14x14x32xf32> {
  %c = arith.constant 0.0 : f32
  %p = tensor.pad %x low[0, 1, 1, 0] high[0, 1, 1, 0] {
  ^bb0(%i: index, %j: index, %k: index, %l: index):
    tensor.yield %c : f32
  } : tensor<1x14x14x32xf32> to tensor<1x16x16x32xf32>
  %e = tensor.empty() : tensor<1x14x14x32xf32>
  %z = linalg.fill ins(%c : f32) outs(%e : tensor<1x14x14x32xf32>) -> tensor<1x14x14x32xf32>
  %a = linalg.conv_2d_nhwc_hwcf ins(%p, %w : tensor<1x16x16x32xf32>, tensor<3x3x32x32xf32>) outs(%z : tensor<1x14x14x32xf32>) -> tensor<1x14x14x32xf32>
  return %a : tensor<1x14x14x32xf32>
}

// A tensor that is padded and reshaped is copied once: the interior of the
// padded one has gaps.
// CHECK-LABEL: func.func @padded_and_reshaped(
// CHECK:       linalg.copy ins(%{{.*}} : memref<16x16xf32>)
// CHECK-NOT:   linalg.copy
// CHECK:       return
func.func @padded_and_reshaped(%x: tensor<16x16xf32>, %w: tensor<18x16xf32>) -> (tensor<16x16xf32>, tensor<256xf32>) {
  %c = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<16x16xf32>
  %z = linalg.fill ins(%c : f32) outs(%e : tensor<16x16xf32>) -> tensor<16x16xf32>
  %a = linalg.exp ins(%x : tensor<16x16xf32>) outs(%e : tensor<16x16xf32>) -> tensor<16x16xf32>
  %p = tensor.pad %a low[0, 1] high[0, 1] {
  ^bb0(%i: index, %j: index):
    tensor.yield %c : f32
  } : tensor<16x16xf32> to tensor<16x18xf32>
  %b = linalg.matmul ins(%p, %w : tensor<16x18xf32>, tensor<18x16xf32>) outs(%z : tensor<16x16xf32>) -> tensor<16x16xf32>
  %f = tensor.collapse_shape %a [[0, 1]] : tensor<16x16xf32> into tensor<256xf32>
  %g = tensor.empty() : tensor<256xf32>
  %h = linalg.negf ins(%f : tensor<256xf32>) outs(%g : tensor<256xf32>) -> tensor<256xf32>
  return %b, %h : tensor<16x16xf32>, tensor<256xf32>
}

// Concatenations of one tensor lie in one buffer. Each product reads a part of
// it, beside which it would be computed: the product is copied there. The
// buffer that it is computed in has no contents before.
// CHECK-LABEL: func.func @dense(
// CHECK-COUNT-2: linalg.copy {{.*}} outs(%{{.*}} : memref<64x64xf32, strided<[192, 1]
// CHECK-NOT:   linalg.copy
// CHECK:       return
func.func @dense(%x: tensor<64x64xf32>, %w: tensor<64x64xf32>, %v: tensor<128x64xf32>, %u: tensor<192x64xf32>) -> tensor<64x64xf32> {
  %c = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<64x64xf32>
  %z = linalg.fill ins(%c : f32) outs(%e : tensor<64x64xf32>) -> tensor<64x64xf32>
  %a = linalg.matmul ins(%x, %w : tensor<64x64xf32>, tensor<64x64xf32>) outs(%z : tensor<64x64xf32>) -> tensor<64x64xf32>
  %a1 = linalg.exp ins(%a : tensor<64x64xf32>) outs(%e : tensor<64x64xf32>) -> tensor<64x64xf32>
  %b = linalg.matmul ins(%a1, %w : tensor<64x64xf32>, tensor<64x64xf32>) outs(%z : tensor<64x64xf32>) -> tensor<64x64xf32>
  %c1 = tensor.concat dim(1) %a1, %b : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x128xf32>
  %d = linalg.matmul ins(%c1, %v : tensor<64x128xf32>, tensor<128x64xf32>) outs(%z : tensor<64x64xf32>) -> tensor<64x64xf32>
  %c2 = tensor.concat dim(1) %c1, %d : (tensor<64x128xf32>, tensor<64x64xf32>) -> tensor<64x192xf32>
  %f = linalg.matmul ins(%c2, %u : tensor<64x192xf32>, tensor<192x64xf32>) outs(%z : tensor<64x64xf32>) -> tensor<64x64xf32>
  return %f : tensor<64x64xf32>
}

// Slices of a product that are read are views.
// CHECK-LABEL: func.func @split(
// CHECK-NOT:   linalg.copy
// CHECK:       return
func.func @split(%x: tensor<32x64xf32>, %w: tensor<64x192xf32>) -> tensor<32x32xf32> {
  %c = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<32x192xf32>
  %z = linalg.fill ins(%c : f32) outs(%e : tensor<32x192xf32>) -> tensor<32x192xf32>
  %a = linalg.matmul ins(%x, %w : tensor<32x64xf32>, tensor<64x192xf32>) outs(%z : tensor<32x192xf32>) -> tensor<32x192xf32>
  %q = tensor.extract_slice %a[0, 0] [32, 64] [1, 1] : tensor<32x192xf32> to tensor<32x64xf32>
  %k = tensor.extract_slice %a[0, 64] [32, 64] [1, 1] : tensor<32x192xf32> to tensor<32x64xf32>
  %e2 = tensor.empty() : tensor<32x32xf32>
  %z2 = linalg.fill ins(%c : f32) outs(%e2 : tensor<32x32xf32>) -> tensor<32x32xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(i,j,k)->(i,k)>,affine_map<(i,j,k)->(j,k)>,affine_map<(i,j,k)->(i,j)>], iterator_types = ["parallel","parallel","reduction"]} ins(%q, %k : tensor<32x64xf32>, tensor<32x64xf32>) outs(%z2 : tensor<32x32xf32>) {
  ^bb0(%p: f32, %r: f32, %o: f32):
    %m = arith.mulf %p, %r : f32
    %t = arith.addf %o, %m : f32
    linalg.yield %t : f32
  } -> tensor<32x32xf32>
  return %s : tensor<32x32xf32>
}

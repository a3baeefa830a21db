// RUN: tonno-opt %s --tonno-lower-vectors | FileCheck %s

// CHECK-LABEL: func.func @product(
// CHECK-NOT: vector.contract
// CHECK-NOT: vector.outerproduct
// CHECK-COUNT-2: vector.fma {{.*}} : vector<16xf32>
// CHECK-NOT: vector.fma
func.func @product(%a: vector<2x1xf32>, %b: vector<1x16xf32>, %c: vector<2x16xf32>) -> vector<2x16xf32> {
  %r = vector.contract {
    indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>],
    iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>
  } %a, %b, %c : vector<2x1xf32>, vector<1x16xf32> into vector<2x16xf32>
  return %r : vector<2x16xf32>
}

// CHECK-LABEL: func.func @rows(
// CHECK-COUNT-2: vector.load {{.*}} vector<16xf32>
func.func @rows(%m: memref<2x16xf32>) -> vector<2x16xf32> {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0.0 : f32
  %r = vector.transfer_read %m[%c0, %c0], %z {in_bounds = [true, true]} : memref<2x16xf32>, vector<2x16xf32>
  return %r : vector<2x16xf32>
}

// A masked read of two dimensions, with what is outside as it says.
// CHECK-LABEL: func.func @masked(
// CHECK-NOT: vector.mask {{.*}}{
// CHECK: vector.maskedload
func.func @masked(%m: memref<10x20xf32>) -> vector<16x32xf32> {
  %c0 = arith.constant 0 : index
  %c10 = arith.constant 10 : index
  %c20 = arith.constant 20 : index
  %z = arith.constant 0.0 : f32
  %mask = vector.create_mask %c10, %c20 : vector<16x32xi1>
  %r = vector.mask %mask { vector.transfer_read %m[%c0, %c0], %z {in_bounds = [true, true]} : memref<10x20xf32>, vector<16x32xf32> } : vector<16x32xi1> -> vector<16x32xf32>
  return %r : vector<16x32xf32>
}

// CHECK-LABEL: func.func @gathered(
// CHECK-COUNT-2: vector.gather {{.*}} vector<8xf32>
func.func @gathered(%m: memref<100xf32>, %i: vector<2x8xi32>, %mask: vector<2x8xi1>, %pass: vector<2x8xf32>) -> vector<2x8xf32> {
  %c0 = arith.constant 0 : index
  %r = vector.gather %m[%c0][%i], %mask, %pass : memref<100xf32>, vector<2x8xi32>, vector<2x8xi1>, vector<2x8xf32> into vector<2x8xf32>
  return %r : vector<2x8xf32>
}

// CHECK-LABEL: func.func @transposed(
// CHECK-NOT: affine_map
// CHECK-COUNT-4: vector.load {{.*}} vector<8xf32>
func.func @transposed(%m: memref<4x8xf32>) -> vector<8x4xf32> {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0.0 : f32
  %r = vector.transfer_read %m[%c0, %c0], %z {in_bounds = [true, true], permutation_map = affine_map<(i, j) -> (j, i)>} : memref<4x8xf32>, vector<8x4xf32>
  return %r : vector<8x4xf32>
}

// A batch of products of half precision, summed in single.
// CHECK-LABEL: func.func @mixed_batch(
// CHECK-NOT: vector.contract
// CHECK-DAG: arith.extf {{.*}} : vector<2x1x1xf16> to vector<2x1x1xf32>
// CHECK-DAG: arith.extf {{.*}} : vector<2x1x16xf16> to vector<2x1x16xf32>
// CHECK-COUNT-2: vector.fma {{.*}} : vector<16xf32>
func.func @mixed_batch(%a: vector<2x1x1xf16>, %b: vector<2x1x16xf16>, %c: vector<2x1x16xf32>) -> vector<2x1x16xf32> {
  %r = vector.contract {
    indexing_maps = [affine_map<(b, m, n, k) -> (b, m, k)>, affine_map<(b, m, n, k) -> (b, k, n)>, affine_map<(b, m, n, k) -> (b, m, n)>],
    iterator_types = ["parallel", "parallel", "parallel", "reduction"], kind = #vector.kind<add>
  } %a, %b, %c : vector<2x1x1xf16>, vector<2x1x16xf16> into vector<2x1x16xf32>
  return %r : vector<2x1x16xf32>
}

// Integers keep their sign.
// CHECK-LABEL: func.func @mixed_integers(
// CHECK-COUNT-2: arith.extsi {{.*}} to vector<{{.*}}xi32>
func.func @mixed_integers(%a: vector<2x1x1xi8>, %b: vector<2x1x16xi8>, %c: vector<2x1x16xi32>) -> vector<2x1x16xi32> {
  %r = vector.contract {
    indexing_maps = [affine_map<(b, m, n, k) -> (b, m, k)>, affine_map<(b, m, n, k) -> (b, k, n)>, affine_map<(b, m, n, k) -> (b, m, n)>],
    iterator_types = ["parallel", "parallel", "parallel", "reduction"], kind = #vector.kind<add>
  } %a, %b, %c : vector<2x1x1xi8>, vector<2x1x16xi8> into vector<2x1x16xi32>
  return %r : vector<2x1x16xi32>
}

// What is summed up along rows is so row by row; across rows, row upon row.
// CHECK-LABEL: func.func @row_sums(
// CHECK-NOT: vector.shuffle
// CHECK-COUNT-2: vector.reduction <add>, {{.*}} : vector<16xf32> into f32
// CHECK-NOT: vector.reduction
func.func @row_sums(%a: vector<2x16xf32>, %sums: vector<2xf32>) -> vector<2xf32> {
  %r = vector.multi_reduction <add>, %a, %sums [1] : vector<2x16xf32> to vector<2xf32>
  return %r : vector<2xf32>
}

// CHECK-LABEL: func.func @column_sums(
// CHECK-NOT: vector.reduction
// CHECK-COUNT-2: arith.addf {{.*}} : vector<16xf32>
// CHECK-NOT: vector.reduction
func.func @column_sums(%a: vector<2x16xf32>, %sums: vector<16xf32>) -> vector<16xf32> {
  %r = vector.multi_reduction <add>, %a, %sums [0] : vector<2x16xf32> to vector<16xf32>
  return %r : vector<16xf32>
}

// CHECK-LABEL: func.func @row_maxima(
// CHECK-COUNT-2: vector.reduction <maximumf>, {{.*}} fastmath<nsz> : vector<16xf32> into f32
func.func @row_maxima(%a: vector<2x16xf32>, %most: vector<2xf32>) -> vector<2xf32> {
  %r = vector.multi_reduction <maximumf>, %a, %most [1] : vector<2x16xf32> to vector<2xf32>
  return %r : vector<2xf32>
}

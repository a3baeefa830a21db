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

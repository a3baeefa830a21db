// RUN: tonno-opt %s --tonno-tile --canonicalize --cse | FileCheck %s

// Whole tiles are static. The remainder has tiles of a quarter, and so on.
// CHECK-DAG: #[[$WHOLE:.*]] = affine_map<()[s0] -> ((s0 floordiv 8) * 8)>
// CHECK-LABEL: func.func @rows(
// CHECK: %[[M:.*]] = tensor.dim
// CHECK: %[[END:.*]] = affine.apply #[[$WHOLE]]()[%[[M]]]
// CHECK: scf.for %{{.*}} = %c0 to %{{.*}} step %c8
// CHECK: linalg.exp {{.*}}tensor<8x4xf32>
// CHECK: scf.for %{{.*}} step %c2
// CHECK: linalg.exp {{.*}}tensor<2x4xf32>
// CHECK: scf.for %{{.*}} step %c1
// CHECK: linalg.exp {{.*}}tensor<1x4xf32>
func.func @rows(%x: tensor<?x4xf32>, %y: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %r = linalg.exp {tonno.lowering_config = {workgroup = [8, 0]}}
      ins(%x : tensor<?x4xf32>) outs(%y : tensor<?x4xf32>) -> tensor<?x4xf32>
  return %r : tensor<?x4xf32>
}

// A remainder of a reduction adds to the sum of the whole tiles.
// CHECK-LABEL: func.func @sum(
// CHECK: %[[ALL:.*]] = scf.for %{{.*}} step %c16
// CHECK: linalg.matmul {{.*}}tensor<4x16xf32>, tensor<16x4xf32>
// CHECK: %[[SOME:.*]] = scf.for %{{.*}} step %c4 iter_args(%{{.*}} = %[[ALL]])
// CHECK: linalg.matmul {{.*}}tensor<4x4xf32>, tensor<4x4xf32>
// CHECK: scf.for %{{.*}} step %c1 iter_args(%{{.*}} = %[[SOME]])
// CHECK: linalg.matmul {{.*}}tensor<4x1xf32>, tensor<1x4xf32>
func.func @sum(%a: tensor<4x?xf32>, %b: tensor<?x4xf32>, %c: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %r = linalg.matmul {tonno.lowering_config = {reduction = [0, 0, 16]}}
      ins(%a, %b : tensor<4x?xf32>, tensor<?x4xf32>) outs(%c : tensor<4x4xf32>) -> tensor<4x4xf32>
  return %r : tensor<4x4xf32>
}

// Each number of remaining rows of a product has code of its own.
// CHECK-LABEL: func.func @product(
// CHECK: scf.for %{{.*}} step %c4
// CHECK: linalg.matmul {{.*}}tensor<4x1xf32>, tensor<1x8xf32>
// CHECK: %[[PART:.*]] = scf.index_switch %{{.*}} -> tensor<?x8xf32>
// CHECK: case 1 {
// CHECK: linalg.matmul {{.*}}tensor<1x1xf32>, tensor<1x8xf32>
// CHECK: case 2 {
// CHECK: linalg.matmul {{.*}}tensor<2x1xf32>, tensor<1x8xf32>
// CHECK: case 3 {
// CHECK: %[[ROWS:.*]] = scf.for
// CHECK: linalg.matmul {{.*}}tensor<3x1xf32>, tensor<1x8xf32>
// CHECK: %[[WHOLE:.*]] = tensor.insert_slice %[[ROWS]]
// CHECK: scf.yield %[[WHOLE]] : tensor<?x8xf32>
// CHECK: default {
// CHECK-NOT: case
// CHECK: tensor.insert_slice %[[PART]]
func.func @product(%a: tensor<?x16xf32>, %b: tensor<16x8xf32>, %c: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %r = linalg.matmul {tonno.lowering_config = {subgroup = [4, 0, 0]}}
      ins(%a, %b : tensor<?x16xf32>, tensor<16x8xf32>) outs(%c : tensor<?x8xf32>) -> tensor<?x8xf32>
  return %r : tensor<?x8xf32>
}

// With two dynamic loops, the code would multiply.
// CHECK-LABEL: func.func @both(
// CHECK-NOT: scf.index_switch
func.func @both(%a: tensor<?x16xf32>, %b: tensor<16x?xf32>, %c: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %r = linalg.matmul {tonno.lowering_config = {subgroup = [4, 4, 0]}}
      ins(%a, %b : tensor<?x16xf32>, tensor<16x?xf32>) outs(%c : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

// Fewer rows have a wider tile, where it divides the columns.
// CHECK-LABEL: func.func @wide(
// CHECK: linalg.matmul {{.*}}outs(%{{.*}} : tensor<4x8xf32>)
// CHECK: case 1 {
// CHECK: linalg.matmul {{.*}}outs(%{{.*}} : tensor<1x32xf32>)
// CHECK: case 2 {
// CHECK: linalg.matmul {{.*}}outs(%{{.*}} : tensor<2x16xf32>)
// CHECK: case 3 {
// CHECK: linalg.matmul {{.*}}outs(%{{.*}} : tensor<3x8xf32>)
func.func @wide(%a: tensor<?x16xf32>, %b: tensor<16x96xf32>, %c: tensor<?x96xf32>) -> tensor<?x96xf32> {
  %r = linalg.matmul {tonno.lowering_config = {subgroup = [4, 8, 0]}}
      ins(%a, %b : tensor<?x16xf32>, tensor<16x96xf32>) outs(%c : tensor<?x96xf32>) -> tensor<?x96xf32>
  return %r : tensor<?x96xf32>
}

// RUN: tonno-opt %s --split-input-file --tonno-duplicate-fills | FileCheck %s
// RUN: tonno-opt %s --split-input-file --tonno-lower-nvptx=chip=sm_90 | FileCheck %s --check-prefix=LAUNCHES

// The first op keeps the fill, and each other one gets a clone.
// CHECK-LABEL: func.func @two(
// CHECK: %[[FILL:.*]] = linalg.fill {{.*}} outs(%[[EMPTY:.*]] :
// CHECK: linalg.reduce {{.*}} outs(%[[FILL]] : tensor<64xf32>)
// CHECK: %[[OTHER:.*]] = tensor.empty() : tensor<64xf32>
// CHECK: %[[CLONE:.*]] = linalg.fill {{.*}} outs(%[[OTHER]] :
// CHECK: linalg.reduce {{.*}} outs(%[[CLONE]] : tensor<64xf32>)
// CHECK: return
// Both reductions in one launch, and none that only writes zeros.
// LAUNCHES: tonno.launches = [{block = [256, 1, 1], buffers = [0, 1, 2, 3],
// LAUNCHES-NOT: block =
// LAUNCHES-SAME: symbol = "two_entry"}]
func.func @two(%x: tensor<64x512xf32>, %y: tensor<64x512xf32>) -> (tensor<64xf32>, tensor<64xf32>) {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<64xf32>
  %fill = linalg.fill ins(%zero : f32) outs(%empty : tensor<64xf32>) -> tensor<64xf32>
  %sum = linalg.reduce {arith.addf} ins(%x : tensor<64x512xf32>) outs(%fill : tensor<64xf32>) dimensions = [1]
  %other = linalg.reduce {arith.addf} ins(%y : tensor<64x512xf32>) outs(%fill : tensor<64xf32>) dimensions = [1]
  return %sum, %other : tensor<64xf32>, tensor<64xf32>
}

// -----

// A fill that is returned, too, stays as it is; the reduction gets a clone.
// CHECK-LABEL: func.func @read(
// CHECK: %[[FILL:.*]] = linalg.fill
// CHECK: %[[CLONE:.*]] = linalg.fill
// CHECK: linalg.reduce {{.*}} outs(%[[CLONE]] :
// CHECK: return %{{.*}}, %[[FILL]] :
func.func @read(%x: tensor<64x512xf32>) -> (tensor<64xf32>, tensor<64xf32>) {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<64xf32>
  %fill = linalg.fill ins(%zero : f32) outs(%empty : tensor<64xf32>) -> tensor<64xf32>
  %sum = linalg.reduce {arith.addf} ins(%x : tensor<64x512xf32>) outs(%fill : tensor<64xf32>) dimensions = [1]
  return %sum, %fill : tensor<64xf32>, tensor<64xf32>
}

// RUN: tonno-opt %s --tonno-split-reductions --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-DAG: #[[IN:.+]] = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
// CHECK-DAG: #[[PARTS:.+]] = affine_map<(d0, d1, d2) -> (d0, d1)>
// CHECK-LABEL: func.func @rows(
// CHECK-SAME:    %[[X:.+]]: tensor<16x4096xf32>, %[[INIT:.+]]: tensor<16xf32>
// CHECK:         %[[EXPANDED:.+]] = tensor.expand_shape %[[X]] {{\[\[}}0], [1, 2]] output_shape [16, 8, 512]
// CHECK:         %[[ZEROS:.+]] = linalg.fill {{.*}} -> tensor<16x8xf32>
// CHECK:         %[[SUMS:.+]] = linalg.generic {indexing_maps = [#[[IN]], #[[PARTS]]], iterator_types = ["parallel", "parallel", "reduction"]}
// CHECK-SAME:      ins(%[[EXPANDED]] : {{.*}}) outs(%[[ZEROS]] : {{.*}}) attrs = {tonno.lowering_config = {thread = [1, 1, 4], workgroup = [0, 1, 0]}}
// CHECK:         linalg.generic {{.*}} iterator_types = ["parallel", "reduction"]} ins(%[[SUMS]] : tensor<16x8xf32>) outs(%[[INIT]] : tensor<16xf32>)
// CHECK-NOT:     linalg.generic
func.func @rows(%x: tensor<16x4096xf32>, %init: tensor<16xf32>) -> tensor<16xf32> {
  %r = linalg.reduce {arith.addf} ins(%x : tensor<16x4096xf32>) outs(%init : tensor<16xf32>)
      dimensions = [1] {tonno.lowering_config = {workgroup = [0, 0], thread = [1, 4], split = 8}}
  return %r : tensor<16xf32>
}

// What the number of parts does not divide is added last.
// CHECK-LABEL: func.func @remainder(
// CHECK:         tensor.extract_slice %{{.+}}[0] [4096] [1]
// CHECK:         tensor.expand_shape
// CHECK:         linalg.generic
// CHECK:         linalg.generic
// CHECK:         %[[TAIL:.+]] = tensor.extract_slice %{{.+}}[4096] [7] [1]
// CHECK:         linalg.reduce {{.*}} ins(%[[TAIL]] : tensor<7xf32>)
// CHECK-NOT:     lowering_config
func.func @remainder(%x: tensor<4103xf32>, %init: tensor<f32>) -> tensor<f32> {
  %r = linalg.reduce {arith.maximumf} ins(%x : tensor<4103xf32>) outs(%init : tensor<f32>)
      dimensions = [0] {tonno.lowering_config = {split = 16}}
  return %r : tensor<f32>
}

// Adjacent loops become one, which is split if there are few results.
// CHECK-LABEL: func.func @whole(
// CHECK:         tensor.collapse_shape {{.*}} tensor<512x96xf32> into tensor<49152xf32>
// CHECK:         tensor.expand_shape {{.*}} output_shape [8, 6144]
// CHECK:         linalg.generic {{.*}} ["parallel", "reduction"]
// CHECK-NOT:     lowering_config
// The default tiles, and no other op's.
// CHECK:         linalg.generic {{.*}} ["reduction"]} {{.*}} attrs = {tonno.lowering_config = {workgroup = [0]}}
func.func @whole(%x: tensor<512x96xf32>, %init: tensor<f32>) -> tensor<f32> {
  %r = linalg.reduce {arith.addf} ins(%x : tensor<512x96xf32>) outs(%init : tensor<f32>) dimensions = [0, 1]
  return %r : tensor<f32>
}

// Others are reduced one after the other.
// CHECK-LABEL: func.func @around(
// CHECK:         linalg.generic {{.*}} ["parallel", "parallel", "reduction"]} {{.*}} outs(%{{.+}} : tensor<5x64xf32>)
// CHECK:         linalg.generic {{.*}} ["reduction", "parallel"]
func.func @around(%x: tensor<5x64x33xf32>, %init: tensor<64xf32>) -> tensor<64xf32> {
  %r = linalg.reduce {arith.addf} ins(%x : tensor<5x64x33xf32>) outs(%init : tensor<64xf32>) dimensions = [0, 2]
  return %r : tensor<64xf32>
}

// CHECK-LABEL: func.func @alternating(
// CHECK:         linalg.generic {{.*}} ["parallel", "parallel", "parallel", "parallel", "reduction"]} {{.*}} outs(%{{.+}} : tensor<8x4x3x3xf32>)
// CHECK:         linalg.generic {{.*}} ["reduction", "parallel", "parallel", "parallel"]} {{.*}} outs(%{{.+}} : tensor<4x3x3xf32>)
// CHECK:         linalg.generic {{.*}} ["reduction", "parallel", "parallel"]
func.func @alternating(%x: tensor<4x3x8x3x64xf32>, %init: tensor<3x3xf32>) -> tensor<3x3xf32> {
  %r = linalg.reduce {arith.addf} ins(%x : tensor<4x3x8x3x64xf32>) outs(%init : tensor<3x3xf32>) dimensions = [0, 2, 4]
  return %r : tensor<3x3xf32>
}

// CHECK-LABEL: func.func @dynamic(
// CHECK:         linalg.reduce
func.func @dynamic(%x: tensor<?x96xf32>, %init: tensor<f32>) -> tensor<f32> {
  %r = linalg.reduce {arith.addf} ins(%x : tensor<?x96xf32>) outs(%init : tensor<f32>) dimensions = [0, 1]
  return %r : tensor<f32>
}

// -----

func.func @refused(%x: tensor<?xf32>, %init: tensor<f32>) -> tensor<f32> {
  // expected-error @below {{has 'split', which needs one reduction of tensors, of known extent, whose combiner is an op with a neutral element}}
  %r = linalg.reduce {arith.addf} ins(%x : tensor<?xf32>) outs(%init : tensor<f32>)
      dimensions = [0] {tonno.lowering_config = {split = 2}}
  return %r : tensor<f32>
}

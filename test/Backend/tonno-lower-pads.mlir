// RUN: tonno-opt %s --split-input-file --tonno-lower-pads | FileCheck %s

// First the rows below and above are filled, then the columns between them.
// CHECK-LABEL: func.func @rows_and_columns(
// CHECK: %[[ZERO:.*]] = arith.constant 0.0
// CHECK: %[[EMPTY:.*]] = tensor.empty() : tensor<7x9xf32>
// CHECK: %[[ROW:.*]] = tensor.extract_slice %[[EMPTY]][0, 0] [1, 9] [1, 1]
// CHECK: %[[FILL:.*]] = linalg.fill ins({{.*}}) outs(%[[ROW]] :
// CHECK: %[[ONE:.*]] = tensor.insert_slice %[[FILL]] into %[[EMPTY]][0, 0] [1, 9] [1, 1]
// CHECK: tensor.insert_slice {{.*}} into %[[ONE]][5, 0] [2, 9] [1, 1]
// CHECK: %[[BORDER:.*]] = tensor.insert_slice {{.*}}[1, 8] [4, 1] [1, 1]
// CHECK-NOT: linalg.fill
// CHECK: %[[P:.*]] = tensor.insert_slice %arg0 into %[[BORDER]][1, 0] [4, 8] [1, 1]
// CHECK: return %[[P]]
func.func @rows_and_columns(%x: tensor<4x8xf32>) -> tensor<7x9xf32> {
  %zero = arith.constant 0.0 : f32
  %p = tensor.pad %x low[1, 0] high[2, 1] {
  ^bb0(%i: index, %j: index):
    tensor.yield %zero : f32
  } : tensor<4x8xf32> to tensor<7x9xf32>
  return %p : tensor<7x9xf32>
}

// -----

// Pads with computed values, of dynamic or negative size, of a tensor that is
// collapsed, and those that ask for a copy remain.
// CHECK-LABEL: func.func @others(
// CHECK-NOT: linalg.fill
// CHECK-COUNT-5: tensor.pad
func.func @others(%a: tensor<8xf32>, %b: tensor<4x8xf32>, %s: f32, %n: index) -> (tensor<9xf32>, tensor<8xf32>, tensor<?xf32>, tensor<7xf32>, tensor<5x8xf32>, tensor<32xf32>) {
  %zero = arith.constant 0.0 : f32
  %p = tensor.pad %a low[1] high[0] {
  ^bb0(%i: index):
    tensor.yield %s : f32
  } : tensor<8xf32> to tensor<9xf32>
  %q = tensor.pad %a nofold low[0] high[0] {
  ^bb0(%i: index):
    tensor.yield %zero : f32
  } : tensor<8xf32> to tensor<8xf32>
  %r = tensor.pad %a low[%n] high[0] {
  ^bb0(%i: index):
    tensor.yield %zero : f32
  } : tensor<8xf32> to tensor<?xf32>
  %t = tensor.pad %a low[1] high[-2] {
  ^bb0(%i: index):
    tensor.yield %zero : f32
  } : tensor<8xf32> to tensor<7xf32>
  %u = tensor.pad %b low[1, 0] high[0, 0] {
  ^bb0(%i: index, %j: index):
    tensor.yield %zero : f32
  } : tensor<4x8xf32> to tensor<5x8xf32>
  %v = tensor.collapse_shape %b [[0, 1]] : tensor<4x8xf32> into tensor<32xf32>
  return %p, %q, %r, %t, %u, %v : tensor<9xf32>, tensor<8xf32>, tensor<?xf32>, tensor<7xf32>, tensor<5x8xf32>, tensor<32xf32>
}

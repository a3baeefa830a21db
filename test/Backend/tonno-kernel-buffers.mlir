// RUN: tonno-opt %s --split-input-file --verify-diagnostics --tonno-kernel-buffers | FileCheck %s

// CHECK-LABEL: func.func @add(
// CHECK-SAME:    %[[A:.+]]: memref<4x8xf32>, %[[S:.+]]: memref<f32>,
// CHECK-SAME:    %[[OUT:.+]]: memref<4x8xf32>) {
func.func @add(%a: tensor<4x8xf32>, %s: f32) -> tensor<4x8xf32> {
  // CHECK-DAG: %[[TENSOR:.+]] = bufferization.to_tensor %[[A]] restrict :
  // CHECK-DAG: %[[SCALAR:.+]] = memref.load %[[S]][]
  // CHECK:     %[[FILLED:.+]] = linalg.fill ins(%[[SCALAR]]
  // CHECK:     %[[SUM:.+]] = linalg.add ins(%[[TENSOR]], %[[FILLED]]
  // CHECK:     bufferization.materialize_in_destination %[[SUM]] in restrict writable %[[OUT]]
  // CHECK:     return{{$}}
  %e = tensor.empty() : tensor<4x8xf32>
  %f = linalg.fill ins(%s : f32) outs(%e : tensor<4x8xf32>) -> tensor<4x8xf32>
  %r = linalg.add ins(%a, %f : tensor<4x8xf32>, tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) -> tensor<4x8xf32>
  return %r : tensor<4x8xf32>
}

// -----

// An argument is read only: where an op would write into it, it is copied.
// CHECK-LABEL: func.func @accumulate(
func.func @accumulate(%a: tensor<4x8xf32>, %b: tensor<8x4xf32>, %c: tensor<4x4xf32>) -> tensor<4x4xf32> {
  // CHECK: %[[C:.+]] = bufferization.to_tensor %arg2 restrict :
  // CHECK: %[[EMPTY:.+]] = tensor.empty()
  // CHECK: %[[COPY:.+]] = bufferization.materialize_in_destination %[[C]] in %[[EMPTY]]
  // CHECK: linalg.matmul {{.*}} outs(%[[COPY]]
  %r = linalg.matmul ins(%a, %b : tensor<4x8xf32>, tensor<8x4xf32>) outs(%c : tensor<4x4xf32>) -> tensor<4x4xf32>
  return %r : tensor<4x4xf32>
}

// -----

// expected-error @+1 {{kernel 'dynamic' takes or returns 'tensor<?xf32>'; only tensors of static shape and scalars have a buffer}}
func.func @dynamic(%a: tensor<?xf32>) -> tensor<?xf32> {
  return %a : tensor<?xf32>
}

// -----

// Only public functions are kernels.
// CHECK-LABEL: func.func private @helper(
// CHECK-SAME:    %{{.+}}: tensor<4xf32>) -> tensor<4xf32>
func.func private @helper(%a: tensor<4xf32>) -> tensor<4xf32> {
  return %a : tensor<4xf32>
}

// RUN: tonno-opt %s --tonno-block-dynamic | FileCheck %s

// CHECK-LABEL: func.func @relu(
// CHECK-SAME: %[[X:.*]]: memref<1xf32> {tonno.alignment = 16 : i64}, %[[OUT:.*]]: memref<1xf32>, %[[M64:.*]]: i64 {tonno.alignment = 8 : i64})
// CHECK-DAG: %[[M:.*]] = arith.index_cast %[[M64]] : i64 to index
// CHECK: %[[VIEW:.*]] = memref.reinterpret_cast %[[X]] to offset: [0], sizes: [%[[M]], 64], strides: [64, 1] : memref<1xf32> to memref<?x64xf32>
// CHECK: %[[T:.*]] = bufferization.to_tensor %[[VIEW]] restrict
// CHECK: %[[EMPTY:.*]] = tensor.empty(%[[M]]) : tensor<?x64xf32>
// CHECK: %[[C256:.*]] = arith.constant 256 : index
// CHECK: %[[REST:.*]] = arith.remui %[[M]], %[[C256]]
// CHECK: %[[END:.*]] = arith.subi %[[M]], %[[REST]]
// CHECK: %[[R256:.*]] = scf.for %[[I:.*]] = %{{.*}} to %[[END]] step %[[C256]] iter_args(%[[INIT:.*]] = %[[EMPTY]])
// CHECK: %[[S:.*]] = tensor.extract_slice %[[T]][%[[I]], 0] [256, 64] [1, 1] : tensor<?x64xf32> to tensor<256x64xf32>
// CHECK: %[[B:.*]] = linalg.max {tonno.lowering_config = {workgroup = [8, 0]}} ins(%[[S]], {{.*}} : tensor<256x64xf32>, tensor<256x64xf32>)
// CHECK: %[[W:.*]] = tensor.insert_slice %[[B]] into %[[INIT]][%[[I]], 0] [256, 64] [1, 1]
// CHECK: scf.yield %[[W]]
// CHECK: scf.for %{{.*}} = %[[END]] to %{{.*}} step %{{.*}} iter_args(%{{.*}} = %[[R256]])
// CHECK: tensor<64x64xf32>
// CHECK: tensor<16x64xf32>
// CHECK: tensor<4x64xf32>
// CHECK: scf.for %{{.*}} = %{{.*}} to %[[M]] step
// CHECK: tensor<1x64xf32>
// CHECK: %[[O:.*]] = memref.reinterpret_cast %[[OUT]]
// CHECK: bufferization.materialize_in_destination %{{.*}} in restrict writable %[[O]]
// CHECK-NOT: func.func
func.func @relu(%x: tensor<?x64xf32>) -> tensor<?x64xf32> {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %m = tensor.dim %x, %c0 : tensor<?x64xf32>
  %empty = tensor.empty(%m) : tensor<?x64xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x64xf32>) -> tensor<?x64xf32>
  %r = linalg.max {tonno.lowering_config = {workgroup = [8, 0]}}
      ins(%x, %zeros : tensor<?x64xf32>, tensor<?x64xf32>) outs(%empty : tensor<?x64xf32>) -> tensor<?x64xf32>
  return %r : tensor<?x64xf32>
}

// Two dimensions have nested loops; static arguments stay.
// CHECK-LABEL: func.func @product(
// CHECK-SAME: %{{.*}}: memref<1xf32> {tonno.alignment = 16 : i64}, %{{.*}}: memref<1xf32> {tonno.alignment = 16 : i64}, %{{.*}}: tensor<32xf32>, %{{.*}}: memref<1xf32> {tonno.alignment = 16 : i64}, %{{.*}}: memref<1xf32>, %[[M64:.*]]: i64 {tonno.alignment = 8 : i64}, %[[N64:.*]]: i64 {tonno.alignment = 8 : i64})
// CHECK: scf.for {{.*}} step %c256
// CHECK: scf.for {{.*}} step %c256
// CHECK: linalg.matmul ins(%{{.*}}, %{{.*}} : tensor<256x32xf32>, tensor<32x256xf32>)
// CHECK: linalg.matmul ins(%{{.*}}, %{{.*}} : tensor<256x32xf32>, tensor<32x1xf32>)
// CHECK: linalg.matmul ins(%{{.*}}, %{{.*}} : tensor<1x32xf32>, tensor<32x1xf32>)
func.func @product(%a: tensor<?x32xf32>, %b: tensor<32x?xf32>, %unused: tensor<32xf32>,
                   %c: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %r = linalg.matmul ins(%a, %b : tensor<?x32xf32>, tensor<32x?xf32>)
      outs(%c : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

// CHECK-LABEL: func.func @memory(
// CHECK-SAME: %{{.*}}: memref<1xf32> {tonno.alignment = 64 : i64}, %{{.*}}: memref<1xf32> {tonno.alignment = 64 : i64}, %{{.*}}: i64 {tonno.alignment = 8 : i64})
// CHECK: scf.for
// CHECK: memref.subview %{{.*}}[%{{.*}}, 0] [256, 8] [1, 1] : memref<?x8xf32> to memref<256x8xf32, strided<[8, 1], offset: ?>>
// CHECK: linalg.exp
func.func @memory(%x: memref<?x8xf32>, %y: memref<?x8xf32>) {
  linalg.exp ins(%x : memref<?x8xf32>) outs(%y : memref<?x8xf32>)
  return
}

// A dimension that ops need to be equal to a known size takes no size, and may
// be reduced.
// CHECK-LABEL: func.func @known(
// CHECK-SAME: %{{.*}}: i64 {tonno.alignment = 8 : i64})
// CHECK-NOT: i64 {tonno
// CHECK: linalg.matmul ins(%{{.*}}, %{{.*}} : tensor<256x48xf32>, tensor<48x8xf32>)
func.func @known(%a: tensor<?x?xf32>, %b: tensor<48x8xf32>, %c: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %r = linalg.matmul ins(%a, %b : tensor<?x?xf32>, tensor<48x8xf32>)
      outs(%c : tensor<?x8xf32>) -> tensor<?x8xf32>
  return %r : tensor<?x8xf32>
}

// CHECK-LABEL: func.func @static(%{{.*}}: tensor<4xf32>) -> tensor<4xf32>
func.func @static(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}

// RUN: tonno-opt %s --tonno-size-arguments | FileCheck %s
// RUN: tonno-opt %s --tonno-size-arguments=chip=x86-64-v3 | FileCheck %s --check-prefix=CHIP

// CHIP: #[[$MOST:.*]] = affine_map<()[s0] -> (s0, 127)>

// CHECK-LABEL: func.func @relu(
// CHECK-SAME: %[[X:.*]]: memref<1xf32> {tonno.alignment = 16 : i64}, %[[OUT:.*]]: memref<1xf32>, %[[M64:.*]]: i64 {tonno.alignment = 8 : i64}) attributes {tonno.sizes = 1 : i64}
// CHECK-DAG: %[[M:.*]] = arith.index_cast %[[M64]] : i64 to index
// CHECK: %[[VIEW:.*]] = memref.reinterpret_cast %[[X]] to offset: [0], sizes: [%[[M]], 64], strides: [64, 1] : memref<1xf32> to memref<?x64xf32>
// CHECK: %[[T:.*]] = bufferization.to_tensor %[[VIEW]] restrict
// CHECK: %[[EMPTY:.*]] = tensor.empty(%[[M]]) : tensor<?x64xf32>
// CHECK: %[[B:.*]] = linalg.max {tonno.lowering_config = {workgroup = [8, 0]}} ins(%[[T]], {{.*}} : tensor<?x64xf32>, tensor<?x64xf32>) outs(%[[EMPTY]]
// CHECK: %[[O:.*]] = memref.reinterpret_cast %[[OUT]]
// CHECK: bufferization.materialize_in_destination %[[B]] in restrict writable %[[O]]
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

// Each dimension has one size, in order of appearance; static arguments stay.
// CHECK-LABEL: func.func @product(
// CHECK-SAME: %{{.*}}: memref<1xf32> {tonno.alignment = 16 : i64}, %{{.*}}: memref<1xf32> {tonno.alignment = 16 : i64}, %{{.*}}: tensor<32xf32>, %{{.*}}: memref<1xf32> {tonno.alignment = 16 : i64}, %{{.*}}: memref<1xf32>, %[[M64:.*]]: i64 {tonno.alignment = 8 : i64}, %[[N64:.*]]: i64 {tonno.alignment = 8 : i64})
// CHECK-NOT: scf.if
// CHIP-LABEL: func.func @product(
// CHIP-NOT: scf.if
// CHIP: linalg.matmul {tonno.lowering_config =
func.func @product(%a: tensor<?x32xf32>, %b: tensor<32x?xf32>, %unused: tensor<32xf32>,
                   %c: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %r = linalg.matmul ins(%a, %b : tensor<?x32xf32>, tensor<32x?xf32>)
      outs(%c : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

// With defaults, few rows have their own, and a size that is known to be small.
// CHIP-LABEL: func.func @dense(
// CHIP: %[[FEW:.*]] = arith.constant 128 : index
// CHIP: %[[IS_FEW:.*]] = arith.cmpi slt, %[[M:.*]], %[[FEW]] : index
// CHIP: scf.if %[[IS_FEW]] {
// CHIP: affine.min #[[$MOST]]()[%[[M]]]
// CHIP: linalg.matmul {tonno.lowering_config =
// CHIP: bufferization.materialize_in_destination
// CHIP: } else {
// CHIP: linalg.matmul {tonno.lowering_config =
// CHIP: bufferization.materialize_in_destination
func.func @dense(%a: tensor<?x256xf32>, %b: tensor<256x256xf32>, %c: tensor<?x256xf32>) -> tensor<?x256xf32> {
  %r = linalg.matmul ins(%a, %b : tensor<?x256xf32>, tensor<256x256xf32>)
      outs(%c : tensor<?x256xf32>) -> tensor<?x256xf32>
  return %r : tensor<?x256xf32>
}

// CHECK-LABEL: func.func @memory(
// CHECK-SAME: %{{.*}}: memref<1xf32> {tonno.alignment = 64 : i64}, %{{.*}}: memref<1xf32> {tonno.alignment = 64 : i64}, %{{.*}}: i64 {tonno.alignment = 8 : i64})
// CHECK: linalg.exp ins(%{{.*}} : memref<?x8xf32>)
func.func @memory(%x: memref<?x8xf32>, %y: memref<?x8xf32>) {
  linalg.exp ins(%x : memref<?x8xf32>) outs(%y : memref<?x8xf32>)
  return
}

// A dimension that ops need to be equal to a known size takes no size.
// CHECK-LABEL: func.func @known(
// CHECK-SAME: %{{.*}}: i64 {tonno.alignment = 8 : i64})
// CHECK-NOT: i64 {tonno
// CHECK: linalg.matmul ins(%{{.*}}, %{{.*}} : tensor<?x48xf32>, tensor<48x8xf32>)
func.func @known(%a: tensor<?x?xf32>, %b: tensor<48x8xf32>, %c: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %r = linalg.matmul ins(%a, %b : tensor<?x?xf32>, tensor<48x8xf32>)
      outs(%c : tensor<?x8xf32>) -> tensor<?x8xf32>
  return %r : tensor<?x8xf32>
}

// CHECK-LABEL: func.func @static(%{{.*}}: tensor<4xf32>) -> tensor<4xf32>
func.func @static(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}

// -----

// Ops behind a branch stay there.
// CHECK-LABEL: func.func @behind(
// CHECK:         scf.if
// CHECK:         linalg.exp {{.*}}outs(%{{.*}} : memref<?xf32>)
// CHECK:         return
func.func @behind(%x: tensor<?xf32>, %o: memref<?xf32>, %c: i1) -> tensor<?xf32> {
  %r = scf.if %c -> tensor<?xf32> {
    scf.yield %x : tensor<?xf32>
  } else {
    %y = arith.addf %x, %x : tensor<?xf32>
    scf.yield %y : tensor<?xf32>
  }
  linalg.exp ins(%o : memref<?xf32>) outs(%o : memref<?xf32>)
  return %r : tensor<?xf32>
}

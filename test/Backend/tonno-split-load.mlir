// RUN: tonno-opt %s --split-input-file --tonno-split-load | FileCheck %s

#constant = [{alignment = 16 : i64, type = memref<64xf32>}, {alignment = 16 : i64, constant, type = memref<64xf32>}, {alignment = 64 : i64, type = memref<64xf32>}]

// What is computed from the constant argument alone becomes an argument, of
// which another function writes the contents.
// CHECK-LABEL: func.func @scaled(
//  CHECK-SAME:     %[[A:.+]]: memref<64xf32>, %{{.+}}: memref<64xf32>, %{{.+}}: memref<64xf32>, %[[L:.+]]: memref<64xf32>)
//  CHECK-SAME:     tonno.load = {constants = [1], count = 1 : i64, first_loaded = 3 : i64, function = "scaled_load"}
//       CHECK:   %[[ROOTS:.+]] = bufferization.to_tensor %[[L]] restrict
//   CHECK-NOT:   linalg.rsqrt
//       CHECK:   linalg.mul ins(%{{.+}}, %[[ROOTS]] :
// CHECK-LABEL: func.func @scaled_load(
//  CHECK-SAME:     %[[W:.+]]: memref<64xf32>, %[[L:.+]]: memref<64xf32>)
//       CHECK:   %[[WEIGHTS:.+]] = bufferization.to_tensor %[[W]] restrict
//       CHECK:   %[[ROOTS:.+]] = linalg.rsqrt ins(%[[WEIGHTS]] :
//       CHECK:   bufferization.materialize_in_destination %[[ROOTS]] in restrict writable %[[L]]
func.func @scaled(%a: memref<64xf32>, %w: memref<64xf32>, %r: memref<64xf32>) attributes {tonno.buffers = #constant} {
  %values = bufferization.to_tensor %a restrict : memref<64xf32> to tensor<64xf32>
  %weights = bufferization.to_tensor %w restrict : memref<64xf32> to tensor<64xf32>
  %empty = tensor.empty() : tensor<64xf32>
  %roots = linalg.rsqrt ins(%weights : tensor<64xf32>) outs(%empty : tensor<64xf32>) -> tensor<64xf32>
  %product = linalg.mul ins(%values, %roots : tensor<64xf32>, tensor<64xf32>) outs(%empty : tensor<64xf32>) -> tensor<64xf32>
  bufferization.materialize_in_destination %product in restrict writable %r : (tensor<64xf32>, memref<64xf32>) -> ()
  return
}

// -----

#changing = [{alignment = 16 : i64, type = memref<64xf32>}, {alignment = 16 : i64, type = memref<64xf32>}]

// Without constant arguments, nothing is split.
// CHECK-LABEL: func.func @changing(
//  CHECK-SAME:     %{{[^,]+}}: memref<64xf32>, %{{[^,]+}}: memref<64xf32>) attributes
//   CHECK-NOT:   tonno.load
//       CHECK:   linalg.rsqrt
//   CHECK-NOT: func.func
func.func @changing(%w: memref<64xf32>, %r: memref<64xf32>) attributes {tonno.buffers = #changing} {
  %weights = bufferization.to_tensor %w restrict : memref<64xf32> to tensor<64xf32>
  %empty = tensor.empty() : tensor<64xf32>
  %roots = linalg.rsqrt ins(%weights : tensor<64xf32>) outs(%empty : tensor<64xf32>) -> tensor<64xf32>
  bufferization.materialize_in_destination %roots in restrict writable %r : (tensor<64xf32>, memref<64xf32>) -> ()
  return
}

// -----

#wide = [{alignment = 16 : i64, type = memref<8x64xf32>}, {alignment = 16 : i64, constant, type = memref<64xf32>}, {alignment = 64 : i64, type = memref<8x64xf32>}]

// A value that is larger than its source stays in the kernel, and so does a
// view: reading the source takes less time.
// CHECK-LABEL: func.func @broadcast(
//   CHECK-NOT:   tonno.load
//       CHECK:   linalg.broadcast
//   CHECK-NOT: func.func
func.func @broadcast(%a: memref<8x64xf32>, %w: memref<64xf32>, %r: memref<8x64xf32>) attributes {tonno.buffers = #wide} {
  %values = bufferization.to_tensor %a restrict : memref<8x64xf32> to tensor<8x64xf32>
  %weights = bufferization.to_tensor %w restrict : memref<64xf32> to tensor<64xf32>
  %squares = tensor.expand_shape %weights [[0, 1]] output_shape [8, 8] : tensor<64xf32> into tensor<8x8xf32>
  %row = tensor.extract_slice %squares[0, 0] [1, 8] [1, 1] : tensor<8x8xf32> to tensor<8xf32>
  %empty = tensor.empty() : tensor<8x64xf32>
  %rows = linalg.broadcast ins(%weights : tensor<64xf32>) outs(%empty : tensor<8x64xf32>) dimensions = [0]
  %columns = linalg.broadcast ins(%row : tensor<8xf32>) outs(%empty : tensor<8x64xf32>) dimensions = [1]
  %sum = linalg.add ins(%rows, %columns : tensor<8x64xf32>, tensor<8x64xf32>) outs(%empty : tensor<8x64xf32>) -> tensor<8x64xf32>
  %product = linalg.mul ins(%values, %sum : tensor<8x64xf32>, tensor<8x64xf32>) outs(%empty : tensor<8x64xf32>) -> tensor<8x64xf32>
  bufferization.materialize_in_destination %product in restrict writable %r : (tensor<8x64xf32>, memref<8x64xf32>) -> ()
  return
}

// -----

#normed = [{alignment = 16 : i64, type = memref<8x64xf32>}, {alignment = 16 : i64, constant, type = memref<64xf32>}, {alignment = 64 : i64, type = memref<8x64xf32>}]

// Of a value that is broadcast, the part before the broadcast moves.
// CHECK-LABEL: func.func @normed(
//   CHECK-NOT:   linalg.rsqrt
//       CHECK:   linalg.broadcast
// CHECK-LABEL: func.func @normed_load(
//       CHECK:   linalg.rsqrt
//   CHECK-NOT:   linalg.broadcast
func.func @normed(%a: memref<8x64xf32>, %w: memref<64xf32>, %r: memref<8x64xf32>) attributes {tonno.buffers = #normed} {
  %values = bufferization.to_tensor %a restrict : memref<8x64xf32> to tensor<8x64xf32>
  %weights = bufferization.to_tensor %w restrict : memref<64xf32> to tensor<64xf32>
  %row = tensor.empty() : tensor<64xf32>
  %roots = linalg.rsqrt ins(%weights : tensor<64xf32>) outs(%row : tensor<64xf32>) -> tensor<64xf32>
  %empty = tensor.empty() : tensor<8x64xf32>
  %rows = linalg.broadcast ins(%roots : tensor<64xf32>) outs(%empty : tensor<8x64xf32>) dimensions = [0]
  %product = linalg.mul ins(%values, %rows : tensor<8x64xf32>, tensor<8x64xf32>) outs(%empty : tensor<8x64xf32>) -> tensor<8x64xf32>
  bufferization.materialize_in_destination %product in restrict writable %r : (tensor<8x64xf32>, memref<8x64xf32>) -> ()
  return
}

// -----

#sums = [{alignment = 16 : i64, type = memref<8x64xf32>}, {alignment = 16 : i64, constant, type = memref<64x64xf32>}, {alignment = 64 : i64, type = memref<8x64xf32>}]

// Sums stay in the kernel: bounds of its time count them.
// CHECK-LABEL: func.func @sums(
//   CHECK-NOT:   tonno.load
//       CHECK:   linalg.matmul
//       CHECK:   linalg.matmul
//   CHECK-NOT: func.func
func.func @sums(%a: memref<8x64xf32>, %w: memref<64x64xf32>, %r: memref<8x64xf32>) attributes {tonno.buffers = #sums} {
  %values = bufferization.to_tensor %a restrict : memref<8x64xf32> to tensor<8x64xf32>
  %weights = bufferization.to_tensor %w restrict : memref<64x64xf32> to tensor<64x64xf32>
  %square = tensor.empty() : tensor<64x64xf32>
  %squares = linalg.matmul ins(%weights, %weights : tensor<64x64xf32>, tensor<64x64xf32>) outs(%square : tensor<64x64xf32>) -> tensor<64x64xf32>
  %empty = tensor.empty() : tensor<8x64xf32>
  %product = linalg.matmul ins(%values, %squares : tensor<8x64xf32>, tensor<64x64xf32>) outs(%empty : tensor<8x64xf32>) -> tensor<8x64xf32>
  bufferization.materialize_in_destination %product in restrict writable %r : (tensor<8x64xf32>, memref<8x64xf32>) -> ()
  return
}

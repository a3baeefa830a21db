// expect: tuned
// Public functions that are kernels, and parts of another kernel.
func.func @up(%x: tensor<16x32xf32>, %w: tensor<32x64xf32>, %y: tensor<16x64xf32>) -> tensor<16x64xf32> {
  %r = linalg.matmul ins(%x, %w : tensor<16x32xf32>, tensor<32x64xf32>) outs(%y : tensor<16x64xf32>) -> tensor<16x64xf32>
  return %r : tensor<16x64xf32>
}
func.func @down(%x: tensor<16x64xf32>, %w: tensor<64x32xf32>, %y: tensor<16x32xf32>) -> tensor<16x32xf32> {
  %r = linalg.matmul ins(%x, %w : tensor<16x64xf32>, tensor<64x32xf32>) outs(%y : tensor<16x32xf32>) -> tensor<16x32xf32>
  return %r : tensor<16x32xf32>
}
func.func @block(%x: tensor<16x32xf32>, %w0: tensor<32x64xf32>, %w1: tensor<64x32xf32>, %y: tensor<16x64xf32>) -> tensor<16x32xf32> {
  %0 = call @up(%x, %w0, %y) : (tensor<16x32xf32>, tensor<32x64xf32>, tensor<16x64xf32>) -> tensor<16x64xf32>
  %1 = call @down(%0, %w1, %x) : (tensor<16x64xf32>, tensor<64x32xf32>, tensor<16x32xf32>) -> tensor<16x32xf32>
  return %1 : tensor<16x32xf32>
}

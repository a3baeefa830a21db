// Small matrix products, one after another.
func.func @batch_matmul(%a: tensor<16x128x64xf32>, %b: tensor<16x64x128xf32>) -> tensor<16x128x128xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<16x128x128xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<16x128x128xf32>) -> tensor<16x128x128xf32>
  %r = linalg.batch_matmul ins(%a, %b : tensor<16x128x64xf32>, tensor<16x64x128xf32>)
                           outs(%init : tensor<16x128x128xf32>) -> tensor<16x128x128xf32>
  return %r : tensor<16x128x128xf32>
}

// 3x3 at every other pixel.
func.func @kernel(%x: tensor<1x57x57x64xf32>, %w: tensor<3x3x64x128xf32>) -> tensor<1x28x28x128xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<1x28x28x128xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<1x28x28x128xf32>) -> tensor<1x28x28x128xf32>
  %r = linalg.conv_2d_nhwc_hwcf {dilations = dense<1> : tensor<2xi64>, strides = dense<2> : tensor<2xi64>}
      ins(%x, %w : tensor<1x57x57x64xf32>, tensor<3x3x64x128xf32>) outs(%init : tensor<1x28x28x128xf32>) -> tensor<1x28x28x128xf32>
  return %r : tensor<1x28x28x128xf32>
}

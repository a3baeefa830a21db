// The first layer of a ResNet: 7x7 at every other pixel of three colours.
func.func @kernel(%x: tensor<1x230x230x3xf32>, %w: tensor<7x7x3x64xf32>) -> tensor<1x112x112x64xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<1x112x112x64xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<1x112x112x64xf32>) -> tensor<1x112x112x64xf32>
  %r = linalg.conv_2d_nhwc_hwcf {dilations = dense<1> : tensor<2xi64>, strides = dense<2> : tensor<2xi64>}
      ins(%x, %w : tensor<1x230x230x3xf32>, tensor<7x7x3x64xf32>) outs(%init : tensor<1x112x112x64xf32>) -> tensor<1x112x112x64xf32>
  return %r : tensor<1x112x112x64xf32>
}

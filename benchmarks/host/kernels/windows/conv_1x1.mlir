// 1x1, a matrix product.
func.func @kernel(%x: tensor<1x56x56x64xf32>, %w: tensor<1x1x64x256xf32>) -> tensor<1x56x56x256xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<1x56x56x256xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<1x56x56x256xf32>) -> tensor<1x56x56x256xf32>
  %r = linalg.conv_2d_nhwc_hwcf {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>}
      ins(%x, %w : tensor<1x56x56x64xf32>, tensor<1x1x64x256xf32>) outs(%init : tensor<1x56x56x256xf32>) -> tensor<1x56x56x256xf32>
  return %r : tensor<1x56x56x256xf32>
}

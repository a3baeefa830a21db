// 3x3 of each channel, channels first.
func.func @kernel(%x: tensor<1x128x58x58xf32>, %w: tensor<128x3x3xf32>) -> tensor<1x128x56x56xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<1x128x56x56xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<1x128x56x56xf32>) -> tensor<1x128x56x56xf32>
  %r = linalg.depthwise_conv_2d_nchw_chw {dilations = dense<1> : vector<2xi64>, strides = dense<1> : vector<2xi64>}
      ins(%x, %w : tensor<1x128x58x58xf32>, tensor<128x3x3xf32>)
      outs(%init : tensor<1x128x56x56xf32>) -> tensor<1x128x56x56xf32>
  return %r : tensor<1x128x56x56xf32>
}

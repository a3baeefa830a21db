// 3x3 in 8 groups of 16 channels, channels first, as torch-mlir lowers it.
func.func @kernel(%x: tensor<1x128x30x30xf32>, %w: tensor<128x16x3x3xf32>) -> tensor<1x128x28x28xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<1x128x28x28xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<1x128x28x28xf32>) -> tensor<1x128x28x28xf32>
  %xs = tensor.expand_shape %x [[0], [1, 2], [3], [4]] output_shape [1, 8, 16, 30, 30] : tensor<1x128x30x30xf32> into tensor<1x8x16x30x30xf32>
  %ws = tensor.expand_shape %w [[0, 1], [2], [3], [4]] output_shape [8, 16, 16, 3, 3] : tensor<128x16x3x3xf32> into tensor<8x16x16x3x3xf32>
  %inits = tensor.expand_shape %init [[0], [1, 2], [3], [4]] output_shape [1, 8, 16, 28, 28] : tensor<1x128x28x28xf32> into tensor<1x8x16x28x28xf32>
  %r = linalg.conv_2d_ngchw_gfchw {dilations = dense<1> : vector<2xi64>, strides = dense<1> : vector<2xi64>}
      ins(%xs, %ws : tensor<1x8x16x30x30xf32>, tensor<8x16x16x3x3xf32>)
      outs(%inits : tensor<1x8x16x28x28xf32>) -> tensor<1x8x16x28x28xf32>
  %whole = tensor.collapse_shape %r [[0], [1, 2], [3], [4]] : tensor<1x8x16x28x28xf32> into tensor<1x128x28x28xf32>
  return %whole : tensor<1x128x28x28xf32>
}

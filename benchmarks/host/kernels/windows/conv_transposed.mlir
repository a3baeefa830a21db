// A transposed 3x3 convolution that doubles 28x28 pixels, as JAX lowers it.
func.func @kernel(%x: tensor<1x28x28x64xf32>, %w: tensor<3x3x64x32xf32>) -> tensor<1x56x56x32xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<1x56x56x32xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<1x56x56x32xf32>) -> tensor<1x56x56x32xf32>
  %frame = tensor.empty() : tensor<1x58x58x64xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%frame : tensor<1x58x58x64xf32>) -> tensor<1x58x58x64xf32>
  %spread = tensor.insert_slice %x into %zeros[0, 2, 2, 0] [1, 28, 28, 64] [1, 2, 2, 1] : tensor<1x28x28x64xf32> into tensor<1x58x58x64xf32>
  %r = linalg.conv_2d_nhwc_hwcf {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>}
      ins(%spread, %w : tensor<1x58x58x64xf32>, tensor<3x3x64x32xf32>)
      outs(%init : tensor<1x56x56x32xf32>) -> tensor<1x56x56x32xf32>
  return %r : tensor<1x56x56x32xf32>
}

// 3x3 of 8-bit integers, summed in 32 bits.
func.func @kernel(%x: tensor<1x58x58x64xi8>, %w: tensor<3x3x64x64xi8>) -> tensor<1x56x56x64xi32> {
  %zero = arith.constant 0 : i32
  %empty = tensor.empty() : tensor<1x56x56x64xi32>
  %init = linalg.fill ins(%zero : i32) outs(%empty : tensor<1x56x56x64xi32>) -> tensor<1x56x56x64xi32>
  %r = linalg.conv_2d_nhwc_hwcf {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>}
      ins(%x, %w : tensor<1x58x58x64xi8>, tensor<3x3x64x64xi8>) outs(%init : tensor<1x56x56x64xi32>) -> tensor<1x56x56x64xi32>
  return %r : tensor<1x56x56x64xi32>
}

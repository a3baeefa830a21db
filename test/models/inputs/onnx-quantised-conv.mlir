// expect: tuned
func.func @main(%arg0: tensor<1x8x8x4xi8>, %arg1: tensor<3x3x4x8xi8>, %izp: i32, %fzp: i32) -> tensor<1x6x6x8xi32> {
  %c0_i32 = arith.constant 0 : i32
  %0 = tensor.empty() : tensor<1x6x6x8xi32>
  %1 = linalg.fill ins(%c0_i32 : i32) outs(%0 : tensor<1x6x6x8xi32>) -> tensor<1x6x6x8xi32>
  %2 = linalg.conv_2d_nhwc_hwcf_q {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>} ins(%arg0, %arg1, %izp, %fzp : tensor<1x8x8x4xi8>, tensor<3x3x4x8xi8>, i32, i32) outs(%1 : tensor<1x6x6x8xi32>) -> tensor<1x6x6x8xi32>
  return %2 : tensor<1x6x6x8xi32>
}

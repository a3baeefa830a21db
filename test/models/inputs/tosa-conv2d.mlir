// expect: tuned
func.func @conv(%arg0: tensor<1x12x12x4xf32>, %arg1: tensor<8x3x3x4xf32>, %arg2: tensor<8xf32>) -> tensor<1x12x12x8xf32> {
  %zp = "tosa.const"() <{values = dense<0.000000e+00> : tensor<1xf32>}> : () -> tensor<1xf32>
  %0 = tosa.conv2d %arg0, %arg1, %arg2, %zp, %zp {acc_type = f32, dilation = array<i64: 1, 1>, pad = array<i64: 1, 1, 1, 1>, stride = array<i64: 1, 1>} : (tensor<1x12x12x4xf32>, tensor<8x3x3x4xf32>, tensor<8xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x12x12x8xf32>
  return %0 : tensor<1x12x12x8xf32>
}

// expect: tuned
func.func @main(%arg0: tensor<16x64xf32>) -> tensor<16x64xf32> {
  %0 = tosa.reduce_max %arg0 {axis = 1 : i32} : (tensor<16x64xf32>) -> tensor<16x1xf32>
  %1 = tosa.sub %arg0, %0 : (tensor<16x64xf32>, tensor<16x1xf32>) -> tensor<16x64xf32>
  %2 = tosa.exp %1 : (tensor<16x64xf32>) -> tensor<16x64xf32>
  %3 = tosa.reduce_sum %2 {axis = 1 : i32} : (tensor<16x64xf32>) -> tensor<16x1xf32>
  %4 = tosa.reciprocal %3 : (tensor<16x1xf32>) -> tensor<16x1xf32>
  %5 = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  %6 = tosa.mul %2, %4, %5 : (tensor<16x64xf32>, tensor<16x1xf32>, tensor<1xi8>) -> tensor<16x64xf32>
  return %6 : tensor<16x64xf32>
}

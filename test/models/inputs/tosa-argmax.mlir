// expect: tuned
func.func @top(%arg0: tensor<16x40xf32>) -> tensor<16xi32> {
  %0 = tosa.argmax %arg0 {axis = 1 : i32} : (tensor<16x40xf32>) -> tensor<16xi32>
  return %0 : tensor<16xi32>
}

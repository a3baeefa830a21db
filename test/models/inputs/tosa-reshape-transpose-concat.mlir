// expect: tuned
func.func @shapes(%arg0: tensor<8x24xf32>, %arg1: tensor<4x6x8xf32>) -> tensor<4x6x16xf32> {
  %s = tosa.const_shape {values = dense<[8, 4, 6]> : tensor<3xindex>} : () -> !tosa.shape<3>
  %0 = tosa.reshape %arg0, %s : (tensor<8x24xf32>, !tosa.shape<3>) -> tensor<8x4x6xf32>
  %1 = tosa.transpose %0 {perms = array<i32: 1, 2, 0>} : (tensor<8x4x6xf32>) -> tensor<4x6x8xf32>
  %2 = tosa.concat %1, %arg1 {axis = 2 : i32} : (tensor<4x6x8xf32>, tensor<4x6x8xf32>) -> tensor<4x6x16xf32>
  %3 = tosa.sigmoid %2 : (tensor<4x6x16xf32>) -> tensor<4x6x16xf32>
  return %3 : tensor<4x6x16xf32>
}

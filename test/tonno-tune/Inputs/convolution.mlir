func.func @conv(%image: tensor<1x10x10x4xf32>, %filter: tensor<3x3x4x8xf32>, %init: tensor<1x8x8x8xf32>) -> tensor<1x8x8x8xf32> {
  %0 = linalg.conv_2d_nhwc_hwcf ins(%image, %filter : tensor<1x10x10x4xf32>, tensor<3x3x4x8xf32>)
    outs(%init : tensor<1x8x8x8xf32>) -> tensor<1x8x8x8xf32>
  return %0 : tensor<1x8x8x8xf32>
}

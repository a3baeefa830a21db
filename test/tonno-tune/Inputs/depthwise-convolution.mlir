func.func @conv(%image: tensor<1x10x10x4xf32>, %filter: tensor<3x3x4xf32>, %init: tensor<1x8x8x4xf32>) -> tensor<1x8x8x4xf32> {
  %0 = linalg.depthwise_conv_2d_nhwc_hwc ins(%image, %filter : tensor<1x10x10x4xf32>, tensor<3x3x4xf32>)
    outs(%init : tensor<1x8x8x4xf32>) -> tensor<1x8x8x4xf32>
  return %0 : tensor<1x8x8x4xf32>
}

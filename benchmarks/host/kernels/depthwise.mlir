// A 3x3 convolution of each channel with itself, channels last.
func.func @kernel(%x: tensor<1x@IH@x@IW@x@C@xf32>, %w: tensor<3x3x@C@xf32>) -> tensor<1x@OH@x@OW@x@C@xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<1x@OH@x@OW@x@C@xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<1x@OH@x@OW@x@C@xf32>) -> tensor<1x@OH@x@OW@x@C@xf32>
  %r = linalg.depthwise_conv_2d_nhwc_hwc
      ins(%x, %w : tensor<1x@IH@x@IW@x@C@xf32>, tensor<3x3x@C@xf32>)
      outs(%init : tensor<1x@OH@x@OW@x@C@xf32>) -> tensor<1x@OH@x@OW@x@C@xf32>
  return %r : tensor<1x@OH@x@OW@x@C@xf32>
}

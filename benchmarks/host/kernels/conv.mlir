// A 3x3 convolution, channels last.
func.func @kernel(%x: tensor<1x@IH@x@IW@x@C@xf32>, %w: tensor<3x3x@C@x@F@xf32>) -> tensor<1x@OH@x@OW@x@F@xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<1x@OH@x@OW@x@F@xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<1x@OH@x@OW@x@F@xf32>) -> tensor<1x@OH@x@OW@x@F@xf32>
  %r = linalg.conv_2d_nhwc_hwcf {strides = dense<@S@> : tensor<2xi64>}
      ins(%x, %w : tensor<1x@IH@x@IW@x@C@xf32>, tensor<3x3x@C@x@F@xf32>)
      outs(%init : tensor<1x@OH@x@OW@x@F@xf32>) -> tensor<1x@OH@x@OW@x@F@xf32>
  return %r : tensor<1x@OH@x@OW@x@F@xf32>
}

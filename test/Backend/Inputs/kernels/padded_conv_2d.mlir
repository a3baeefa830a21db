func.func @padded_conv_2d(%a: tensor<1x16x16x8xf32>, %k: tensor<3x3x8x16xf32>) -> tensor<1x16x16x16xf32> {
  %z = arith.constant 0.0 : f32
  %p = tensor.pad %a low[0, 1, 1, 0] high[0, 1, 1, 0] {
  ^bb0(%x: index, %y: index, %w: index, %v: index):
    tensor.yield %z : f32
  } : tensor<1x16x16x8xf32> to tensor<1x18x18x8xf32>
  %e = tensor.empty() : tensor<1x16x16x16xf32>
  %i = linalg.fill ins(%z : f32) outs(%e : tensor<1x16x16x16xf32>) -> tensor<1x16x16x16xf32>
  %c = linalg.conv_2d_nhwc_hwcf {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>} ins(%p, %k : tensor<1x18x18x8xf32>, tensor<3x3x8x16xf32>) outs(%i : tensor<1x16x16x16xf32>) -> tensor<1x16x16x16xf32>
  return %c : tensor<1x16x16x16xf32>
}

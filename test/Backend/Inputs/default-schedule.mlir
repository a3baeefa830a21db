func.func @plain(%x: tensor<1x10x10x16xf32>, %w: tensor<3x3x16x32xf32>, %c: tensor<1x8x8x32xf32>) -> tensor<1x8x8x32xf32> {
  %r = linalg.conv_2d_nhwc_hwcf
      ins(%x, %w : tensor<1x10x10x16xf32>, tensor<3x3x16x32xf32>)
      outs(%c : tensor<1x8x8x32xf32>) -> tensor<1x8x8x32xf32>
  return %r : tensor<1x8x8x32xf32>
}

func.func @configured(%a: tensor<64x64xf32>, %b: tensor<64x64xf32>, %c: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %r = linalg.matmul {tonno.lowering_config = {subgroup = [1, 4, 0]}}
      ins(%a, %b : tensor<64x64xf32>, tensor<64x64xf32>) outs(%c : tensor<64x64xf32>) -> tensor<64x64xf32>
  return %r : tensor<64x64xf32>
}

func.func @stripped(%a: tensor<64x64xf32>, %b: tensor<64xf32>) -> tensor<64x64xf32>
    attributes {tonno.tuned = {verdict = "tie"}} {
  %e = tensor.empty() : tensor<64x64xf32>
  %r = linalg.broadcast ins(%b : tensor<64xf32>) outs(%e : tensor<64x64xf32>) dimensions = [0]
  %s = linalg.add ins(%a, %r : tensor<64x64xf32>, tensor<64x64xf32>) outs(%e : tensor<64x64xf32>) -> tensor<64x64xf32>
  return %s : tensor<64x64xf32>
}

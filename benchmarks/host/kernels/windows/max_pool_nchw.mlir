// The largest of 3x3 at every other pixel, channels first.
func.func @kernel(%x: tensor<1x64x113x113xf32>) -> tensor<1x64x56x56xf32> {
  %least = arith.constant 0xFF800000 : f32
  %empty = tensor.empty() : tensor<1x64x56x56xf32>
  %init = linalg.fill ins(%least : f32) outs(%empty : tensor<1x64x56x56xf32>) -> tensor<1x64x56x56xf32>
  %window = tensor.empty() : tensor<3x3xf32>
  %r = linalg.pooling_nchw_max {dilations = dense<1> : vector<2xi64>, strides = dense<2> : vector<2xi64>}
      ins(%x, %window : tensor<1x64x113x113xf32>, tensor<3x3xf32>)
      outs(%init : tensor<1x64x56x56xf32>) -> tensor<1x64x56x56xf32>
  return %r : tensor<1x64x56x56xf32>
}

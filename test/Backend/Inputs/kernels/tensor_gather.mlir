func.func @tensor_gather(%t: tensor<100x64xf32>, %rows: tensor<32x1xi32>) -> tensor<32x64xf32> {
  %r = tensor.gather %t[%rows] gather_dims([0]) : (tensor<100x64xf32>, tensor<32x1xi32>) -> tensor<32x64xf32>
  return %r : tensor<32x64xf32>
}

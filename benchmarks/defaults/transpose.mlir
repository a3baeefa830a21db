// Rows become columns.
func.func @transpose(%x: tensor<1024x1024xf32>) -> tensor<1024x1024xf32> {
  %empty = tensor.empty() : tensor<1024x1024xf32>
  %r = linalg.transpose ins(%x : tensor<1024x1024xf32>) outs(%empty : tensor<1024x1024xf32>) permutation = [1, 0]
  return %r : tensor<1024x1024xf32>
}

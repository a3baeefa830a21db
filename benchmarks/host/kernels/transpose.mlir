// Rows become columns.
func.func @kernel(%x: tensor<@M@x@N@xf32>) -> tensor<@N@x@M@xf32> {
  %empty = tensor.empty() : tensor<@N@x@M@xf32>
  %r = linalg.transpose ins(%x : tensor<@M@x@N@xf32>) outs(%empty : tensor<@N@x@M@xf32>) permutation = [1, 0]
  return %r : tensor<@N@x@M@xf32>
}

func.func @transpose(%a: tensor<48x64xf32>) -> tensor<64x48xf32> {
  %e = tensor.empty() : tensor<64x48xf32>
  %r = linalg.transpose ins(%a : tensor<48x64xf32>) outs(%e : tensor<64x48xf32>) permutation = [1, 0]
  return %r : tensor<64x48xf32>
}

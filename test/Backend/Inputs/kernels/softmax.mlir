func.func @softmax(%a: tensor<64x100xf32>) -> tensor<64x100xf32> {
  %e = tensor.empty() : tensor<64x100xf32>
  %r = linalg.softmax dimension(1) ins(%a : tensor<64x100xf32>) outs(%e : tensor<64x100xf32>) -> tensor<64x100xf32>
  return %r : tensor<64x100xf32>
}

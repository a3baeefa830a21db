// A softmax that is computed in f32 and rounded once.

func.func @softmax_bf16(%x: tensor<5x130xbf16>) -> tensor<5x130xbf16> {
  %empty = tensor.empty() : tensor<5x130xbf16>
  %result = linalg.softmax dimension(1) ins(%x : tensor<5x130xbf16>)
      outs(%empty : tensor<5x130xbf16>) -> tensor<5x130xbf16>
  return %result : tensor<5x130xbf16>
}

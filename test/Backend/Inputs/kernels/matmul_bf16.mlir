func.func @matmul_bf16(%a: tensor<32x64xbf16>, %b: tensor<64x48xbf16>) -> tensor<32x48xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<32x48xf32>
  %i = linalg.fill ins(%z : f32) outs(%e : tensor<32x48xf32>) -> tensor<32x48xf32>
  %c = linalg.matmul ins(%a, %b : tensor<32x64xbf16>, tensor<64x48xbf16>) outs(%i : tensor<32x48xf32>) -> tensor<32x48xf32>
  return %c : tensor<32x48xf32>
}

func.func @wide(%a: tensor<4096x4096xf16>, %b: tensor<4096x128256xf16>, %c: tensor<4096x128256xf32>) -> tensor<4096x128256xf32> {
  %r = linalg.matmul ins(%a, %b : tensor<4096x4096xf16>, tensor<4096x128256xf16>) outs(%c : tensor<4096x128256xf32>) -> tensor<4096x128256xf32>
  return %r : tensor<4096x128256xf32>
}

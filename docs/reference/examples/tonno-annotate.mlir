// tonno-opt --tonno-annotate=chip=x86_64-linux-gnu:znver4
func.func @matmul(%a: tensor<512x256xf32>, %b: tensor<256x1000xf32>, %c: tensor<512x1000xf32>) -> tensor<512x1000xf32> {
  %r = linalg.matmul ins(%a, %b : tensor<512x256xf32>, tensor<256x1000xf32>) outs(%c : tensor<512x1000xf32>) -> tensor<512x1000xf32>
  return %r : tensor<512x1000xf32>
}

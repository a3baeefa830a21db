// tonno-opt --tonno-vectorize
func.func @product(%a: tensor<8x1xf32>, %b: tensor<1x32xf32>, %c: tensor<8x32xf32>) -> tensor<8x32xf32> {
  %r = linalg.matmul ins(%a, %b : tensor<8x1xf32>, tensor<1x32xf32>) outs(%c : tensor<8x32xf32>) -> tensor<8x32xf32>
  return %r : tensor<8x32xf32>
}

// A matrix product that no power of two divides.
func.func @matmul_uneven(%a: tensor<500x200xf32>, %b: tensor<200x300xf32>) -> tensor<500x300xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<500x300xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<500x300xf32>) -> tensor<500x300xf32>
  %r = linalg.matmul ins(%a, %b : tensor<500x200xf32>, tensor<200x300xf32>)
                     outs(%init : tensor<500x300xf32>) -> tensor<500x300xf32>
  return %r : tensor<500x300xf32>
}

// A matrix by a vector.
func.func @kernel(%a: tensor<@M@x@K@xf32>, %x: tensor<@K@xf32>) -> tensor<@M@xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<@M@xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<@M@xf32>) -> tensor<@M@xf32>
  %r = linalg.matvec ins(%a, %x : tensor<@M@x@K@xf32>, tensor<@K@xf32>) outs(%init : tensor<@M@xf32>) -> tensor<@M@xf32>
  return %r : tensor<@M@xf32>
}

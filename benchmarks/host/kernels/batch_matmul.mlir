// As many matrix products.
func.func @kernel(%a: tensor<@B@x@M@x@K@xf32>, %b: tensor<@B@x@K@x@N@xf32>) -> tensor<@B@x@M@x@N@xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<@B@x@M@x@N@xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<@B@x@M@x@N@xf32>) -> tensor<@B@x@M@x@N@xf32>
  %r = linalg.batch_matmul ins(%a, %b : tensor<@B@x@M@x@K@xf32>, tensor<@B@x@K@x@N@xf32>)
                           outs(%init : tensor<@B@x@M@x@N@xf32>) -> tensor<@B@x@M@x@N@xf32>
  return %r : tensor<@B@x@M@x@N@xf32>
}

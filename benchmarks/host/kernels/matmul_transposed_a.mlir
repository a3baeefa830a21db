// The first operand's columns by the second one's columns.
#a = affine_map<(m, n, k) -> (k, m)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>
func.func @kernel(%a: tensor<@K@x@M@xf32>, %b: tensor<@K@x@N@xf32>) -> tensor<@M@x@N@xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<@M@x@N@xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<@M@x@N@xf32>) -> tensor<@M@x@N@xf32>
  %r = linalg.matmul indexing_maps = [#a, #b, #c] ins(%a, %b : tensor<@K@x@M@xf32>, tensor<@K@x@N@xf32>)
                     outs(%init : tensor<@M@x@N@xf32>) -> tensor<@M@x@N@xf32>
  return %r : tensor<@M@x@N@xf32>
}

// The first operand's rows by the second one's rows.
#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (n, k)>
#c = affine_map<(m, n, k) -> (m, n)>
func.func @kernel(%a: tensor<@M@x@K@xf32>, %b: tensor<@N@x@K@xf32>) -> tensor<@M@x@N@xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<@M@x@N@xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<@M@x@N@xf32>) -> tensor<@M@x@N@xf32>
  %r = linalg.matmul indexing_maps = [#a, #b, #c] ins(%a, %b : tensor<@M@x@K@xf32>, tensor<@N@x@K@xf32>)
                     outs(%init : tensor<@M@x@N@xf32>) -> tensor<@M@x@N@xf32>
  return %r : tensor<@M@x@N@xf32>
}

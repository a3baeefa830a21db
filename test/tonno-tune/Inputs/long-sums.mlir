// The first operand's rows by the second one's rows.
#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (n, k)>
#c = affine_map<(m, n, k) -> (m, n)>
func.func @products(%a: tensor<768x768xf32>, %b: tensor<768x768xf32>) -> tensor<768x768xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<768x768xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<768x768xf32>) -> tensor<768x768xf32>
  %r = linalg.matmul indexing_maps = [#a, #b, #c] ins(%a, %b : tensor<768x768xf32>, tensor<768x768xf32>)
                     outs(%init : tensor<768x768xf32>) -> tensor<768x768xf32>
  return %r : tensor<768x768xf32>
}

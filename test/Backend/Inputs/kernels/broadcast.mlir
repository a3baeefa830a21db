func.func @broadcast(%a: tensor<8x1x16xf64>, %b: tensor<12xf64>) -> tensor<8x12x16xf64> {
  %e = tensor.empty() : tensor<8x12x16xf64>
  %c = tensor.collapse_shape %a [[0, 1], [2]] : tensor<8x1x16xf64> into tensor<8x16xf64>
  %x = linalg.broadcast ins(%c : tensor<8x16xf64>) outs(%e : tensor<8x12x16xf64>) dimensions = [1]
  %r = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, j, k)>, affine_map<(i, j, k) -> (j)>, affine_map<(i, j, k) -> (i, j, k)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%x, %b : tensor<8x12x16xf64>, tensor<12xf64>) outs(%e : tensor<8x12x16xf64>) {
  ^bb0(%u: f64, %v: f64, %o: f64):
    %s = arith.divf %u, %v : f64
    linalg.yield %s : f64
  } -> tensor<8x12x16xf64>
  return %r : tensor<8x12x16xf64>
}

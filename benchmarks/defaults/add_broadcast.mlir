// A row added to each row.
#row = affine_map<(i, j) -> (j)>
#all = affine_map<(i, j) -> (i, j)>
func.func @add_broadcast(%x: tensor<1024x1024xf32>, %row: tensor<1024xf32>) -> tensor<1024x1024xf32> {
  %empty = tensor.empty() : tensor<1024x1024xf32>
  %r = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]}
      ins(%x, %row : tensor<1024x1024xf32>, tensor<1024xf32>) outs(%empty : tensor<1024x1024xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %s = arith.addf %a, %b : f32
    linalg.yield %s : f32
  } -> tensor<1024x1024xf32>
  return %r : tensor<1024x1024xf32>
}

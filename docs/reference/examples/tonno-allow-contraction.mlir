// tonno-opt --tonno-allow-contraction
#all = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
func.func @variance(%x: tensor<4x8xf32>, %m: tensor<4xf32>, %s: tensor<4xf32>) -> tensor<4xf32> {
  %r = linalg.generic {indexing_maps = [#all, #row, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x, %m : tensor<4x8xf32>, tensor<4xf32>) outs(%s : tensor<4xf32>) {
  ^bb0(%a: f32, %b: f32, %sum: f32):
    %d = arith.subf %a, %b : f32
    %p = arith.mulf %d, %d : f32
    %n = arith.addf %sum, %p : f32
    linalg.yield %n : f32
  } -> tensor<4xf32>
  return %r : tensor<4xf32>
}

#all = affine_map<(i, j) -> (i, j)>
func.func @powers(%x: tensor<4x32xf32>, %n: tensor<4x32xi32>, %o: tensor<4x32xf32>) -> tensor<4x32xf32> {
  %r = linalg.generic {indexing_maps = [#all, #all, #all], iterator_types = ["parallel", "parallel"]}
      ins(%x, %n : tensor<4x32xf32>, tensor<4x32xi32>) outs(%o : tensor<4x32xf32>) {
  ^bb0(%a: f32, %k: i32, %c: f32):
    %i = math.ipowi %k, %k : i32
    %f = arith.sitofp %i : i32 to f32
    %p = arith.mulf %a, %f : f32
    linalg.yield %p : f32
  } -> tensor<4x32xf32>
  return %r : tensor<4x32xf32>
}

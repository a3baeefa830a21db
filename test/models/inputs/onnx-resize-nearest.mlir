// expect: tuned
func.func @main(%arg0: tensor<1x4x8x8xf32>) -> tensor<1x4x16x16xf32> {
  %c2 = arith.constant 2 : index
  %c0 = arith.constant 0 : index
  %0 = tensor.empty() : tensor<1x4x16x16xf32>
  %1 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} outs(%0 : tensor<1x4x16x16xf32>) {
  ^bb0(%out: f32):
    %c = linalg.index 1 : index
    %i = linalg.index 2 : index
    %j = linalg.index 3 : index
    %2 = arith.divui %i, %c2 : index
    %3 = arith.divui %j, %c2 : index
    %extracted = tensor.extract %arg0[%c0, %c, %2, %3] : tensor<1x4x8x8xf32>
    linalg.yield %extracted : f32
  } -> tensor<1x4x16x16xf32>
  return %1 : tensor<1x4x16x16xf32>
}

// expect: tuned
// The square of a large number is infinite in f32, not in f64.
#map = affine_map<(i, j) -> (i, j)>
func.func @large_squares(%x: tensor<32x64xf32>) -> tensor<32x64xf32> {
  %large = arith.constant 1.0e19 : f32
  %e = tensor.empty() : tensor<32x64xf32>
  %r = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<32x64xf32>) outs(%e : tensor<32x64xf32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = arith.mulf %in, %large : f32
    %1 = arith.mulf %0, %large : f32
    %2 = arith.mulf %1, %large : f32
    linalg.yield %2 : f32
  } -> tensor<32x64xf32>
  return %r : tensor<32x64xf32>
}

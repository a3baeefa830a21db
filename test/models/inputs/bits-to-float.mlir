// expect: tuned
// The mantissa of random bits, as a number in [0, 1).
#map = affine_map<(i, j) -> (i, j)>
func.func @uniform(%bits: tensor<16x64xi32>) -> tensor<16x64xf32> {
  %c9 = arith.constant 9 : i32
  %exponent = arith.constant 1065353216 : i32
  %one = arith.constant 1.0 : f32
  %e = tensor.empty() : tensor<16x64xf32>
  %r = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%bits : tensor<16x64xi32>) outs(%e : tensor<16x64xf32>) {
  ^bb0(%in: i32, %out: f32):
    %0 = arith.shrui %in, %c9 : i32
    %1 = arith.ori %0, %exponent : i32
    %2 = arith.bitcast %1 : i32 to f32
    %3 = arith.subf %2, %one : f32
    linalg.yield %3 : f32
  } -> tensor<16x64xf32>
  return %r : tensor<16x64xf32>
}

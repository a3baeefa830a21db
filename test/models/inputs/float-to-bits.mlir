// expect: refused "arith.bitcast"
// The reference computes in f64, whose bits are others.
#map = affine_map<(i, j) -> (i, j)>
func.func @fast_inverse_root(%x: tensor<16x64xf32>) -> tensor<16x64xf32> {
  %one = arith.constant 1 : i32
  %magic = arith.constant 1597463007 : i32
  %e = tensor.empty() : tensor<16x64xf32>
  %r = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<16x64xf32>) outs(%e : tensor<16x64xf32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = arith.bitcast %in : f32 to i32
    %1 = arith.shrui %0, %one : i32
    %2 = arith.subi %magic, %1 : i32
    %3 = arith.bitcast %2 : i32 to f32
    linalg.yield %3 : f32
  } -> tensor<16x64xf32>
  return %r : tensor<16x64xf32>
}

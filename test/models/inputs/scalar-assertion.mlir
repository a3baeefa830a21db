// expect: tuned
// An assertion of what the caller passes.
func.func @scaled(%x: tensor<32x64xf32>, %n: i32) -> tensor<32x64xf32> {
  %unset = arith.constant -2147483648 : i32
  %ok = arith.cmpi ne, %n, %unset : i32
  cf.assert %ok, "n is not set"
  %f = arith.sitofp %n : i32 to f32
  %e = tensor.empty() : tensor<32x64xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<32x64xf32>) outs(%e : tensor<32x64xf32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = arith.mulf %in, %f : f32
    linalg.yield %0 : f32
  } -> tensor<32x64xf32>
  return %r : tensor<32x64xf32>
}

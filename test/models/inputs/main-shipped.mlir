// expect: tuned
// options: --emit=so,header
// Front ends call each entry @main, which C reserves.
module @jit_relu {
  func.func public @main(%arg0: tensor<32x64xf32>) -> tensor<32x64xf32> {
    %cst = arith.constant 0.000000e+00 : f32
    %0 = tensor.empty() : tensor<32x64xf32>
    %1 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%arg0 : tensor<32x64xf32>) outs(%0 : tensor<32x64xf32>) {
    ^bb0(%in: f32, %out: f32):
      %2 = arith.maximumf %in, %cst : f32
      linalg.yield %2 : f32
    } -> tensor<32x64xf32>
    return %1 : tensor<32x64xf32>
  }
}

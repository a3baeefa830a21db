// expect: tuned
// Fast-math flags on each op, as clang's and XLA's front ends set them.
#map = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
func.func @norm(%x: tensor<32x64xf32>) -> tensor<32x64xf32> {
  %zero = arith.constant 0.0 : f32
  %eps = arith.constant 1.0e-6 : f32
  %e = tensor.empty() : tensor<32x64xf32>
  %es = tensor.empty() : tensor<32xf32>
  %f = linalg.fill ins(%zero : f32) outs(%es : tensor<32xf32>) -> tensor<32xf32>
  %s = linalg.generic {indexing_maps = [#map, #row], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<32x64xf32>) outs(%f : tensor<32xf32>) {
  ^bb0(%in: f32, %acc: f32):
    %0 = arith.mulf %in, %in fastmath<fast> : f32
    %1 = arith.addf %acc, %0 fastmath<fast> : f32
    linalg.yield %1 : f32
  } -> tensor<32xf32>
  %r = linalg.generic {indexing_maps = [#map, #row, #map], iterator_types = ["parallel", "parallel"]} ins(%x, %s : tensor<32x64xf32>, tensor<32xf32>) outs(%e : tensor<32x64xf32>) {
  ^bb0(%in: f32, %sum: f32, %out: f32):
    %0 = arith.addf %sum, %eps fastmath<contract,reassoc> : f32
    %1 = math.rsqrt %0 fastmath<afn> : f32
    %2 = arith.mulf %in, %1 fastmath<contract> : f32
    linalg.yield %2 : f32
  } -> tensor<32x64xf32>
  return %r : tensor<32x64xf32>
}

// expect: tuned
// A mask as i1, and what it selects: two results.
#map = affine_map<(i, j) -> (i, j)>
func.func @above(%x: tensor<32x48xf32>, %limit: f32) -> (tensor<32x48xi1>, tensor<32x48xf32>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<32x48xf32>
  %m = tensor.empty() : tensor<32x48xi1>
  %r:2 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<32x48xf32>) outs(%m, %e : tensor<32x48xi1>, tensor<32x48xf32>) {
  ^bb0(%in: f32, %out: i1, %out_0: f32):
    %0 = arith.cmpf ogt, %in, %limit : f32
    %1 = arith.select %0, %in, %zero : f32
    linalg.yield %0, %1 : i1, f32
  } -> (tensor<32x48xi1>, tensor<32x48xf32>)
  return %r#0, %r#1 : tensor<32x48xi1>, tensor<32x48xf32>
}

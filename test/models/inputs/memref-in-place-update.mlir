// expect: tuned
// An optimiser's step: parameters and momentum change in place, the rate is a scalar.
#map = affine_map<(i) -> (i)>
#scalar = affine_map<(i) -> ()>
func.func @sgd(%w: memref<2048xf32>, %m: memref<2048xf32>, %g: memref<2048xf32>, %rate: f32) {
  %beta = arith.constant 0.9 : f32
  linalg.generic {indexing_maps = [#map, #scalar, #map, #map], iterator_types = ["parallel"]} ins(%g, %rate : memref<2048xf32>, f32) outs(%w, %m : memref<2048xf32>, memref<2048xf32>) {
  ^bb0(%dw: f32, %lr: f32, %p: f32, %v: f32):
    %0 = arith.mulf %v, %beta : f32
    %1 = arith.addf %0, %dw : f32
    %2 = arith.mulf %lr, %1 : f32
    %3 = arith.subf %p, %2 : f32
    linalg.yield %3, %1 : f32, f32
  }
  return
}

// expect: verified
#map = affine_map<(i, j) -> (i, j)>
func.func @huber(%x: tensor<32x48xf32>) -> tensor<32x48xf32> {
  %one = arith.constant 1.0 : f32
  %half = arith.constant 0.5 : f32
  %e = tensor.empty() : tensor<32x48xf32>
  %r = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<32x48xf32>) outs(%e : tensor<32x48xf32>) {
  ^bb0(%in: f32, %out: f32):
    %a = math.absf %in : f32
    %small = arith.cmpf olt, %a, %one : f32
    %y = scf.if %small -> f32 {
      %s = arith.mulf %in, %in : f32
      %h = arith.mulf %s, %half : f32
      scf.yield %h : f32
    } else {
      %h = arith.subf %a, %half : f32
      scf.yield %h : f32
    }
    linalg.yield %y : f32
  } -> tensor<32x48xf32>
  return %r : tensor<32x48xf32>
}

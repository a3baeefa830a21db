// tonno-opt --tonno-promote-to-f64
func.func @mixed(%a: tensor<4x4xf16>, %b: tensor<4x4xf16>) -> tensor<4x4xf32> attributes {tonno.tuned = {trials = 1}} {
  %half = arith.constant 0.5 : f32
  %table = arith.constant dense<[1.0, 0.25]> : tensor<2xbf16>
  %e = tensor.empty() : tensor<4x4xf32>
  %i = linalg.fill ins(%half : f32) outs(%e : tensor<4x4xf32>) -> tensor<4x4xf32>
  %r = linalg.generic {
    indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
    iterator_types = ["parallel", "parallel"], tonno.lowering_config = {workgroup = [2, 2]}
  } ins(%a, %b : tensor<4x4xf16>, tensor<4x4xf16>) outs(%i : tensor<4x4xf32>) {
  ^bb0(%x: f16, %y: f16, %z: f32):
    %p = arith.mulf %x, %y : f16
    %w = arith.extf %p : f16 to f32
    %s = arith.addf %w, %z : f32
    linalg.yield %s : f32
  } -> tensor<4x4xf32>
  return %r : tensor<4x4xf32>
}

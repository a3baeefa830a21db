// expect: tuned
// The operand packed by pairs, as bf16 dot products take it.
#map = affine_map<(d0, d1, d2, d3) -> (d0, d2, d3)>
#map1 = affine_map<(d0, d1, d2, d3) -> (d2, d1, d3)>
#map2 = affine_map<(d0, d1, d2, d3) -> (d0, d1)>
func.func @vnni(%arg0: tensor<16x32x2xbf16>, %arg1: tensor<32x48x2xbf16>, %arg2: tensor<16x48xbf16>) -> tensor<16x48xbf16> {
  %0 = linalg.generic {indexing_maps = [#map, #map1, #map2], iterator_types = ["parallel", "parallel", "reduction", "reduction"]} ins(%arg0, %arg1 : tensor<16x32x2xbf16>, tensor<32x48x2xbf16>) outs(%arg2 : tensor<16x48xbf16>) {
  ^bb0(%in: bf16, %in_0: bf16, %out: bf16):
    %1 = arith.mulf %in, %in_0 : bf16
    %2 = arith.addf %out, %1 : bf16
    linalg.yield %2 : bf16
  } -> tensor<16x48xbf16>
  return %0 : tensor<16x48xbf16>
}

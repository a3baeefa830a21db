// tonno-opt --tonno-lower-vectors
func.func @product(%a: vector<2x1xf32>, %b: vector<1x16xf32>, %c: vector<2x16xf32>) -> vector<2x16xf32> {
  %r = vector.contract {
    indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>],
    iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>
  } %a, %b, %c : vector<2x1xf32>, vector<1x16xf32> into vector<2x16xf32>
  return %r : vector<2x16xf32>
}

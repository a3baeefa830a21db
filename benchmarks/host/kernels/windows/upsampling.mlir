// Twice the pixels in either direction, channels first, as JAX repeats them.
func.func @kernel(%x: tensor<1x64x56x56xf32>) -> tensor<1x64x112x112xf32> {
  %empty = tensor.empty() : tensor<1x64x56x2x56x2xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(n, c, h, i, w, j) -> (n, c, h, w)>, affine_map<(n, c, h, i, w, j) -> (n, c, h, i, w, j)>],
                       iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel", "parallel"]}
      ins(%x : tensor<1x64x56x56xf32>) outs(%empty : tensor<1x64x56x2x56x2xf32>) {
  ^bb0(%from: f32, %to: f32):
    linalg.yield %from : f32
  } -> tensor<1x64x56x2x56x2xf32>
  %whole = tensor.collapse_shape %r [[0], [1], [2, 3], [4, 5]] : tensor<1x64x56x2x56x2xf32> into tensor<1x64x112x112xf32>
  return %whole : tensor<1x64x112x112xf32>
}

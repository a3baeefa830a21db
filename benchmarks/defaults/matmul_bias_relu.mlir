// A dense layer: three ops.
#rows = affine_map<(i, j) -> (j)>
#all = affine_map<(i, j) -> (i, j)>
func.func @matmul_bias_relu(%x: tensor<256x512xf32>, %w: tensor<512x256xf32>, %bias: tensor<256xf32>) -> tensor<256x256xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<256x256xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<256x256xf32>) -> tensor<256x256xf32>
  %product = linalg.matmul ins(%x, %w : tensor<256x512xf32>, tensor<512x256xf32>)
                           outs(%init : tensor<256x256xf32>) -> tensor<256x256xf32>
  %sum = linalg.generic {indexing_maps = [#all, #rows, #all], iterator_types = ["parallel", "parallel"]}
      ins(%product, %bias : tensor<256x256xf32>, tensor<256xf32>) outs(%empty : tensor<256x256xf32>) {
  ^bb0(%p: f32, %b: f32, %o: f32):
    %s = arith.addf %p, %b : f32
    linalg.yield %s : f32
  } -> tensor<256x256xf32>
  %relu = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]}
      ins(%sum : tensor<256x256xf32>) outs(%empty : tensor<256x256xf32>) {
  ^bb0(%s: f32, %o: f32):
    %m = arith.maximumf %s, %zero : f32
    linalg.yield %m : f32
  } -> tensor<256x256xf32>
  return %relu : tensor<256x256xf32>
}

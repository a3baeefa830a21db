// 1 + tanh(x) loses nearly all digits of large negative x.
#map = affine_map<(i, j) -> (i, j)>
func.func @gelu(%a: tensor<32x64xf32>, %b: tensor<64x48xf32>, %bias: tensor<48xf32>) -> tensor<32x48xf32> {
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %half = arith.constant 0.5 : f32
  %c1 = arith.constant 0.797884583 : f32
  %c2 = arith.constant 4.471500e-02 : f32
  %e = tensor.empty() : tensor<32x48xf32>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<32x48xf32>) -> tensor<32x48xf32>
  %p = linalg.matmul ins(%a, %b : tensor<32x64xf32>, tensor<64x48xf32>) outs(%i : tensor<32x48xf32>) -> tensor<32x48xf32>
  %r = linalg.generic {indexing_maps = [#map, affine_map<(i, j) -> (j)>, #map], iterator_types = ["parallel", "parallel"]}
    ins(%p, %bias : tensor<32x48xf32>, tensor<48xf32>) outs(%e : tensor<32x48xf32>) {
  ^bb0(%v: f32, %w: f32, %o: f32):
    %x = arith.addf %v, %w : f32
    %xx = arith.mulf %x, %x : f32
    %xxx = arith.mulf %xx, %x : f32
    %s = arith.mulf %xxx, %c2 : f32
    %t = arith.addf %x, %s : f32
    %u = arith.mulf %t, %c1 : f32
    %h = math.tanh %u : f32
    %k = arith.addf %h, %one : f32
    %l = arith.mulf %k, %x : f32
    %m = arith.mulf %l, %half : f32
    linalg.yield %m : f32
  } -> tensor<32x48xf32>
  return %r : tensor<32x48xf32>
}

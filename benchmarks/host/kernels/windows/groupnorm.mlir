// 32 groups of 4 channels, channels first, normalised over channels and pixels.
#all = affine_map<(g, c, p) -> (g, c, p)>
#group = affine_map<(g, c, p) -> (g)>
#channel = affine_map<(g, c, p) -> (g, c)>
func.func @kernel(%x: tensor<32x4x3136xf32>, %scale: tensor<32x4xf32>, %shift: tensor<32x4xf32>) -> tensor<32x4x3136xf32> {
  %zero = arith.constant 0.0 : f32
  %count = arith.constant 12544.0 : f32
  %eps = arith.constant 1.0e-5 : f32
  %e = tensor.empty() : tensor<32xf32>
  %init = linalg.fill ins(%zero : f32) outs(%e : tensor<32xf32>) -> tensor<32xf32>
  %sum = linalg.generic {indexing_maps = [#all, #group], iterator_types = ["parallel", "reduction", "reduction"]}
      ins(%x : tensor<32x4x3136xf32>) outs(%init : tensor<32xf32>) {
  ^bb0(%in: f32, %acc: f32):
    %a = arith.addf %acc, %in : f32
    linalg.yield %a : f32
  } -> tensor<32xf32>
  %squares = linalg.generic {indexing_maps = [#all, #group, #group], iterator_types = ["parallel", "reduction", "reduction"]}
      ins(%x, %sum : tensor<32x4x3136xf32>, tensor<32xf32>) outs(%init : tensor<32xf32>) {
  ^bb0(%in: f32, %s: f32, %acc: f32):
    %mean = arith.divf %s, %count : f32
    %d = arith.subf %in, %mean : f32
    %q = arith.mulf %d, %d : f32
    %a = arith.addf %acc, %q : f32
    linalg.yield %a : f32
  } -> tensor<32xf32>
  %out = tensor.empty() : tensor<32x4x3136xf32>
  %r = linalg.generic {indexing_maps = [#all, #group, #group, #channel, #channel, #all], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x, %sum, %squares, %scale, %shift : tensor<32x4x3136xf32>, tensor<32xf32>, tensor<32xf32>, tensor<32x4xf32>, tensor<32x4xf32>) outs(%out : tensor<32x4x3136xf32>) {
  ^bb0(%in: f32, %s: f32, %q: f32, %g: f32, %b: f32, %o: f32):
    %mean = arith.divf %s, %count : f32
    %var = arith.divf %q, %count : f32
    %v = arith.addf %var, %eps : f32
    %inv = math.rsqrt %v : f32
    %d = arith.subf %in, %mean : f32
    %n = arith.mulf %d, %inv : f32
    %y = arith.mulf %n, %g : f32
    %z = arith.addf %y, %b : f32
    linalg.yield %z : f32
  } -> tensor<32x4x3136xf32>
  return %r : tensor<32x4x3136xf32>
}

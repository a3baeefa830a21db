// tonno-opt --tonno-gather-epilogues
#all = affine_map<(m, n) -> (m, n)>
#columns = affine_map<(m, n) -> (n)>
func.func @kernel(%x: tensor<16x32xf32>, %w: tensor<32x64xf32>, %z: tensor<16x64xf32>, %variance: tensor<64xf32>) -> tensor<16x64xf32> {
  %y = linalg.matmul ins(%x, %w : tensor<16x32xf32>, tensor<32x64xf32>) outs(%z : tensor<16x64xf32>) -> tensor<16x64xf32>
  %e = tensor.empty() : tensor<64xf32>
  %s = linalg.rsqrt ins(%variance : tensor<64xf32>) outs(%e : tensor<64xf32>) -> tensor<64xf32>
  %f = tensor.empty() : tensor<16x64xf32>
  %r = linalg.generic {indexing_maps = [#all, #columns, #all], iterator_types = ["parallel", "parallel"]}
      ins(%y, %s : tensor<16x64xf32>, tensor<64xf32>) outs(%f : tensor<16x64xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %p = arith.mulf %a, %b : f32
    linalg.yield %p : f32
  } -> tensor<16x64xf32>
  return %r : tensor<16x64xf32>
}

func.func @gather(%t: tensor<100x64xf32>, %rows: tensor<32xi64>) -> tensor<32x64xf32> {
  %e = tensor.empty() : tensor<32x64xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%rows : tensor<32xi64>) outs(%e : tensor<32x64xf32>) {
  ^bb0(%x: i64, %o: f32):
    %i = arith.index_cast %x : i64 to index
    %j = linalg.index 1 : index
    %v = tensor.extract %t[%i, %j] : tensor<100x64xf32>
    linalg.yield %v : f32
  } -> tensor<32x64xf32>
  return %r : tensor<32x64xf32>
}

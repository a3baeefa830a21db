// expect: verified
// options: --inputs=arg1=integers(0,99)
// As torch-mlir lowers aten.embedding: with a check of each index.
#map = affine_map<(d0, d1) -> (d0)>
#map1 = affine_map<(d0, d1) -> (d0, d1)>
module attributes {torch.debug_module_name = "Embedding"} {
  func.func @forward(%arg0: tensor<100x32xf32>, %arg1: tensor<24xi64>) -> tensor<24x32xf32> {
    %c0 = arith.constant 0 : index
    %c100 = arith.constant 100 : index
    %c100_i64 = arith.constant 100 : i64
    %c0_i64 = arith.constant 0 : i64
    %0 = tensor.empty() : tensor<24x32xf32>
    %1 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel"]} ins(%arg1 : tensor<24xi64>) outs(%0 : tensor<24x32xf32>) {
    ^bb0(%in: i64, %out: f32):
      %2 = arith.index_cast %in : i64 to index
      %3 = linalg.index 1 : index
      %4 = arith.cmpi slt, %in, %c100_i64 : i64
      cf.assert %4, "index must be smaller than dim size"
      %5 = arith.cmpi sge, %in, %c0_i64 : i64
      cf.assert %5, "index must be larger or equal to 0"
      %extracted = tensor.extract %arg0[%2, %3] : tensor<100x32xf32>
      linalg.yield %extracted : f32
    } -> tensor<24x32xf32>
    return %1 : tensor<24x32xf32>
  }
}

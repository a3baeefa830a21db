// expect: verified
// From jax_models.py.
#map = affine_map<() -> ()>
module @jit_kv_cache_update attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<64x4x16xf32>, %arg1: tensor<1x4x16xf32>, %arg2: tensor<i32>) -> (tensor<64x4x16xf32> {jax.result_info = "result"}) {
    %c63 = arith.constant 63 : index
    %c0 = arith.constant 0 : index
    %c64_i32 = arith.constant 64 : i32
    %c0_i32 = arith.constant 0 : i32
    %0 = tensor.empty() : tensor<i1>
    %1 = linalg.generic {indexing_maps = [#map, #map], iterator_types = []} ins(%arg2 : tensor<i32>) outs(%0 : tensor<i1>) {
    ^bb0(%in: i32, %out: i1):
      %8 = arith.cmpi slt, %in, %c0_i32 : i32
      linalg.yield %8 : i1
    } -> tensor<i1>
    %2 = tensor.empty() : tensor<i32>
    %3 = linalg.generic {indexing_maps = [#map, #map], iterator_types = []} ins(%arg2 : tensor<i32>) outs(%2 : tensor<i32>) {
    ^bb0(%in: i32, %out: i32):
      %8 = arith.addi %in, %c64_i32 : i32
      linalg.yield %8 : i32
    } -> tensor<i32>
    %4 = linalg.generic {indexing_maps = [#map, #map, #map, #map], iterator_types = []} ins(%1, %3, %arg2 : tensor<i1>, tensor<i32>, tensor<i32>) outs(%2 : tensor<i32>) {
    ^bb0(%in: i1, %in_0: i32, %in_1: i32, %out: i32):
      %8 = arith.select %in, %in_0, %in_1 : i32
      linalg.yield %8 : i32
    } -> tensor<i32>
    %extracted = tensor.extract %4[] : tensor<i32>
    %5 = arith.index_cast %extracted : i32 to index
    %6 = arith.maxsi %5, %c0 : index
    %7 = arith.minsi %6, %c63 : index
    %inserted_slice = tensor.insert_slice %arg1 into %arg0[%7, 0, 0] [1, 4, 16] [1, 1, 1] : tensor<1x4x16xf32> into tensor<64x4x16xf32>
    return %inserted_slice : tensor<64x4x16xf32>
  }
}

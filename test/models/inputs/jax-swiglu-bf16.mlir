// expect: tuned
// From jax_models.py.
#map = affine_map<(d0, d1) -> (d0, d1)>
#map1 = affine_map<(d0, d1) -> ()>
module @jit_swiglu_bf16 attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<32x64xbf16>, %arg1: tensor<64x96xbf16>, %arg2: tensor<64x96xbf16>, %arg3: tensor<96x64xbf16>) -> (tensor<32x64xbf16> {jax.result_info = "result"}) {
    %cst = arith.constant 0.000000e+00 : bf16
    %0 = tensor.empty() : tensor<32x96xbf16>
    %1 = linalg.fill ins(%cst : bf16) outs(%0 : tensor<32x96xbf16>) -> tensor<32x96xbf16>
    %2 = linalg.matmul ins(%arg0, %arg1 : tensor<32x64xbf16>, tensor<64x96xbf16>) outs(%1 : tensor<32x96xbf16>) -> tensor<32x96xbf16>
    %3 = call @silu(%2) : (tensor<32x96xbf16>) -> tensor<32x96xbf16>
    %4 = linalg.matmul ins(%arg0, %arg2 : tensor<32x64xbf16>, tensor<64x96xbf16>) outs(%1 : tensor<32x96xbf16>) -> tensor<32x96xbf16>
    %5 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%3, %4 : tensor<32x96xbf16>, tensor<32x96xbf16>) outs(%0 : tensor<32x96xbf16>) {
    ^bb0(%in: bf16, %in_0: bf16, %out: bf16):
      %9 = arith.mulf %in, %in_0 : bf16
      linalg.yield %9 : bf16
    } -> tensor<32x96xbf16>
    %6 = tensor.empty() : tensor<32x64xbf16>
    %7 = linalg.fill ins(%cst : bf16) outs(%6 : tensor<32x64xbf16>) -> tensor<32x64xbf16>
    %8 = linalg.matmul ins(%5, %arg3 : tensor<32x96xbf16>, tensor<96x64xbf16>) outs(%7 : tensor<32x64xbf16>) -> tensor<32x64xbf16>
    return %8 : tensor<32x64xbf16>
  }
  func.func private @silu(%arg0: tensor<32x96xbf16>) -> tensor<32x96xbf16> {
    %cst = arith.constant dense<1.000000e+00> : tensor<bf16>
    %0 = tensor.empty() : tensor<32x96xbf16>
    %1 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%arg0 : tensor<32x96xbf16>) outs(%0 : tensor<32x96xbf16>) {
    ^bb0(%in: bf16, %out: bf16):
      %7 = arith.negf %in : bf16
      linalg.yield %7 : bf16
    } -> tensor<32x96xbf16>
    %2 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%1 : tensor<32x96xbf16>) outs(%0 : tensor<32x96xbf16>) {
    ^bb0(%in: bf16, %out: bf16):
      %7 = math.exp %in : bf16
      linalg.yield %7 : bf16
    } -> tensor<32x96xbf16>
    %3 = linalg.generic {indexing_maps = [#map1, #map], iterator_types = ["parallel", "parallel"]} ins(%cst : tensor<bf16>) outs(%0 : tensor<32x96xbf16>) {
    ^bb0(%in: bf16, %out: bf16):
      linalg.yield %in : bf16
    } -> tensor<32x96xbf16>
    %4 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%3, %2 : tensor<32x96xbf16>, tensor<32x96xbf16>) outs(%0 : tensor<32x96xbf16>) {
    ^bb0(%in: bf16, %in_0: bf16, %out: bf16):
      %7 = arith.addf %in, %in_0 : bf16
      linalg.yield %7 : bf16
    } -> tensor<32x96xbf16>
    %5 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%3, %4 : tensor<32x96xbf16>, tensor<32x96xbf16>) outs(%0 : tensor<32x96xbf16>) {
    ^bb0(%in: bf16, %in_0: bf16, %out: bf16):
      %7 = arith.divf %in, %in_0 : bf16
      linalg.yield %7 : bf16
    } -> tensor<32x96xbf16>
    %6 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%arg0, %5 : tensor<32x96xbf16>, tensor<32x96xbf16>) outs(%0 : tensor<32x96xbf16>) {
    ^bb0(%in: bf16, %in_0: bf16, %out: bf16):
      %7 = arith.mulf %in, %in_0 : bf16
      linalg.yield %7 : bf16
    } -> tensor<32x96xbf16>
    return %6 : tensor<32x96xbf16>
  }
}

// expect: tuned
// From jax_models.py.
#map = affine_map<(d0, d1) -> (d1)>
#map1 = affine_map<(d0, d1) -> (d0, d1)>
#map2 = affine_map<(d0, d1) -> (0, d1)>
#map3 = affine_map<(d0, d1) -> (d0)>
#map4 = affine_map<(d0, d1) -> (d1, d0)>
module @jit_any_above attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<40x20xf32>, %arg1: tensor<20xf32>) -> (tensor<40xi1> {jax.result_info = "result[0]"}, tensor<20xi32> {jax.result_info = "result[1]"}) {
    %c0_i32 = arith.constant 0 : i32
    %false = arith.constant false
    %0 = tensor.empty() : tensor<1x20xf32>
    %1 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel"]} ins(%arg1 : tensor<20xf32>) outs(%0 : tensor<1x20xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<1x20xf32>
    %2 = tensor.empty() : tensor<40x20xf32>
    %3 = linalg.generic {indexing_maps = [#map2, #map1], iterator_types = ["parallel", "parallel"]} ins(%1 : tensor<1x20xf32>) outs(%2 : tensor<40x20xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<40x20xf32>
    %4 = tensor.empty() : tensor<40x20xi1>
    %5 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%arg0, %3 : tensor<40x20xf32>, tensor<40x20xf32>) outs(%4 : tensor<40x20xi1>) {
    ^bb0(%in: f32, %in_0: f32, %out: i1):
      %14 = arith.cmpf ogt, %in, %in_0 : f32
      linalg.yield %14 : i1
    } -> tensor<40x20xi1>
    %6 = tensor.empty() : tensor<40xi1>
    %7 = linalg.fill ins(%false : i1) outs(%6 : tensor<40xi1>) -> tensor<40xi1>
    %8 = linalg.generic {indexing_maps = [#map1, #map3], iterator_types = ["parallel", "reduction"]} ins(%5 : tensor<40x20xi1>) outs(%7 : tensor<40xi1>) {
    ^bb0(%in: i1, %out: i1):
      %14 = arith.ori %out, %in : i1
      linalg.yield %14 : i1
    } -> tensor<40xi1>
    %9 = tensor.empty() : tensor<40x20xi32>
    %10 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%5 : tensor<40x20xi1>) outs(%9 : tensor<40x20xi32>) {
    ^bb0(%in: i1, %out: i32):
      %14 = arith.extui %in : i1 to i32
      linalg.yield %14 : i32
    } -> tensor<40x20xi32>
    %11 = tensor.empty() : tensor<20xi32>
    %12 = linalg.fill ins(%c0_i32 : i32) outs(%11 : tensor<20xi32>) -> tensor<20xi32>
    %13 = linalg.generic {indexing_maps = [#map4, #map3], iterator_types = ["parallel", "reduction"]} ins(%10 : tensor<40x20xi32>) outs(%12 : tensor<20xi32>) {
    ^bb0(%in: i32, %out: i32):
      %14 = arith.addi %out, %in : i32
      linalg.yield %14 : i32
    } -> tensor<20xi32>
    return %8, %13 : tensor<40xi1>, tensor<20xi32>
  }
}

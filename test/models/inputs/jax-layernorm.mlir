// expect: tuned
// From jax_models.py.
#map = affine_map<(d0, d1) -> (d0, d1)>
#map1 = affine_map<(d0, d1) -> (d0)>
#map2 = affine_map<(d0, d1) -> ()>
#map3 = affine_map<(d0, d1) -> (d0, 0)>
#map4 = affine_map<(d0, d1) -> (d1)>
#map5 = affine_map<(d0, d1) -> (0, d1)>
#map6 = affine_map<() -> ()>
module @jit_layernorm attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<32x64xf32>, %arg1: tensor<64xf32>, %arg2: tensor<64xf32>) -> (tensor<32x64xf32> {jax.result_info = "result"}) {
    %cst = arith.constant dense<9.99999974E-6> : tensor<f32>
    %cst_0 = arith.constant dense<0> : tensor<i32>
    %cst_1 = arith.constant dense<6.400000e+01> : tensor<f32>
    %cst_2 = arith.constant 0.000000e+00 : f32
    %0 = tensor.empty() : tensor<32xf32>
    %1 = linalg.fill ins(%cst_2 : f32) outs(%0 : tensor<32xf32>) -> tensor<32xf32>
    %2 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "reduction"]} ins(%arg0 : tensor<32x64xf32>) outs(%1 : tensor<32xf32>) {
    ^bb0(%in: f32, %out: f32):
      %23 = arith.addf %out, %in : f32
      linalg.yield %23 : f32
    } -> tensor<32xf32>
    %3 = tensor.empty() : tensor<32x1xf32>
    %4 = linalg.generic {indexing_maps = [#map1, #map], iterator_types = ["parallel", "parallel"]} ins(%2 : tensor<32xf32>) outs(%3 : tensor<32x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<32x1xf32>
    %5 = linalg.generic {indexing_maps = [#map2, #map], iterator_types = ["parallel", "parallel"]} ins(%cst_1 : tensor<f32>) outs(%3 : tensor<32x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<32x1xf32>
    %6 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%4, %5 : tensor<32x1xf32>, tensor<32x1xf32>) outs(%3 : tensor<32x1xf32>) {
    ^bb0(%in: f32, %in_3: f32, %out: f32):
      %23 = arith.divf %in, %in_3 : f32
      linalg.yield %23 : f32
    } -> tensor<32x1xf32>
    %7 = tensor.empty() : tensor<32x64xf32>
    %8 = linalg.generic {indexing_maps = [#map3, #map], iterator_types = ["parallel", "parallel"]} ins(%6 : tensor<32x1xf32>) outs(%7 : tensor<32x64xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<32x64xf32>
    %9 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%arg0, %8 : tensor<32x64xf32>, tensor<32x64xf32>) outs(%7 : tensor<32x64xf32>) {
    ^bb0(%in: f32, %in_3: f32, %out: f32):
      %23 = arith.subf %in, %in_3 : f32
      linalg.yield %23 : f32
    } -> tensor<32x64xf32>
    %10 = call @_var(%arg0, %cst_0) : (tensor<32x64xf32>, tensor<i32>) -> tensor<32x1xf32>
    %11 = linalg.generic {indexing_maps = [#map2, #map], iterator_types = ["parallel", "parallel"]} ins(%cst : tensor<f32>) outs(%3 : tensor<32x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<32x1xf32>
    %12 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%10, %11 : tensor<32x1xf32>, tensor<32x1xf32>) outs(%3 : tensor<32x1xf32>) {
    ^bb0(%in: f32, %in_3: f32, %out: f32):
      %23 = arith.addf %in, %in_3 : f32
      linalg.yield %23 : f32
    } -> tensor<32x1xf32>
    %13 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%12 : tensor<32x1xf32>) outs(%3 : tensor<32x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %23 = math.sqrt %in : f32
      linalg.yield %23 : f32
    } -> tensor<32x1xf32>
    %14 = linalg.generic {indexing_maps = [#map3, #map], iterator_types = ["parallel", "parallel"]} ins(%13 : tensor<32x1xf32>) outs(%7 : tensor<32x64xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<32x64xf32>
    %15 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%9, %14 : tensor<32x64xf32>, tensor<32x64xf32>) outs(%7 : tensor<32x64xf32>) {
    ^bb0(%in: f32, %in_3: f32, %out: f32):
      %23 = arith.divf %in, %in_3 : f32
      linalg.yield %23 : f32
    } -> tensor<32x64xf32>
    %16 = tensor.empty() : tensor<1x64xf32>
    %17 = linalg.generic {indexing_maps = [#map4, #map], iterator_types = ["parallel", "parallel"]} ins(%arg1 : tensor<64xf32>) outs(%16 : tensor<1x64xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<1x64xf32>
    %18 = linalg.generic {indexing_maps = [#map5, #map], iterator_types = ["parallel", "parallel"]} ins(%17 : tensor<1x64xf32>) outs(%7 : tensor<32x64xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<32x64xf32>
    %19 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%15, %18 : tensor<32x64xf32>, tensor<32x64xf32>) outs(%7 : tensor<32x64xf32>) {
    ^bb0(%in: f32, %in_3: f32, %out: f32):
      %23 = arith.mulf %in, %in_3 : f32
      linalg.yield %23 : f32
    } -> tensor<32x64xf32>
    %20 = linalg.generic {indexing_maps = [#map4, #map], iterator_types = ["parallel", "parallel"]} ins(%arg2 : tensor<64xf32>) outs(%16 : tensor<1x64xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<1x64xf32>
    %21 = linalg.generic {indexing_maps = [#map5, #map], iterator_types = ["parallel", "parallel"]} ins(%20 : tensor<1x64xf32>) outs(%7 : tensor<32x64xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<32x64xf32>
    %22 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%19, %21 : tensor<32x64xf32>, tensor<32x64xf32>) outs(%7 : tensor<32x64xf32>) {
    ^bb0(%in: f32, %in_3: f32, %out: f32):
      %23 = arith.addf %in, %in_3 : f32
      linalg.yield %23 : f32
    } -> tensor<32x64xf32>
    return %22 : tensor<32x64xf32>
  }
  func.func private @_var(%arg0: tensor<32x64xf32>, %arg1: tensor<i32>) -> tensor<32x1xf32> {
    %cst = arith.constant 6.400000e+01 : f32
    %cst_0 = arith.constant dense<0x7FC00000> : tensor<f32>
    %cst_1 = arith.constant dense<6.400000e+01> : tensor<f32>
    %cst_2 = arith.constant 0.000000e+00 : f32
    %0 = tensor.empty() : tensor<32xf32>
    %1 = linalg.fill ins(%cst_2 : f32) outs(%0 : tensor<32xf32>) -> tensor<32xf32>
    %2 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "reduction"]} ins(%arg0 : tensor<32x64xf32>) outs(%1 : tensor<32xf32>) {
    ^bb0(%in: f32, %out: f32):
      %21 = arith.addf %out, %in : f32
      linalg.yield %21 : f32
    } -> tensor<32xf32>
    %3 = tensor.empty() : tensor<32x1xf32>
    %4 = linalg.generic {indexing_maps = [#map1, #map], iterator_types = ["parallel", "parallel"]} ins(%2 : tensor<32xf32>) outs(%3 : tensor<32x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<32x1xf32>
    %5 = linalg.generic {indexing_maps = [#map2, #map], iterator_types = ["parallel", "parallel"]} ins(%cst_1 : tensor<f32>) outs(%3 : tensor<32x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<32x1xf32>
    %6 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%4, %5 : tensor<32x1xf32>, tensor<32x1xf32>) outs(%3 : tensor<32x1xf32>) {
    ^bb0(%in: f32, %in_3: f32, %out: f32):
      %21 = arith.divf %in, %in_3 : f32
      linalg.yield %21 : f32
    } -> tensor<32x1xf32>
    %7 = tensor.empty() : tensor<32x64xf32>
    %8 = linalg.generic {indexing_maps = [#map3, #map], iterator_types = ["parallel", "parallel"]} ins(%6 : tensor<32x1xf32>) outs(%7 : tensor<32x64xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<32x64xf32>
    %9 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%arg0, %8 : tensor<32x64xf32>, tensor<32x64xf32>) outs(%7 : tensor<32x64xf32>) {
    ^bb0(%in: f32, %in_3: f32, %out: f32):
      %21 = arith.subf %in, %in_3 : f32
      linalg.yield %21 : f32
    } -> tensor<32x64xf32>
    %10 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%9, %9 : tensor<32x64xf32>, tensor<32x64xf32>) outs(%7 : tensor<32x64xf32>) {
    ^bb0(%in: f32, %in_3: f32, %out: f32):
      %21 = arith.mulf %in, %in_3 : f32
      linalg.yield %21 : f32
    } -> tensor<32x64xf32>
    %11 = tensor.empty() : tensor<f32>
    %12 = linalg.generic {indexing_maps = [#map6, #map6], iterator_types = []} ins(%arg1 : tensor<i32>) outs(%11 : tensor<f32>) {
    ^bb0(%in: i32, %out: f32):
      %21 = arith.sitofp %in : i32 to f32
      linalg.yield %21 : f32
    } -> tensor<f32>
    %13 = linalg.generic {indexing_maps = [#map6, #map6], iterator_types = []} ins(%12 : tensor<f32>) outs(%11 : tensor<f32>) {
    ^bb0(%in: f32, %out: f32):
      %21 = arith.subf %cst, %in : f32
      linalg.yield %21 : f32
    } -> tensor<f32>
    %14 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "reduction"]} ins(%10 : tensor<32x64xf32>) outs(%1 : tensor<32xf32>) {
    ^bb0(%in: f32, %out: f32):
      %21 = arith.addf %out, %in : f32
      linalg.yield %21 : f32
    } -> tensor<32xf32>
    %15 = linalg.generic {indexing_maps = [#map1, #map], iterator_types = ["parallel", "parallel"]} ins(%14 : tensor<32xf32>) outs(%3 : tensor<32x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<32x1xf32>
    %16 = linalg.generic {indexing_maps = [#map2, #map], iterator_types = ["parallel", "parallel"]} ins(%13 : tensor<f32>) outs(%3 : tensor<32x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<32x1xf32>
    %17 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%15, %16 : tensor<32x1xf32>, tensor<32x1xf32>) outs(%3 : tensor<32x1xf32>) {
    ^bb0(%in: f32, %in_3: f32, %out: f32):
      %21 = arith.divf %in, %in_3 : f32
      linalg.yield %21 : f32
    } -> tensor<32x1xf32>
    %18 = tensor.empty() : tensor<i1>
    %19 = linalg.generic {indexing_maps = [#map6, #map6], iterator_types = []} ins(%13 : tensor<f32>) outs(%18 : tensor<i1>) {
    ^bb0(%in: f32, %out: i1):
      %21 = arith.cmpf ogt, %in, %cst_2 : f32
      linalg.yield %21 : i1
    } -> tensor<i1>
    %20 = call @_where(%19, %17, %cst_0) : (tensor<i1>, tensor<32x1xf32>, tensor<f32>) -> tensor<32x1xf32>
    return %20 : tensor<32x1xf32>
  }
  func.func private @_where(%arg0: tensor<i1>, %arg1: tensor<32x1xf32>, %arg2: tensor<f32>) -> tensor<32x1xf32> {
    %0 = tensor.empty() : tensor<32x1xf32>
    %1 = linalg.generic {indexing_maps = [#map2, #map], iterator_types = ["parallel", "parallel"]} ins(%arg2 : tensor<f32>) outs(%0 : tensor<32x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<32x1xf32>
    %extracted = tensor.extract %arg0[] : tensor<i1>
    %2 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%arg1, %1 : tensor<32x1xf32>, tensor<32x1xf32>) outs(%0 : tensor<32x1xf32>) {
    ^bb0(%in: f32, %in_0: f32, %out: f32):
      %3 = arith.select %extracted, %in, %in_0 : f32
      linalg.yield %3 : f32
    } -> tensor<32x1xf32>
    return %2 : tensor<32x1xf32>
  }
}

// expect: tuned
// From jax_models.py.
#map = affine_map<(d0, d1) -> (d1)>
#map1 = affine_map<(d0, d1) -> (d0, d1)>
#map2 = affine_map<(d0, d1) -> (0, d1)>
#map3 = affine_map<(d0, d1) -> ()>
#map4 = affine_map<(d0, d1) -> (d0)>
#map5 = affine_map<(d0) -> ()>
#map6 = affine_map<(d0) -> (d0)>
#map7 = affine_map<(d0, d1) -> (d0, 0)>
module @jit_mlp_gelu_softmax attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<32x64xf32>, %arg1: tensor<64x128xf32>, %arg2: tensor<128xf32>, %arg3: tensor<128x32xf32>) -> (tensor<32x32xf32> {jax.result_info = "result"}) {
    %cst = arith.constant 0xFF800000 : f32
    %cst_0 = arith.constant 0.000000e+00 : f32
    %cst_1 = arith.constant dense<0xFF800000> : tensor<f32>
    %cst_2 = arith.constant dense<5.000000e-01> : tensor<f32>
    %cst_3 = arith.constant dense<1.000000e+00> : tensor<f32>
    %cst_4 = arith.constant dense<0.797884583> : tensor<f32>
    %cst_5 = arith.constant dense<4.471500e-02> : tensor<f32>
    %0 = tensor.empty() : tensor<32x128xf32>
    %1 = linalg.fill ins(%cst_0 : f32) outs(%0 : tensor<32x128xf32>) -> tensor<32x128xf32>
    %2 = linalg.matmul ins(%arg0, %arg1 : tensor<32x64xf32>, tensor<64x128xf32>) outs(%1 : tensor<32x128xf32>) -> tensor<32x128xf32>
    %3 = tensor.empty() : tensor<1x128xf32>
    %4 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel"]} ins(%arg2 : tensor<128xf32>) outs(%3 : tensor<1x128xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<1x128xf32>
    %5 = linalg.generic {indexing_maps = [#map2, #map1], iterator_types = ["parallel", "parallel"]} ins(%4 : tensor<1x128xf32>) outs(%0 : tensor<32x128xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<32x128xf32>
    %6 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%2, %5 : tensor<32x128xf32>, tensor<32x128xf32>) outs(%0 : tensor<32x128xf32>) {
    ^bb0(%in: f32, %in_6: f32, %out: f32):
      %38 = arith.addf %in, %in_6 : f32
      linalg.yield %38 : f32
    } -> tensor<32x128xf32>
    %7 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%6, %6 : tensor<32x128xf32>, tensor<32x128xf32>) outs(%0 : tensor<32x128xf32>) {
    ^bb0(%in: f32, %in_6: f32, %out: f32):
      %38 = arith.mulf %in, %in_6 : f32
      linalg.yield %38 : f32
    } -> tensor<32x128xf32>
    %8 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%7, %6 : tensor<32x128xf32>, tensor<32x128xf32>) outs(%0 : tensor<32x128xf32>) {
    ^bb0(%in: f32, %in_6: f32, %out: f32):
      %38 = arith.mulf %in, %in_6 : f32
      linalg.yield %38 : f32
    } -> tensor<32x128xf32>
    %9 = linalg.generic {indexing_maps = [#map3, #map1], iterator_types = ["parallel", "parallel"]} ins(%cst_5 : tensor<f32>) outs(%0 : tensor<32x128xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<32x128xf32>
    %10 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%9, %8 : tensor<32x128xf32>, tensor<32x128xf32>) outs(%0 : tensor<32x128xf32>) {
    ^bb0(%in: f32, %in_6: f32, %out: f32):
      %38 = arith.mulf %in, %in_6 : f32
      linalg.yield %38 : f32
    } -> tensor<32x128xf32>
    %11 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%6, %10 : tensor<32x128xf32>, tensor<32x128xf32>) outs(%0 : tensor<32x128xf32>) {
    ^bb0(%in: f32, %in_6: f32, %out: f32):
      %38 = arith.addf %in, %in_6 : f32
      linalg.yield %38 : f32
    } -> tensor<32x128xf32>
    %12 = linalg.generic {indexing_maps = [#map3, #map1], iterator_types = ["parallel", "parallel"]} ins(%cst_4 : tensor<f32>) outs(%0 : tensor<32x128xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<32x128xf32>
    %13 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%12, %11 : tensor<32x128xf32>, tensor<32x128xf32>) outs(%0 : tensor<32x128xf32>) {
    ^bb0(%in: f32, %in_6: f32, %out: f32):
      %38 = arith.mulf %in, %in_6 : f32
      linalg.yield %38 : f32
    } -> tensor<32x128xf32>
    %14 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%13 : tensor<32x128xf32>) outs(%0 : tensor<32x128xf32>) {
    ^bb0(%in: f32, %out: f32):
      %38 = math.tanh %in : f32
      linalg.yield %38 : f32
    } -> tensor<32x128xf32>
    %15 = linalg.generic {indexing_maps = [#map3, #map1], iterator_types = ["parallel", "parallel"]} ins(%cst_3 : tensor<f32>) outs(%0 : tensor<32x128xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<32x128xf32>
    %16 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%15, %14 : tensor<32x128xf32>, tensor<32x128xf32>) outs(%0 : tensor<32x128xf32>) {
    ^bb0(%in: f32, %in_6: f32, %out: f32):
      %38 = arith.addf %in, %in_6 : f32
      linalg.yield %38 : f32
    } -> tensor<32x128xf32>
    %17 = linalg.generic {indexing_maps = [#map3, #map1], iterator_types = ["parallel", "parallel"]} ins(%cst_2 : tensor<f32>) outs(%0 : tensor<32x128xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<32x128xf32>
    %18 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%17, %16 : tensor<32x128xf32>, tensor<32x128xf32>) outs(%0 : tensor<32x128xf32>) {
    ^bb0(%in: f32, %in_6: f32, %out: f32):
      %38 = arith.mulf %in, %in_6 : f32
      linalg.yield %38 : f32
    } -> tensor<32x128xf32>
    %19 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%6, %18 : tensor<32x128xf32>, tensor<32x128xf32>) outs(%0 : tensor<32x128xf32>) {
    ^bb0(%in: f32, %in_6: f32, %out: f32):
      %38 = arith.mulf %in, %in_6 : f32
      linalg.yield %38 : f32
    } -> tensor<32x128xf32>
    %20 = tensor.empty() : tensor<32x32xf32>
    %21 = linalg.fill ins(%cst_0 : f32) outs(%20 : tensor<32x32xf32>) -> tensor<32x32xf32>
    %22 = linalg.matmul ins(%19, %arg3 : tensor<32x128xf32>, tensor<128x32xf32>) outs(%21 : tensor<32x32xf32>) -> tensor<32x32xf32>
    %23 = tensor.empty() : tensor<32xf32>
    %24 = linalg.fill ins(%cst : f32) outs(%23 : tensor<32xf32>) -> tensor<32xf32>
    %25 = linalg.generic {indexing_maps = [#map1, #map4], iterator_types = ["parallel", "reduction"]} ins(%22 : tensor<32x32xf32>) outs(%24 : tensor<32xf32>) {
    ^bb0(%in: f32, %out: f32):
      %38 = arith.maximumf %out, %in : f32
      linalg.yield %38 : f32
    } -> tensor<32xf32>
    %26 = linalg.generic {indexing_maps = [#map5, #map6], iterator_types = ["parallel"]} ins(%cst_1 : tensor<f32>) outs(%23 : tensor<32xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<32xf32>
    %27 = linalg.generic {indexing_maps = [#map6, #map6, #map6], iterator_types = ["parallel"]} ins(%26, %25 : tensor<32xf32>, tensor<32xf32>) outs(%23 : tensor<32xf32>) {
    ^bb0(%in: f32, %in_6: f32, %out: f32):
      %38 = arith.maximumf %in, %in_6 : f32
      linalg.yield %38 : f32
    } -> tensor<32xf32>
    %28 = tensor.empty() : tensor<32x1xf32>
    %29 = linalg.generic {indexing_maps = [#map4, #map1], iterator_types = ["parallel", "parallel"]} ins(%27 : tensor<32xf32>) outs(%28 : tensor<32x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<32x1xf32>
    %30 = linalg.generic {indexing_maps = [#map7, #map1], iterator_types = ["parallel", "parallel"]} ins(%29 : tensor<32x1xf32>) outs(%20 : tensor<32x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<32x32xf32>
    %31 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%22, %30 : tensor<32x32xf32>, tensor<32x32xf32>) outs(%20 : tensor<32x32xf32>) {
    ^bb0(%in: f32, %in_6: f32, %out: f32):
      %38 = arith.subf %in, %in_6 : f32
      linalg.yield %38 : f32
    } -> tensor<32x32xf32>
    %32 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%31 : tensor<32x32xf32>) outs(%20 : tensor<32x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      %38 = math.exp %in : f32
      linalg.yield %38 : f32
    } -> tensor<32x32xf32>
    %33 = linalg.fill ins(%cst_0 : f32) outs(%23 : tensor<32xf32>) -> tensor<32xf32>
    %34 = linalg.generic {indexing_maps = [#map1, #map4], iterator_types = ["parallel", "reduction"]} ins(%32 : tensor<32x32xf32>) outs(%33 : tensor<32xf32>) {
    ^bb0(%in: f32, %out: f32):
      %38 = arith.addf %out, %in : f32
      linalg.yield %38 : f32
    } -> tensor<32xf32>
    %35 = linalg.generic {indexing_maps = [#map4, #map1], iterator_types = ["parallel", "parallel"]} ins(%34 : tensor<32xf32>) outs(%28 : tensor<32x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<32x1xf32>
    %36 = linalg.generic {indexing_maps = [#map7, #map1], iterator_types = ["parallel", "parallel"]} ins(%35 : tensor<32x1xf32>) outs(%20 : tensor<32x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<32x32xf32>
    %37 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%32, %36 : tensor<32x32xf32>, tensor<32x32xf32>) outs(%20 : tensor<32x32xf32>) {
    ^bb0(%in: f32, %in_6: f32, %out: f32):
      %38 = arith.divf %in, %in_6 : f32
      linalg.yield %38 : f32
    } -> tensor<32x32xf32>
    return %37 : tensor<32x32xf32>
  }
}

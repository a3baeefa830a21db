// expect: tuned
// From jax_models.py.
#map = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d4)>
#map1 = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d3, d4)>
#map2 = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>
#map3 = affine_map<(d0, d1, d2, d3) -> ()>
#map4 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#map5 = affine_map<(d0, d1) -> ()>
#map6 = affine_map<(d0, d1) -> (d0, d1)>
#map7 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>
#map8 = affine_map<(d0, d1, d2) -> ()>
#map9 = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#map10 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, 0)>
#map11 = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d4, d3)>
#map12 = affine_map<(d0, d1, d2, d3) -> (d2, d3)>
module @jit_causal_attention attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<1x2x32x16xf32>, %arg1: tensor<1x2x32x16xf32>, %arg2: tensor<1x2x32x16xf32>) -> (tensor<1x2x32x16xf32> {jax.result_info = "result"}) {
    %cst = arith.constant 0xFF800000 : f32
    %cst_0 = arith.constant 0.000000e+00 : f32
    %cst_1 = arith.constant dense<0xFF800000> : tensor<f32>
    %cst_2 = arith.constant dense<-1.000000e+09> : tensor<f32>
    %cst_3 = arith.constant dense<true> : tensor<i1>
    %cst_4 = arith.constant dense<4.000000e+00> : tensor<f32>
    %0 = tensor.empty() : tensor<1x2x32x32xf32>
    %1 = linalg.fill ins(%cst_0 : f32) outs(%0 : tensor<1x2x32x32xf32>) -> tensor<1x2x32x32xf32>
    %2 = linalg.generic {indexing_maps = [#map, #map1, #map2], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%arg0, %arg1 : tensor<1x2x32x16xf32>, tensor<1x2x32x16xf32>) outs(%1 : tensor<1x2x32x32xf32>) {
    ^bb0(%in: f32, %in_5: f32, %out: f32):
      %27 = arith.mulf %in, %in_5 : f32
      %28 = arith.addf %out, %27 : f32
      linalg.yield %28 : f32
    } -> tensor<1x2x32x32xf32>
    %3 = linalg.generic {indexing_maps = [#map3, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%cst_4 : tensor<f32>) outs(%0 : tensor<1x2x32x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<1x2x32x32xf32>
    %4 = linalg.generic {indexing_maps = [#map4, #map4, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%2, %3 : tensor<1x2x32x32xf32>, tensor<1x2x32x32xf32>) outs(%0 : tensor<1x2x32x32xf32>) {
    ^bb0(%in: f32, %in_5: f32, %out: f32):
      %27 = arith.divf %in, %in_5 : f32
      linalg.yield %27 : f32
    } -> tensor<1x2x32x32xf32>
    %5 = tensor.empty() : tensor<32x32xi1>
    %6 = linalg.generic {indexing_maps = [#map5, #map6], iterator_types = ["parallel", "parallel"]} ins(%cst_3 : tensor<i1>) outs(%5 : tensor<32x32xi1>) {
    ^bb0(%in: i1, %out: i1):
      linalg.yield %in : i1
    } -> tensor<32x32xi1>
    %7 = call @tril(%6) : (tensor<32x32xi1>) -> tensor<32x32xi1>
    %8 = call @_where(%7, %4, %cst_2) : (tensor<32x32xi1>, tensor<1x2x32x32xf32>, tensor<f32>) -> tensor<1x2x32x32xf32>
    %9 = tensor.empty() : tensor<1x2x32xf32>
    %10 = linalg.fill ins(%cst : f32) outs(%9 : tensor<1x2x32xf32>) -> tensor<1x2x32xf32>
    %11 = linalg.generic {indexing_maps = [#map4, #map7], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%8 : tensor<1x2x32x32xf32>) outs(%10 : tensor<1x2x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      %27 = arith.maximumf %out, %in : f32
      linalg.yield %27 : f32
    } -> tensor<1x2x32xf32>
    %12 = linalg.generic {indexing_maps = [#map8, #map9], iterator_types = ["parallel", "parallel", "parallel"]} ins(%cst_1 : tensor<f32>) outs(%9 : tensor<1x2x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<1x2x32xf32>
    %13 = linalg.generic {indexing_maps = [#map9, #map9, #map9], iterator_types = ["parallel", "parallel", "parallel"]} ins(%12, %11 : tensor<1x2x32xf32>, tensor<1x2x32xf32>) outs(%9 : tensor<1x2x32xf32>) {
    ^bb0(%in: f32, %in_5: f32, %out: f32):
      %27 = arith.maximumf %in, %in_5 : f32
      linalg.yield %27 : f32
    } -> tensor<1x2x32xf32>
    %14 = tensor.empty() : tensor<1x2x32x1xf32>
    %15 = linalg.generic {indexing_maps = [#map7, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%13 : tensor<1x2x32xf32>) outs(%14 : tensor<1x2x32x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<1x2x32x1xf32>
    %16 = linalg.generic {indexing_maps = [#map10, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%15 : tensor<1x2x32x1xf32>) outs(%0 : tensor<1x2x32x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<1x2x32x32xf32>
    %17 = linalg.generic {indexing_maps = [#map4, #map4, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%8, %16 : tensor<1x2x32x32xf32>, tensor<1x2x32x32xf32>) outs(%0 : tensor<1x2x32x32xf32>) {
    ^bb0(%in: f32, %in_5: f32, %out: f32):
      %27 = arith.subf %in, %in_5 : f32
      linalg.yield %27 : f32
    } -> tensor<1x2x32x32xf32>
    %18 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%17 : tensor<1x2x32x32xf32>) outs(%0 : tensor<1x2x32x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      %27 = math.exp %in : f32
      linalg.yield %27 : f32
    } -> tensor<1x2x32x32xf32>
    %19 = linalg.fill ins(%cst_0 : f32) outs(%9 : tensor<1x2x32xf32>) -> tensor<1x2x32xf32>
    %20 = linalg.generic {indexing_maps = [#map4, #map7], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%18 : tensor<1x2x32x32xf32>) outs(%19 : tensor<1x2x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      %27 = arith.addf %out, %in : f32
      linalg.yield %27 : f32
    } -> tensor<1x2x32xf32>
    %21 = linalg.generic {indexing_maps = [#map7, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%20 : tensor<1x2x32xf32>) outs(%14 : tensor<1x2x32x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<1x2x32x1xf32>
    %22 = linalg.generic {indexing_maps = [#map10, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%21 : tensor<1x2x32x1xf32>) outs(%0 : tensor<1x2x32x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<1x2x32x32xf32>
    %23 = linalg.generic {indexing_maps = [#map4, #map4, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%18, %22 : tensor<1x2x32x32xf32>, tensor<1x2x32x32xf32>) outs(%0 : tensor<1x2x32x32xf32>) {
    ^bb0(%in: f32, %in_5: f32, %out: f32):
      %27 = arith.divf %in, %in_5 : f32
      linalg.yield %27 : f32
    } -> tensor<1x2x32x32xf32>
    %24 = tensor.empty() : tensor<1x2x32x16xf32>
    %25 = linalg.fill ins(%cst_0 : f32) outs(%24 : tensor<1x2x32x16xf32>) -> tensor<1x2x32x16xf32>
    %26 = linalg.generic {indexing_maps = [#map, #map11, #map2], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%23, %arg2 : tensor<1x2x32x32xf32>, tensor<1x2x32x16xf32>) outs(%25 : tensor<1x2x32x16xf32>) {
    ^bb0(%in: f32, %in_5: f32, %out: f32):
      %27 = arith.mulf %in, %in_5 : f32
      %28 = arith.addf %out, %27 : f32
      linalg.yield %28 : f32
    } -> tensor<1x2x32x16xf32>
    return %26 : tensor<1x2x32x16xf32>
  }
  func.func private @tril(%arg0: tensor<32x32xi1>) -> tensor<32x32xi1> {
    %cst = arith.constant dense<false> : tensor<i1>
    %cst_0 = arith.constant dense<0> : tensor<i32>
    %0 = tensor.empty() : tensor<32x32xi32>
    %1 = linalg.generic {indexing_maps = [#map6], iterator_types = ["parallel", "parallel"]} outs(%0 : tensor<32x32xi32>) {
    ^bb0(%out: i32):
      %9 = linalg.index 0 : index
      %10 = arith.index_cast %9 : index to i32
      linalg.yield %10 : i32
    } -> tensor<32x32xi32>
    %2 = linalg.generic {indexing_maps = [#map5, #map6], iterator_types = ["parallel", "parallel"]} ins(%cst_0 : tensor<i32>) outs(%0 : tensor<32x32xi32>) {
    ^bb0(%in: i32, %out: i32):
      linalg.yield %in : i32
    } -> tensor<32x32xi32>
    %3 = linalg.generic {indexing_maps = [#map6, #map6, #map6], iterator_types = ["parallel", "parallel"]} ins(%1, %2 : tensor<32x32xi32>, tensor<32x32xi32>) outs(%0 : tensor<32x32xi32>) {
    ^bb0(%in: i32, %in_1: i32, %out: i32):
      %9 = arith.addi %in, %in_1 : i32
      linalg.yield %9 : i32
    } -> tensor<32x32xi32>
    %4 = linalg.generic {indexing_maps = [#map6], iterator_types = ["parallel", "parallel"]} outs(%0 : tensor<32x32xi32>) {
    ^bb0(%out: i32):
      %9 = linalg.index 1 : index
      %10 = arith.index_cast %9 : index to i32
      linalg.yield %10 : i32
    } -> tensor<32x32xi32>
    %5 = tensor.empty() : tensor<32x32xi1>
    %6 = linalg.generic {indexing_maps = [#map6, #map6, #map6], iterator_types = ["parallel", "parallel"]} ins(%3, %4 : tensor<32x32xi32>, tensor<32x32xi32>) outs(%5 : tensor<32x32xi1>) {
    ^bb0(%in: i32, %in_1: i32, %out: i1):
      %9 = arith.cmpi sge, %in, %in_1 : i32
      linalg.yield %9 : i1
    } -> tensor<32x32xi1>
    %7 = linalg.generic {indexing_maps = [#map5, #map6], iterator_types = ["parallel", "parallel"]} ins(%cst : tensor<i1>) outs(%5 : tensor<32x32xi1>) {
    ^bb0(%in: i1, %out: i1):
      linalg.yield %in : i1
    } -> tensor<32x32xi1>
    %8 = linalg.generic {indexing_maps = [#map6, #map6, #map6, #map6], iterator_types = ["parallel", "parallel"]} ins(%6, %arg0, %7 : tensor<32x32xi1>, tensor<32x32xi1>, tensor<32x32xi1>) outs(%5 : tensor<32x32xi1>) {
    ^bb0(%in: i1, %in_1: i1, %in_2: i1, %out: i1):
      %9 = arith.select %in, %in_1, %in_2 : i1
      linalg.yield %9 : i1
    } -> tensor<32x32xi1>
    return %8 : tensor<32x32xi1>
  }
  func.func private @_where(%arg0: tensor<32x32xi1>, %arg1: tensor<1x2x32x32xf32>, %arg2: tensor<f32>) -> tensor<1x2x32x32xf32> {
    %0 = tensor.empty() : tensor<1x2x32x32xi1>
    %1 = linalg.generic {indexing_maps = [#map12, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%arg0 : tensor<32x32xi1>) outs(%0 : tensor<1x2x32x32xi1>) {
    ^bb0(%in: i1, %out: i1):
      linalg.yield %in : i1
    } -> tensor<1x2x32x32xi1>
    %2 = tensor.empty() : tensor<1x2x32x32xf32>
    %3 = linalg.generic {indexing_maps = [#map3, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%arg2 : tensor<f32>) outs(%2 : tensor<1x2x32x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<1x2x32x32xf32>
    %4 = linalg.generic {indexing_maps = [#map4, #map4, #map4, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%1, %arg1, %3 : tensor<1x2x32x32xi1>, tensor<1x2x32x32xf32>, tensor<1x2x32x32xf32>) outs(%2 : tensor<1x2x32x32xf32>) {
    ^bb0(%in: i1, %in_0: f32, %in_1: f32, %out: f32):
      %5 = arith.select %in, %in_0, %in_1 : f32
      linalg.yield %5 : f32
    } -> tensor<1x2x32x32xf32>
    return %4 : tensor<1x2x32x32xf32>
  }
}

// expect: tuned
// From jax_models.py.
#map = affine_map<(d0, d1) -> ()>
#map1 = affine_map<(d0, d1) -> (d0, d1)>
#map2 = affine_map<(d0, d1) -> (0, 0)>
#map3 = affine_map<() -> ()>
module @jit_dropout attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<2xi32>, %arg1: tensor<8x16xf32>) -> (tensor<8x16xf32> {jax.result_info = "result"}) {
    %cst = arith.constant dense<0.000000e+00> : tensor<f32>
    %cst_0 = arith.constant dense<0.899999976> : tensor<f32>
    %0 = call @_bernoulli(%arg0, %cst_0) : (tensor<2xi32>, tensor<f32>) -> tensor<8x16xi1>
    %1 = tensor.empty() : tensor<8x16xf32>
    %2 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel"]} ins(%cst_0 : tensor<f32>) outs(%1 : tensor<8x16xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<8x16xf32>
    %3 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%arg1, %2 : tensor<8x16xf32>, tensor<8x16xf32>) outs(%1 : tensor<8x16xf32>) {
    ^bb0(%in: f32, %in_1: f32, %out: f32):
      %5 = arith.divf %in, %in_1 : f32
      linalg.yield %5 : f32
    } -> tensor<8x16xf32>
    %4 = call @_where(%0, %3, %cst) : (tensor<8x16xi1>, tensor<8x16xf32>, tensor<f32>) -> tensor<8x16xf32>
    return %4 : tensor<8x16xf32>
  }
  func.func private @_bernoulli(%arg0: tensor<2xi32>, %arg1: tensor<f32>) -> tensor<8x16xi1> {
    %cst = arith.constant dense<0.000000e+00> : tensor<f32>
    %cst_0 = arith.constant dense<1.000000e+00> : tensor<f32>
    %0 = call @_uniform(%arg0, %cst, %cst_0) : (tensor<2xi32>, tensor<f32>, tensor<f32>) -> tensor<8x16xf32>
    %1 = tensor.empty() : tensor<8x16xf32>
    %2 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel"]} ins(%arg1 : tensor<f32>) outs(%1 : tensor<8x16xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<8x16xf32>
    %3 = tensor.empty() : tensor<8x16xi1>
    %4 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%0, %2 : tensor<8x16xf32>, tensor<8x16xf32>) outs(%3 : tensor<8x16xi1>) {
    ^bb0(%in: f32, %in_1: f32, %out: i1):
      %5 = arith.cmpf olt, %in, %in_1 : f32
      linalg.yield %5 : i1
    } -> tensor<8x16xi1>
    return %4 : tensor<8x16xi1>
  }
  func.func private @_uniform(%arg0: tensor<2xi32>, %arg1: tensor<f32>, %arg2: tensor<f32>) -> tensor<8x16xf32> {
    %c32_i32 = arith.constant 32 : i32
    %c0_i32 = arith.constant 0 : i32
    %c64_i64 = arith.constant 64 : i64
    %c0_i64 = arith.constant 0 : i64
    %cst = arith.constant dense<16> : tensor<i64>
    %cst_0 = arith.constant dense<1> : tensor<i64>
    %cst_1 = arith.constant dense<32> : tensor<i64>
    %cst_2 = arith.constant dense<9> : tensor<i32>
    %cst_3 = arith.constant dense<1065353216> : tensor<i32>
    %cst_4 = arith.constant dense<1.000000e+00> : tensor<f32>
    %0 = tensor.empty() : tensor<1x1xf32>
    %1 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel"]} ins(%arg1 : tensor<f32>) outs(%0 : tensor<1x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<1x1xf32>
    %2 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel"]} ins(%arg2 : tensor<f32>) outs(%0 : tensor<1x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<1x1xf32>
    %extracted_slice = tensor.extract_slice %arg0[0] [1] [1] : tensor<2xi32> to tensor<1xi32>
    %collapsed = tensor.collapse_shape %extracted_slice [] : tensor<1xi32> into tensor<i32>
    %extracted_slice_5 = tensor.extract_slice %arg0[1] [1] [1] : tensor<2xi32> to tensor<1xi32>
    %collapsed_6 = tensor.collapse_shape %extracted_slice_5 [] : tensor<1xi32> into tensor<i32>
    %3 = tensor.empty() : tensor<8x16xi64>
    %4 = linalg.generic {indexing_maps = [#map1], iterator_types = ["parallel", "parallel"]} outs(%3 : tensor<8x16xi64>) {
    ^bb0(%out: i64):
      %32 = linalg.index 0 : index
      %33 = arith.index_cast %32 : index to i64
      linalg.yield %33 : i64
    } -> tensor<8x16xi64>
    %5 = linalg.generic {indexing_maps = [#map1], iterator_types = ["parallel", "parallel"]} outs(%3 : tensor<8x16xi64>) {
    ^bb0(%out: i64):
      %32 = linalg.index 1 : index
      %33 = arith.index_cast %32 : index to i64
      linalg.yield %33 : i64
    } -> tensor<8x16xi64>
    %6 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel"]} ins(%cst : tensor<i64>) outs(%3 : tensor<8x16xi64>) {
    ^bb0(%in: i64, %out: i64):
      linalg.yield %in : i64
    } -> tensor<8x16xi64>
    %7 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%6, %4 : tensor<8x16xi64>, tensor<8x16xi64>) outs(%3 : tensor<8x16xi64>) {
    ^bb0(%in: i64, %in_7: i64, %out: i64):
      %32 = arith.muli %in, %in_7 : i64
      linalg.yield %32 : i64
    } -> tensor<8x16xi64>
    %8 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel"]} ins(%cst_0 : tensor<i64>) outs(%3 : tensor<8x16xi64>) {
    ^bb0(%in: i64, %out: i64):
      linalg.yield %in : i64
    } -> tensor<8x16xi64>
    %9 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%8, %5 : tensor<8x16xi64>, tensor<8x16xi64>) outs(%3 : tensor<8x16xi64>) {
    ^bb0(%in: i64, %in_7: i64, %out: i64):
      %32 = arith.muli %in, %in_7 : i64
      linalg.yield %32 : i64
    } -> tensor<8x16xi64>
    %10 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%7, %9 : tensor<8x16xi64>, tensor<8x16xi64>) outs(%3 : tensor<8x16xi64>) {
    ^bb0(%in: i64, %in_7: i64, %out: i64):
      %32 = arith.addi %in, %in_7 : i64
      linalg.yield %32 : i64
    } -> tensor<8x16xi64>
    %11 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel"]} ins(%cst_1 : tensor<i64>) outs(%3 : tensor<8x16xi64>) {
    ^bb0(%in: i64, %out: i64):
      linalg.yield %in : i64
    } -> tensor<8x16xi64>
    %12 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%10, %11 : tensor<8x16xi64>, tensor<8x16xi64>) outs(%3 : tensor<8x16xi64>) {
    ^bb0(%in: i64, %in_7: i64, %out: i64):
      %32 = arith.shrui %in, %in_7 : i64
      %33 = arith.cmpi ult, %in_7, %c64_i64 : i64
      %34 = arith.select %33, %32, %c0_i64 : i64
      linalg.yield %34 : i64
    } -> tensor<8x16xi64>
    %13 = tensor.empty() : tensor<8x16xi32>
    %14 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%10 : tensor<8x16xi64>) outs(%13 : tensor<8x16xi32>) {
    ^bb0(%in: i64, %out: i32):
      %32 = arith.trunci %in : i64 to i32
      linalg.yield %32 : i32
    } -> tensor<8x16xi32>
    %15 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%12 : tensor<8x16xi64>) outs(%13 : tensor<8x16xi32>) {
    ^bb0(%in: i64, %out: i32):
      %32 = arith.trunci %in : i64 to i32
      linalg.yield %32 : i32
    } -> tensor<8x16xi32>
    %16:2 = call @threefry2x32(%collapsed, %collapsed_6, %15, %14) : (tensor<i32>, tensor<i32>, tensor<8x16xi32>, tensor<8x16xi32>) -> (tensor<8x16xi32>, tensor<8x16xi32>)
    %17 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%16#0, %16#1 : tensor<8x16xi32>, tensor<8x16xi32>) outs(%13 : tensor<8x16xi32>) {
    ^bb0(%in: i32, %in_7: i32, %out: i32):
      %32 = arith.xori %in, %in_7 : i32
      linalg.yield %32 : i32
    } -> tensor<8x16xi32>
    %18 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel"]} ins(%cst_2 : tensor<i32>) outs(%13 : tensor<8x16xi32>) {
    ^bb0(%in: i32, %out: i32):
      linalg.yield %in : i32
    } -> tensor<8x16xi32>
    %19 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%17, %18 : tensor<8x16xi32>, tensor<8x16xi32>) outs(%13 : tensor<8x16xi32>) {
    ^bb0(%in: i32, %in_7: i32, %out: i32):
      %32 = arith.shrui %in, %in_7 : i32
      %33 = arith.cmpi ult, %in_7, %c32_i32 : i32
      %34 = arith.select %33, %32, %c0_i32 : i32
      linalg.yield %34 : i32
    } -> tensor<8x16xi32>
    %20 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel"]} ins(%cst_3 : tensor<i32>) outs(%13 : tensor<8x16xi32>) {
    ^bb0(%in: i32, %out: i32):
      linalg.yield %in : i32
    } -> tensor<8x16xi32>
    %21 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%19, %20 : tensor<8x16xi32>, tensor<8x16xi32>) outs(%13 : tensor<8x16xi32>) {
    ^bb0(%in: i32, %in_7: i32, %out: i32):
      %32 = arith.ori %in, %in_7 : i32
      linalg.yield %32 : i32
    } -> tensor<8x16xi32>
    %22 = tensor.empty() : tensor<8x16xf32>
    %23 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%21 : tensor<8x16xi32>) outs(%22 : tensor<8x16xf32>) {
    ^bb0(%in: i32, %out: f32):
      %32 = arith.bitcast %in : i32 to f32
      linalg.yield %32 : f32
    } -> tensor<8x16xf32>
    %24 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel"]} ins(%cst_4 : tensor<f32>) outs(%22 : tensor<8x16xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<8x16xf32>
    %25 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%23, %24 : tensor<8x16xf32>, tensor<8x16xf32>) outs(%22 : tensor<8x16xf32>) {
    ^bb0(%in: f32, %in_7: f32, %out: f32):
      %32 = arith.subf %in, %in_7 : f32
      linalg.yield %32 : f32
    } -> tensor<8x16xf32>
    %26 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%2, %1 : tensor<1x1xf32>, tensor<1x1xf32>) outs(%0 : tensor<1x1xf32>) {
    ^bb0(%in: f32, %in_7: f32, %out: f32):
      %32 = arith.subf %in, %in_7 : f32
      linalg.yield %32 : f32
    } -> tensor<1x1xf32>
    %27 = linalg.generic {indexing_maps = [#map2, #map1], iterator_types = ["parallel", "parallel"]} ins(%26 : tensor<1x1xf32>) outs(%22 : tensor<8x16xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<8x16xf32>
    %28 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%25, %27 : tensor<8x16xf32>, tensor<8x16xf32>) outs(%22 : tensor<8x16xf32>) {
    ^bb0(%in: f32, %in_7: f32, %out: f32):
      %32 = arith.mulf %in, %in_7 : f32
      linalg.yield %32 : f32
    } -> tensor<8x16xf32>
    %29 = linalg.generic {indexing_maps = [#map2, #map1], iterator_types = ["parallel", "parallel"]} ins(%1 : tensor<1x1xf32>) outs(%22 : tensor<8x16xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<8x16xf32>
    %30 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%28, %29 : tensor<8x16xf32>, tensor<8x16xf32>) outs(%22 : tensor<8x16xf32>) {
    ^bb0(%in: f32, %in_7: f32, %out: f32):
      %32 = arith.addf %in, %in_7 : f32
      linalg.yield %32 : f32
    } -> tensor<8x16xf32>
    %31 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%29, %30 : tensor<8x16xf32>, tensor<8x16xf32>) outs(%22 : tensor<8x16xf32>) {
    ^bb0(%in: f32, %in_7: f32, %out: f32):
      %32 = arith.maximumf %in, %in_7 : f32
      linalg.yield %32 : f32
    } -> tensor<8x16xf32>
    return %31 : tensor<8x16xf32>
  }
  func.func private @threefry2x32(%arg0: tensor<i32>, %arg1: tensor<i32>, %arg2: tensor<8x16xi32>, %arg3: tensor<8x16xi32>) -> (tensor<8x16xi32>, tensor<8x16xi32>) {
    %c32_i32 = arith.constant 32 : i32
    %c0_i32 = arith.constant 0 : i32
    %c466688986_i32 = arith.constant 466688986 : i32
    %cst = arith.constant dense<13> : tensor<i32>
    %cst_0 = arith.constant dense<19> : tensor<i32>
    %cst_1 = arith.constant dense<15> : tensor<i32>
    %cst_2 = arith.constant dense<17> : tensor<i32>
    %cst_3 = arith.constant dense<26> : tensor<i32>
    %cst_4 = arith.constant dense<6> : tensor<i32>
    %cst_5 = arith.constant dense<1> : tensor<i32>
    %cst_6 = arith.constant dense<29> : tensor<i32>
    %cst_7 = arith.constant dense<3> : tensor<i32>
    %cst_8 = arith.constant dense<16> : tensor<i32>
    %cst_9 = arith.constant dense<24> : tensor<i32>
    %cst_10 = arith.constant dense<8> : tensor<i32>
    %cst_11 = arith.constant dense<2> : tensor<i32>
    %cst_12 = arith.constant dense<4> : tensor<i32>
    %cst_13 = arith.constant dense<5> : tensor<i32>
    %0 = tensor.empty() : tensor<i32>
    %1 = linalg.generic {indexing_maps = [#map3, #map3, #map3], iterator_types = []} ins(%arg0, %arg1 : tensor<i32>, tensor<i32>) outs(%0 : tensor<i32>) {
    ^bb0(%in: i32, %in_14: i32, %out: i32):
      %139 = arith.xori %in, %in_14 : i32
      linalg.yield %139 : i32
    } -> tensor<i32>
    %2 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = []} ins(%1 : tensor<i32>) outs(%0 : tensor<i32>) {
    ^bb0(%in: i32, %out: i32):
      %139 = arith.xori %in, %c466688986_i32 : i32
      linalg.yield %139 : i32
    } -> tensor<i32>
    %3 = tensor.empty() : tensor<8x16xi32>
    %4 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel"]} ins(%arg0 : tensor<i32>) outs(%3 : tensor<8x16xi32>) {
    ^bb0(%in: i32, %out: i32):
      linalg.yield %in : i32
    } -> tensor<8x16xi32>
    %5 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%arg2, %4 : tensor<8x16xi32>, tensor<8x16xi32>) outs(%3 : tensor<8x16xi32>) {
    ^bb0(%in: i32, %in_14: i32, %out: i32):
      %139 = arith.addi %in, %in_14 : i32
      linalg.yield %139 : i32
    } -> tensor<8x16xi32>
    %6 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel"]} ins(%arg1 : tensor<i32>) outs(%3 : tensor<8x16xi32>) {
    ^bb0(%in: i32, %out: i32):
      linalg.yield %in : i32
    } -> tensor<8x16xi32>
    %7 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%arg3, %6 : tensor<8x16xi32>, tensor<8x16xi32>) outs(%3 : tensor<8x16xi32>) {
    ^bb0(%in: i32, %in_14: i32, %out: i32):
      %139 = arith.addi %in, %in_14 : i32
      linalg.yield %139 : i32
    } -> tensor<8x16xi32>
    %8 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%5, %7 : tensor<8x16xi32>, tensor<8x16xi32>) outs(%3 : tensor<8x16xi32>) {
    ^bb0(%in: i32, %in_14: i32, %out: i32):
      %139 = arith.addi %in, %in_14 : i32
      linalg.yield %139 : i32
    } -> tensor<8x16xi32>
    %9 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel"]} ins(%cst : tensor<i32>) outs(%3 : tensor<8x16xi32>) {
    ^bb0(%in: i32, %out: i32):
      linalg.yield %in : i32
    } -> tensor<8x16xi32>
    %10 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%7, %9 : tensor<8x16xi32>, tensor<8x16xi32>) outs(%3 : tensor<8x16xi32>) {
    ^bb0(%in: i32, %in_14: i32, %out: i32):
      %139 = arith.shli %in, %in_14 : i32
      %140 = arith.cmpi ult, %in_14, %c32_i32 : i32
      %141 = arith.select %140, %139, %c0_i32 : i32
      linalg.yield %141 : i32
    } -> tensor<8x16xi32>
    %11 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel"]} ins(%cst_0 : tensor<i32>) outs(%3 : tensor<8x16xi32>) {
    ^bb0(%in: i32, %out: i32):
      linalg.yield %in : i32
    } -> tensor<8x16xi32>
    %12 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%7, %11 : tensor<8x16xi32>, tensor<8x16xi32>) outs(%3 : tensor<8x16xi32>) {
    ^bb0(%in: i32, %in_14: i32, %out: i32):
      %139 = arith.shrui %in, %in_14 : i32
      %140 = arith.cmpi ult, %in_14, %c32_i32 : i32
      %141 = arith.select %140, %139, %c0_i32 : i32
      linalg.yield %141 : i32
    } -> tensor<8x16xi32>
    %13 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%10, %12 : tensor<8x16xi32>, tensor<8x16xi32>) outs(%3 : tensor<8x16xi32>) {
    ^bb0(%in: i32, %in_14: i32, %out: i32):
      %139 = arith.ori %in, %in_14 : i32
      linalg.yield %139 : i32
    } -> tensor<8x16xi32>
    %14 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%8, %13 : tensor<8x16xi32>, tensor<8x16xi32>) outs(%3 : tensor<8x16xi32>) {
    ^bb0(%in: i32, %in_14: i32, %out: i32):
      %139 = arith.xori %in, %in_14 : i32
      linalg.yield %139 : i32
    } -> tensor<8x16xi32>
    %15 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%8, %14 : tensor<8x16xi32>, tensor<8x16xi32>) outs(%3 : tensor<8x16xi32>) {
    ^bb0(%in: i32, %in_14: i32, %out: i32):
      %139 = arith.addi %in, %in_14 : i32
      linalg.yield %139 : i32
    } -> tensor<8x16xi32>
    %16 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel"]} ins(%cst_1 : tensor<i32>) outs(%3 : tensor<8x16xi32>) {
    ^bb0(%in: i32, %out: i32):
      linalg.yield %in : i32
    } -> tensor<8x16xi32>
    %17 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%14, %16 : tensor<8x16xi32>, tensor<8x16xi32>) outs(%3 : tensor<8x16xi32>) {
    ^bb0(%in: i32, %in_14: i32, %out: i32):
      %139 = arith.shli %in, %in_14 : i32
      %140 = arith.cmpi ult, %in_14, %c32_i32 : i32
      %141 = arith.select %140, %139, %c0_i32 : i32
      linalg.yield %141 : i32
    } -> tensor<8x16xi32>
    %18 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel"]} ins(%cst_2 : tensor<i32>) outs(%3 : tensor<8x16xi32>) {
    ^bb0(%in: i32, %out: i32):
      linalg.yield %in : i32
    } -> tensor<8x16xi32>
    %19 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%14, %18 : tensor<8x16xi32>, tensor<8x16xi32>) outs(%3 : tensor<8x16xi32>) {
    ^bb0(%in: i32, %in_14: i32, %out: i32):
      %139 = arith.shrui %in, %in_14 : i32
      %140 = arith.cmpi ult, %in_14, %c32_i32 : i32
      %141 = arith.select %140, %139, %c0_i32 : i32
      linalg.yield %141 : i32
    } -> tensor<8x16xi32>
    %20 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%17, %19 : tensor<8x16xi32>, tensor<8x16xi32>) outs(%3 : tensor<8x16xi32>) {
    ^bb0(%in: i32, %in_14: i32, %out: i32):
      %139 = arith.ori %in, %in_14 : i32
      linalg.yield %139 : i32
    } -> tensor<8x16xi32>
    %21 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%15, %20 : tensor<8x16xi32>, tensor<8x16xi32>) outs(%3 : tensor<8x16xi32>) {
    ^bb0(%in: i32, %in_14: i32, %out: i32):
      %139 = arith.xori %in, %in_14 : i32
      linalg.yield %139 : i32
    } -> tensor<8x16xi32>
    %22 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%15, %21 : tensor<8x16xi32>, tensor<8x16xi32>) outs(%3 : tensor<8x16xi32>) {
    ^bb0(%in: i32, %in_14: i32, %out: i32):
      %139 = arith.addi %in, %in_14 : i32
      linalg.yield %139 : i32
    } -> tensor<8x16xi32>
    %23 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel"]} ins(%cst_3 : tensor<i32>) outs(%3 : tensor<8x16xi32>) {
    ^bb0(%in: i32, %out: i32):
      linalg.yield %in : i32
    } -> tensor<8x16xi32>
    %24 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%21, %23 : tensor<8x16xi32>, tensor<8x16xi32>) outs(%3 : tensor<8x16xi32>) {
    ^bb0(%in: i32, %in_14: i32, %out: i32):
      %139 = arith.shli %in, %in_14 : i32
      %140 = arith.cmpi ult, %in_14, %c32_i32 : i32
      %141 = arith.select %140, %139, %c0_i32 : i32
      linalg.yield %141 : i32
    } -> tensor<8x16xi32>
    %25 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel"]} ins(%cst_4 : tensor<i32>) outs(%3 : tensor<8x16xi32>) {
    ^bb0(%in: i32, %out: i32):
      linalg.yield %in : i32
    } -> tensor<8x16xi32>
    %26 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%21, %25 : tensor<8x16xi32>, tensor<8x16xi32>) outs(%3 : tensor<8x16xi32>) {
    ^bb0(%in: i32, %in_14: i32, %out: i32):
      %139 = arith.shrui %in, %in_14 : i32
      %140 = arith.cmpi ult, %in_14, %c32_i32 : i32
      %141 = arith.select %140, %139, %c0_i32 : i32
      linalg.yield %141 : i32
    } -> tensor<8x16xi32>
    %27 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%24, %26 : tensor<8x16xi32>, tensor<8x16xi32>) outs(%3 : tensor<8x16xi32>) {
    ^bb0(%in: i32, %in_14: i32, %out: i32):
      %139 = arith.ori %in, %in_14 : i32
      linalg.yield %139 : i32
    } -> tensor<8x16xi32>
    %28 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%22, %27 : tensor<8x16xi32>, tensor<8x16xi32>) outs(%3 : tensor<8x16xi32>) {
    ^bb0(%in: i32, %in_14: i32, %out: i32):
      %139 = arith.xori %in, %in_14 : i32
      linalg.yield %139 : i32
    } -> tensor<8x16xi32>
    %29 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%22, %28 : tensor<8x16xi32>, tensor<8x16xi32>) outs(%3 : tensor<8x16xi32>) {
    ^bb0(%in: i32, %in_14: i32, %out: i32):
      %139 = arith.addi %in, %in_14 : i32
      linalg.yield %139 : i32
    } -> tensor<8x16xi32>
    %30 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%28, %25 : tensor<8x16xi32>, tensor<8x16xi32>) outs(%3 : tensor<8x16xi32>) {
    ^bb0(%in: i32, %in_14: i32, %out: i32):
      %139 = arith.shli %in, %in_14 : i32
      %140 = arith.cmpi ult, %in_14, %c32_i32 : i32
      %141 = arith.select %140, %139, %c0_i32 : i32
      linalg.yield %141 : i32
    } -> tensor<8x16xi32>
    %31 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%28, %23 : tensor<8x16xi32>, tensor<8x16xi32>) outs(%3 : tensor<8x16xi32>) {
    ^bb0(%in: i32, %in_14: i32, %out: i32):
      %139 = arith.shrui %in, %in_14 : i32
      %140 = arith.cmpi ult, %in_14, %c32_i32 : i32
      %141 = arith.select %140, %139, %c0_i32 : i32
      linalg.yield %141 : i32
    } -> tensor<8x16xi32>
    %32 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%30, %31 : tensor<8x16xi32>, tensor<8x16xi32>) outs(%3 : tensor<8x16xi32>) {
    ^bb0(%in: i32, %in_14: i32, %out: i32):
      %139 = arith.ori %in, %in_14 : i32
      linalg.yield %139 : i32
    } -> tensor<8x16xi32>
    %33 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%29, %32 : tensor<8x16xi32>, tensor<8x16xi32>) outs(%3 : tensor<8x16xi32>) {
    ^bb0(%in: i32, %in_14: i32, %out: i32):
      %139 = arith.xori %in, %in_14 : i32
      linalg.yield %139 : i32
    } -> tensor<8x16xi32>
    %34 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%29, %6 : tensor<8x16xi32>, tensor<8x16xi32>) outs(%3 : tensor<8x16xi32>) {
    ^bb0(%in: i32, %in_14: i32, %out: i32):
      %139 = arith.addi %in, %in_14 : i32
      linalg.yield %139 : i32
    } -> tensor<8x16xi32>
    %35 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel"]} ins(%2 : tensor<i32>) outs(%3 : tensor<8x16xi32>) {
    ^bb0(%in: i32, %out: i32):
      linalg.yield %in : i32
    } -> tensor<8x16xi32>
    %36 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%33, %35 : tensor<8x16xi32>, tensor<8x16xi32>) outs(%3 : tensor<8x16xi32>) {
    ^bb0(%in: i32, %in_14: i32, %out: i32):
      %139 = arith.addi %in, %in_14 : i32
      linalg.yield %139 : i32
    } -> tensor<8x16xi32>
    %37 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel"]} ins(%cst_5 : tensor<i32>) outs(%3 : tensor<8x16xi32>) {
    ^bb0(%in: i32, %out: i32):
      linalg.yield %in : i32
    } -> tensor<8x16xi32>
    %38 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%36, %37 : tensor<8x16xi32>, tensor<8x16xi32>) outs(%3 : tensor<8x16xi32>) {
    ^bb0(%in: i32, %in_14: i32, %out: i32):
      %139 = arith.addi %in, %in_14 : i32
      linalg.yield %139 : i32
    } -> tensor<8x16xi32>
    %39 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%34, %38 : tensor<8x16xi32>, tensor<8x16xi32>) outs(%3 : tensor<8x16xi32>) {
    ^bb0(%in: i32, %in_14: i32, %out: i32):
      %139 = arith.addi %in, %in_14 : i32
      linalg.yield %139 : i32
    } -> tensor<8x16xi32>
    %40 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%38, %18 : tensor<8x16xi32>, tensor<8x16xi32>) outs(%3 : tensor<8x16xi32>) {
    ^bb0(%in: i32, %in_14: i32, %out: i32):
      %139 = arith.shli %in, %in_14 : i32
      %140 = arith.cmpi ult, %in_14, %c32_i32 : i32
      %141 = arith.select %140, %139, %c0_i32 : i32
      linalg.yield %141 : i32
    } -> tensor<8x16xi32>
    %41 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%38, %16 : tensor<8x16xi32>, tensor<8x16xi32>) outs(%3 : tensor<8x16xi32>) {
    ^bb0(%in: i32, %in_14: i32, %out: i32):
      %139 = arith.shrui %in, %in_14 : i32
      %140 = arith.cmpi ult, %in_14, %c32_i32 : i32
      %141 = arith.select %140, %139, %c0_i32 : i32
      linalg.yield %141 : i32
    } -> tensor<8x16xi32>
    %42 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%40, %41 : tensor<8x16xi32>, tensor<8x16xi32>) outs(%3 : tensor<8x16xi32>) {
    ^bb0(%in: i32, %in_14: i32, %out: i32):
      %139 = arith.ori %in, %in_14 : i32
      linalg.yield %139 : i32
    } -> tensor<8x16xi32>
    %43 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%39, %42 : tensor<8x16xi32>, tensor<8x16xi32>) outs(%3 : tensor<8x16xi32>) {
    ^bb0(%in: i32, %in_14: i32, %out: i32):
      %139 = arith.xori %in, %in_14 : i32
      linalg.yield %139 : i32
    } -> tensor<8x16xi32>
    %44 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%39, %43 : tensor<8x16xi32>, tensor<8x16xi32>) outs(%3 : tensor<8x16xi32>) {
    ^bb0(%in: i32, %in_14: i32, %out: i32):
      %139 = arith.addi %in, %in_14 : i32
      linalg.yield %139 : i32
    } -> tensor<8x16xi32>
    %45 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel"]} ins(%cst_6 : tensor<i32>) outs(%3 : tensor<8x16xi32>) {
    ^bb0(%in: i32, %out: i32):
      linalg.yield %in : i32
    } -> tensor<8x16xi32>
    %46 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%43, %45 : tensor<8x16xi32>, tensor<8x16xi32>) outs(%3 : tensor<8x16xi32>) {
    ^bb0(%in: i32, %in_14: i32, %out: i32):
      %139 = arith.shli %in, %in_14 : i32
      %140 = arith.cmpi ult, %in_14, %c32_i32 : i32
      %141 = arith.select %140, %139, %c0_i32 : i32
      linalg.yield %141 : i32
    } -> tensor<8x16xi32>
    %47 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel"]} ins(%cst_7 : tensor<i32>) outs(%3 : tensor<8x16xi32>) {
    ^bb0(%in: i32, %out: i32):
      linalg.yield %in : i32
    } -> tensor<8x16xi32>
    %48 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%43, %47 : tensor<8x16xi32>, tensor<8x16xi32>) outs(%3 : tensor<8x16xi32>) {
    ^bb0(%in: i32, %in_14: i32, %out: i32):
      %139 = arith.shrui %in, %in_14 : i32
      %140 = arith.cmpi ult, %in_14, %c32_i32 : i32
      %141 = arith.select %140, %139, %c0_i32 : i32
      linalg.yield %141 : i32
    } -> tensor<8x16xi32>
    %49 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%46, %48 : tensor<8x16xi32>, tensor<8x16xi32>) outs(%3 : tensor<8x16xi32>) {
    ^bb0(%in: i32, %in_14: i32, %out: i32):
      %139 = arith.ori %in, %in_14 : i32
      linalg.yield %139 : i32
    } -> tensor<8x16xi32>
    %50 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%44, %49 : tensor<8x16xi32>, tensor<8x16xi32>) outs(%3 : tensor<8x16xi32>) {
    ^bb0(%in: i32, %in_14: i32, %out: i32):
      %139 = arith.xori %in, %in_14 : i32
      linalg.yield %139 : i32
    } -> tensor<8x16xi32>
    %51 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%44, %50 : tensor<8x16xi32>, tensor<8x16xi32>) outs(%3 : tensor<8x16xi32>) {
    ^bb0(%in: i32, %in_14: i32, %out: i32):
      %139 = arith.addi %in, %in_14 : i32
      linalg.yield %139 : i32
    } -> tensor<8x16xi32>
    %52 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel"]} ins(%cst_8 : tensor<i32>) outs(%3 : tensor<8x16xi32>) {
    ^bb0(%in: i32, %out: i32):
      linalg.yield %in : i32
    } -> tensor<8x16xi32>
    %53 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%50, %52 : tensor<8x16xi32>, tensor<8x16xi32>) outs(%3 : tensor<8x16xi32>) {
    ^bb0(%in: i32, %in_14: i32, %out: i32):
      %139 = arith.shli %in, %in_14 : i32
      %140 = arith.cmpi ult, %in_14, %c32_i32 : i32
      %141 = arith.select %140, %139, %c0_i32 : i32
      linalg.yield %141 : i32
    } -> tensor<8x16xi32>
    %54 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%50, %52 : tensor<8x16xi32>, tensor<8x16xi32>) outs(%3 : tensor<8x16xi32>) {
    ^bb0(%in: i32, %in_14: i32, %out: i32):
      %139 = arith.shrui %in, %in_14 : i32
      %140 = arith.cmpi ult, %in_14, %c32_i32 : i32
      %141 = arith.select %140, %139, %c0_i32 : i32
      linalg.yield %141 : i32
    } -> tensor<8x16xi32>
    %55 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%53, %54 : tensor<8x16xi32>, tensor<8x16xi32>) outs(%3 : tensor<8x16xi32>) {
    ^bb0(%in: i32, %in_14: i32, %out: i32):
      %139 = arith.ori %in, %in_14 : i32
      linalg.yield %139 : i32
    } -> tensor<8x16xi32>
    %56 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%51, %55 : tensor<8x16xi32>, tensor<8x16xi32>) outs(%3 : tensor<8x16xi32>) {
    ^bb0(%in: i32, %in_14: i32, %out: i32):
      %139 = arith.xori %in, %in_14 : i32
      linalg.yield %139 : i32
    } -> tensor<8x16xi32>
    %57 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%51, %56 : tensor<8x16xi32>, tensor<8x16xi32>) outs(%3 : tensor<8x16xi32>) {
    ^bb0(%in: i32, %in_14: i32, %out: i32):
      %139 = arith.addi %in, %in_14 : i32
      linalg.yield %139 : i32
    } -> tensor<8x16xi32>
    %58 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel"]} ins(%cst_9 : tensor<i32>) outs(%3 : tensor<8x16xi32>) {
    ^bb0(%in: i32, %out: i32):
      linalg.yield %in : i32
    } -> tensor<8x16xi32>
    %59 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%56, %58 : tensor<8x16xi32>, tensor<8x16xi32>) outs(%3 : tensor<8x16xi32>) {
    ^bb0(%in: i32, %in_14: i32, %out: i32):
      %139 = arith.shli %in, %in_14 : i32
      %140 = arith.cmpi ult, %in_14, %c32_i32 : i32
      %141 = arith.select %140, %139, %c0_i32 : i32
      linalg.yield %141 : i32
    } -> tensor<8x16xi32>
    %60 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel"]} ins(%cst_10 : tensor<i32>) outs(%3 : tensor<8x16xi32>) {
    ^bb0(%in: i32, %out: i32):
      linalg.yield %in : i32
    } -> tensor<8x16xi32>
    %61 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%56, %60 : tensor<8x16xi32>, tensor<8x16xi32>) outs(%3 : tensor<8x16xi32>) {
    ^bb0(%in: i32, %in_14: i32, %out: i32):
      %139 = arith.shrui %in, %in_14 : i32
      %140 = arith.cmpi ult, %in_14, %c32_i32 : i32
      %141 = arith.select %140, %139, %c0_i32 : i32
      linalg.yield %141 : i32
    } -> tensor<8x16xi32>
    %62 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%59, %61 : tensor<8x16xi32>, tensor<8x16xi32>) outs(%3 : tensor<8x16xi32>) {
    ^bb0(%in: i32, %in_14: i32, %out: i32):
      %139 = arith.ori %in, %in_14 : i32
      linalg.yield %139 : i32
    } -> tensor<8x16xi32>
    %63 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%57, %62 : tensor<8x16xi32>, tensor<8x16xi32>) outs(%3 : tensor<8x16xi32>) {
    ^bb0(%in: i32, %in_14: i32, %out: i32):
      %139 = arith.xori %in, %in_14 : i32
      linalg.yield %139 : i32
    } -> tensor<8x16xi32>
    %64 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%57, %35 : tensor<8x16xi32>, tensor<8x16xi32>) outs(%3 : tensor<8x16xi32>) {
    ^bb0(%in: i32, %in_14: i32, %out: i32):
      %139 = arith.addi %in, %in_14 : i32
      linalg.yield %139 : i32
    } -> tensor<8x16xi32>
    %65 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%63, %4 : tensor<8x16xi32>, tensor<8x16xi32>) outs(%3 : tensor<8x16xi32>) {
    ^bb0(%in: i32, %in_14: i32, %out: i32):
      %139 = arith.addi %in, %in_14 : i32
      linalg.yield %139 : i32
    } -> tensor<8x16xi32>
    %66 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel"]} ins(%cst_11 : tensor<i32>) outs(%3 : tensor<8x16xi32>) {
    ^bb0(%in: i32, %out: i32):
      linalg.yield %in : i32
    } -> tensor<8x16xi32>
    %67 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%65, %66 : tensor<8x16xi32>, tensor<8x16xi32>) outs(%3 : tensor<8x16xi32>) {
    ^bb0(%in: i32, %in_14: i32, %out: i32):
      %139 = arith.addi %in, %in_14 : i32
      linalg.yield %139 : i32
    } -> tensor<8x16xi32>
    %68 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%64, %67 : tensor<8x16xi32>, tensor<8x16xi32>) outs(%3 : tensor<8x16xi32>) {
    ^bb0(%in: i32, %in_14: i32, %out: i32):
      %139 = arith.addi %in, %in_14 : i32
      linalg.yield %139 : i32
    } -> tensor<8x16xi32>
    %69 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%67, %9 : tensor<8x16xi32>, tensor<8x16xi32>) outs(%3 : tensor<8x16xi32>) {
    ^bb0(%in: i32, %in_14: i32, %out: i32):
      %139 = arith.shli %in, %in_14 : i32
      %140 = arith.cmpi ult, %in_14, %c32_i32 : i32
      %141 = arith.select %140, %139, %c0_i32 : i32
      linalg.yield %141 : i32
    } -> tensor<8x16xi32>
    %70 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%67, %11 : tensor<8x16xi32>, tensor<8x16xi32>) outs(%3 : tensor<8x16xi32>) {
    ^bb0(%in: i32, %in_14: i32, %out: i32):
      %139 = arith.shrui %in, %in_14 : i32
      %140 = arith.cmpi ult, %in_14, %c32_i32 : i32
      %141 = arith.select %140, %139, %c0_i32 : i32
      linalg.yield %141 : i32
    } -> tensor<8x16xi32>
    %71 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%69, %70 : tensor<8x16xi32>, tensor<8x16xi32>) outs(%3 : tensor<8x16xi32>) {
    ^bb0(%in: i32, %in_14: i32, %out: i32):
      %139 = arith.ori %in, %in_14 : i32
      linalg.yield %139 : i32
    } -> tensor<8x16xi32>
    %72 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%68, %71 : tensor<8x16xi32>, tensor<8x16xi32>) outs(%3 : tensor<8x16xi32>) {
    ^bb0(%in: i32, %in_14: i32, %out: i32):
      %139 = arith.xori %in, %in_14 : i32
      linalg.yield %139 : i32
    } -> tensor<8x16xi32>
    %73 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%68, %72 : tensor<8x16xi32>, tensor<8x16xi32>) outs(%3 : tensor<8x16xi32>) {
    ^bb0(%in: i32, %in_14: i32, %out: i32):
      %139 = arith.addi %in, %in_14 : i32
      linalg.yield %139 : i32
    } -> tensor<8x16xi32>
    %74 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%72, %16 : tensor<8x16xi32>, tensor<8x16xi32>) outs(%3 : tensor<8x16xi32>) {
    ^bb0(%in: i32, %in_14: i32, %out: i32):
      %139 = arith.shli %in, %in_14 : i32
      %140 = arith.cmpi ult, %in_14, %c32_i32 : i32
      %141 = arith.select %140, %139, %c0_i32 : i32
      linalg.yield %141 : i32
    } -> tensor<8x16xi32>
    %75 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%72, %18 : tensor<8x16xi32>, tensor<8x16xi32>) outs(%3 : tensor<8x16xi32>) {
    ^bb0(%in: i32, %in_14: i32, %out: i32):
      %139 = arith.shrui %in, %in_14 : i32
      %140 = arith.cmpi ult, %in_14, %c32_i32 : i32
      %141 = arith.select %140, %139, %c0_i32 : i32
      linalg.yield %141 : i32
    } -> tensor<8x16xi32>
    %76 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%74, %75 : tensor<8x16xi32>, tensor<8x16xi32>) outs(%3 : tensor<8x16xi32>) {
    ^bb0(%in: i32, %in_14: i32, %out: i32):
      %139 = arith.ori %in, %in_14 : i32
      linalg.yield %139 : i32
    } -> tensor<8x16xi32>
    %77 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%73, %76 : tensor<8x16xi32>, tensor<8x16xi32>) outs(%3 : tensor<8x16xi32>) {
    ^bb0(%in: i32, %in_14: i32, %out: i32):
      %139 = arith.xori %in, %in_14 : i32
      linalg.yield %139 : i32
    } -> tensor<8x16xi32>
    %78 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%73, %77 : tensor<8x16xi32>, tensor<8x16xi32>) outs(%3 : tensor<8x16xi32>) {
    ^bb0(%in: i32, %in_14: i32, %out: i32):
      %139 = arith.addi %in, %in_14 : i32
      linalg.yield %139 : i32
    } -> tensor<8x16xi32>
    %79 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%77, %23 : tensor<8x16xi32>, tensor<8x16xi32>) outs(%3 : tensor<8x16xi32>) {
    ^bb0(%in: i32, %in_14: i32, %out: i32):
      %139 = arith.shli %in, %in_14 : i32
      %140 = arith.cmpi ult, %in_14, %c32_i32 : i32
      %141 = arith.select %140, %139, %c0_i32 : i32
      linalg.yield %141 : i32
    } -> tensor<8x16xi32>
    %80 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%77, %25 : tensor<8x16xi32>, tensor<8x16xi32>) outs(%3 : tensor<8x16xi32>) {
    ^bb0(%in: i32, %in_14: i32, %out: i32):
      %139 = arith.shrui %in, %in_14 : i32
      %140 = arith.cmpi ult, %in_14, %c32_i32 : i32
      %141 = arith.select %140, %139, %c0_i32 : i32
      linalg.yield %141 : i32
    } -> tensor<8x16xi32>
    %81 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%79, %80 : tensor<8x16xi32>, tensor<8x16xi32>) outs(%3 : tensor<8x16xi32>) {
    ^bb0(%in: i32, %in_14: i32, %out: i32):
      %139 = arith.ori %in, %in_14 : i32
      linalg.yield %139 : i32
    } -> tensor<8x16xi32>
    %82 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%78, %81 : tensor<8x16xi32>, tensor<8x16xi32>) outs(%3 : tensor<8x16xi32>) {
    ^bb0(%in: i32, %in_14: i32, %out: i32):
      %139 = arith.xori %in, %in_14 : i32
      linalg.yield %139 : i32
    } -> tensor<8x16xi32>
    %83 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%78, %82 : tensor<8x16xi32>, tensor<8x16xi32>) outs(%3 : tensor<8x16xi32>) {
    ^bb0(%in: i32, %in_14: i32, %out: i32):
      %139 = arith.addi %in, %in_14 : i32
      linalg.yield %139 : i32
    } -> tensor<8x16xi32>
    %84 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%82, %25 : tensor<8x16xi32>, tensor<8x16xi32>) outs(%3 : tensor<8x16xi32>) {
    ^bb0(%in: i32, %in_14: i32, %out: i32):
      %139 = arith.shli %in, %in_14 : i32
      %140 = arith.cmpi ult, %in_14, %c32_i32 : i32
      %141 = arith.select %140, %139, %c0_i32 : i32
      linalg.yield %141 : i32
    } -> tensor<8x16xi32>
    %85 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%82, %23 : tensor<8x16xi32>, tensor<8x16xi32>) outs(%3 : tensor<8x16xi32>) {
    ^bb0(%in: i32, %in_14: i32, %out: i32):
      %139 = arith.shrui %in, %in_14 : i32
      %140 = arith.cmpi ult, %in_14, %c32_i32 : i32
      %141 = arith.select %140, %139, %c0_i32 : i32
      linalg.yield %141 : i32
    } -> tensor<8x16xi32>
    %86 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%84, %85 : tensor<8x16xi32>, tensor<8x16xi32>) outs(%3 : tensor<8x16xi32>) {
    ^bb0(%in: i32, %in_14: i32, %out: i32):
      %139 = arith.ori %in, %in_14 : i32
      linalg.yield %139 : i32
    } -> tensor<8x16xi32>
    %87 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%83, %86 : tensor<8x16xi32>, tensor<8x16xi32>) outs(%3 : tensor<8x16xi32>) {
    ^bb0(%in: i32, %in_14: i32, %out: i32):
      %139 = arith.xori %in, %in_14 : i32
      linalg.yield %139 : i32
    } -> tensor<8x16xi32>
    %88 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%83, %4 : tensor<8x16xi32>, tensor<8x16xi32>) outs(%3 : tensor<8x16xi32>) {
    ^bb0(%in: i32, %in_14: i32, %out: i32):
      %139 = arith.addi %in, %in_14 : i32
      linalg.yield %139 : i32
    } -> tensor<8x16xi32>
    %89 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%87, %6 : tensor<8x16xi32>, tensor<8x16xi32>) outs(%3 : tensor<8x16xi32>) {
    ^bb0(%in: i32, %in_14: i32, %out: i32):
      %139 = arith.addi %in, %in_14 : i32
      linalg.yield %139 : i32
    } -> tensor<8x16xi32>
    %90 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%89, %47 : tensor<8x16xi32>, tensor<8x16xi32>) outs(%3 : tensor<8x16xi32>) {
    ^bb0(%in: i32, %in_14: i32, %out: i32):
      %139 = arith.addi %in, %in_14 : i32
      linalg.yield %139 : i32
    } -> tensor<8x16xi32>
    %91 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%88, %90 : tensor<8x16xi32>, tensor<8x16xi32>) outs(%3 : tensor<8x16xi32>) {
    ^bb0(%in: i32, %in_14: i32, %out: i32):
      %139 = arith.addi %in, %in_14 : i32
      linalg.yield %139 : i32
    } -> tensor<8x16xi32>
    %92 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%90, %18 : tensor<8x16xi32>, tensor<8x16xi32>) outs(%3 : tensor<8x16xi32>) {
    ^bb0(%in: i32, %in_14: i32, %out: i32):
      %139 = arith.shli %in, %in_14 : i32
      %140 = arith.cmpi ult, %in_14, %c32_i32 : i32
      %141 = arith.select %140, %139, %c0_i32 : i32
      linalg.yield %141 : i32
    } -> tensor<8x16xi32>
    %93 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%90, %16 : tensor<8x16xi32>, tensor<8x16xi32>) outs(%3 : tensor<8x16xi32>) {
    ^bb0(%in: i32, %in_14: i32, %out: i32):
      %139 = arith.shrui %in, %in_14 : i32
      %140 = arith.cmpi ult, %in_14, %c32_i32 : i32
      %141 = arith.select %140, %139, %c0_i32 : i32
      linalg.yield %141 : i32
    } -> tensor<8x16xi32>
    %94 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%92, %93 : tensor<8x16xi32>, tensor<8x16xi32>) outs(%3 : tensor<8x16xi32>) {
    ^bb0(%in: i32, %in_14: i32, %out: i32):
      %139 = arith.ori %in, %in_14 : i32
      linalg.yield %139 : i32
    } -> tensor<8x16xi32>
    %95 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%91, %94 : tensor<8x16xi32>, tensor<8x16xi32>) outs(%3 : tensor<8x16xi32>) {
    ^bb0(%in: i32, %in_14: i32, %out: i32):
      %139 = arith.xori %in, %in_14 : i32
      linalg.yield %139 : i32
    } -> tensor<8x16xi32>
    %96 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%91, %95 : tensor<8x16xi32>, tensor<8x16xi32>) outs(%3 : tensor<8x16xi32>) {
    ^bb0(%in: i32, %in_14: i32, %out: i32):
      %139 = arith.addi %in, %in_14 : i32
      linalg.yield %139 : i32
    } -> tensor<8x16xi32>
    %97 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%95, %45 : tensor<8x16xi32>, tensor<8x16xi32>) outs(%3 : tensor<8x16xi32>) {
    ^bb0(%in: i32, %in_14: i32, %out: i32):
      %139 = arith.shli %in, %in_14 : i32
      %140 = arith.cmpi ult, %in_14, %c32_i32 : i32
      %141 = arith.select %140, %139, %c0_i32 : i32
      linalg.yield %141 : i32
    } -> tensor<8x16xi32>
    %98 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%95, %47 : tensor<8x16xi32>, tensor<8x16xi32>) outs(%3 : tensor<8x16xi32>) {
    ^bb0(%in: i32, %in_14: i32, %out: i32):
      %139 = arith.shrui %in, %in_14 : i32
      %140 = arith.cmpi ult, %in_14, %c32_i32 : i32
      %141 = arith.select %140, %139, %c0_i32 : i32
      linalg.yield %141 : i32
    } -> tensor<8x16xi32>
    %99 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%97, %98 : tensor<8x16xi32>, tensor<8x16xi32>) outs(%3 : tensor<8x16xi32>) {
    ^bb0(%in: i32, %in_14: i32, %out: i32):
      %139 = arith.ori %in, %in_14 : i32
      linalg.yield %139 : i32
    } -> tensor<8x16xi32>
    %100 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%96, %99 : tensor<8x16xi32>, tensor<8x16xi32>) outs(%3 : tensor<8x16xi32>) {
    ^bb0(%in: i32, %in_14: i32, %out: i32):
      %139 = arith.xori %in, %in_14 : i32
      linalg.yield %139 : i32
    } -> tensor<8x16xi32>
    %101 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%96, %100 : tensor<8x16xi32>, tensor<8x16xi32>) outs(%3 : tensor<8x16xi32>) {
    ^bb0(%in: i32, %in_14: i32, %out: i32):
      %139 = arith.addi %in, %in_14 : i32
      linalg.yield %139 : i32
    } -> tensor<8x16xi32>
    %102 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%100, %52 : tensor<8x16xi32>, tensor<8x16xi32>) outs(%3 : tensor<8x16xi32>) {
    ^bb0(%in: i32, %in_14: i32, %out: i32):
      %139 = arith.shli %in, %in_14 : i32
      %140 = arith.cmpi ult, %in_14, %c32_i32 : i32
      %141 = arith.select %140, %139, %c0_i32 : i32
      linalg.yield %141 : i32
    } -> tensor<8x16xi32>
    %103 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%100, %52 : tensor<8x16xi32>, tensor<8x16xi32>) outs(%3 : tensor<8x16xi32>) {
    ^bb0(%in: i32, %in_14: i32, %out: i32):
      %139 = arith.shrui %in, %in_14 : i32
      %140 = arith.cmpi ult, %in_14, %c32_i32 : i32
      %141 = arith.select %140, %139, %c0_i32 : i32
      linalg.yield %141 : i32
    } -> tensor<8x16xi32>
    %104 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%102, %103 : tensor<8x16xi32>, tensor<8x16xi32>) outs(%3 : tensor<8x16xi32>) {
    ^bb0(%in: i32, %in_14: i32, %out: i32):
      %139 = arith.ori %in, %in_14 : i32
      linalg.yield %139 : i32
    } -> tensor<8x16xi32>
    %105 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%101, %104 : tensor<8x16xi32>, tensor<8x16xi32>) outs(%3 : tensor<8x16xi32>) {
    ^bb0(%in: i32, %in_14: i32, %out: i32):
      %139 = arith.xori %in, %in_14 : i32
      linalg.yield %139 : i32
    } -> tensor<8x16xi32>
    %106 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%101, %105 : tensor<8x16xi32>, tensor<8x16xi32>) outs(%3 : tensor<8x16xi32>) {
    ^bb0(%in: i32, %in_14: i32, %out: i32):
      %139 = arith.addi %in, %in_14 : i32
      linalg.yield %139 : i32
    } -> tensor<8x16xi32>
    %107 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%105, %58 : tensor<8x16xi32>, tensor<8x16xi32>) outs(%3 : tensor<8x16xi32>) {
    ^bb0(%in: i32, %in_14: i32, %out: i32):
      %139 = arith.shli %in, %in_14 : i32
      %140 = arith.cmpi ult, %in_14, %c32_i32 : i32
      %141 = arith.select %140, %139, %c0_i32 : i32
      linalg.yield %141 : i32
    } -> tensor<8x16xi32>
    %108 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%105, %60 : tensor<8x16xi32>, tensor<8x16xi32>) outs(%3 : tensor<8x16xi32>) {
    ^bb0(%in: i32, %in_14: i32, %out: i32):
      %139 = arith.shrui %in, %in_14 : i32
      %140 = arith.cmpi ult, %in_14, %c32_i32 : i32
      %141 = arith.select %140, %139, %c0_i32 : i32
      linalg.yield %141 : i32
    } -> tensor<8x16xi32>
    %109 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%107, %108 : tensor<8x16xi32>, tensor<8x16xi32>) outs(%3 : tensor<8x16xi32>) {
    ^bb0(%in: i32, %in_14: i32, %out: i32):
      %139 = arith.ori %in, %in_14 : i32
      linalg.yield %139 : i32
    } -> tensor<8x16xi32>
    %110 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%106, %109 : tensor<8x16xi32>, tensor<8x16xi32>) outs(%3 : tensor<8x16xi32>) {
    ^bb0(%in: i32, %in_14: i32, %out: i32):
      %139 = arith.xori %in, %in_14 : i32
      linalg.yield %139 : i32
    } -> tensor<8x16xi32>
    %111 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%106, %6 : tensor<8x16xi32>, tensor<8x16xi32>) outs(%3 : tensor<8x16xi32>) {
    ^bb0(%in: i32, %in_14: i32, %out: i32):
      %139 = arith.addi %in, %in_14 : i32
      linalg.yield %139 : i32
    } -> tensor<8x16xi32>
    %112 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%110, %35 : tensor<8x16xi32>, tensor<8x16xi32>) outs(%3 : tensor<8x16xi32>) {
    ^bb0(%in: i32, %in_14: i32, %out: i32):
      %139 = arith.addi %in, %in_14 : i32
      linalg.yield %139 : i32
    } -> tensor<8x16xi32>
    %113 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel"]} ins(%cst_12 : tensor<i32>) outs(%3 : tensor<8x16xi32>) {
    ^bb0(%in: i32, %out: i32):
      linalg.yield %in : i32
    } -> tensor<8x16xi32>
    %114 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%112, %113 : tensor<8x16xi32>, tensor<8x16xi32>) outs(%3 : tensor<8x16xi32>) {
    ^bb0(%in: i32, %in_14: i32, %out: i32):
      %139 = arith.addi %in, %in_14 : i32
      linalg.yield %139 : i32
    } -> tensor<8x16xi32>
    %115 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%111, %114 : tensor<8x16xi32>, tensor<8x16xi32>) outs(%3 : tensor<8x16xi32>) {
    ^bb0(%in: i32, %in_14: i32, %out: i32):
      %139 = arith.addi %in, %in_14 : i32
      linalg.yield %139 : i32
    } -> tensor<8x16xi32>
    %116 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%114, %9 : tensor<8x16xi32>, tensor<8x16xi32>) outs(%3 : tensor<8x16xi32>) {
    ^bb0(%in: i32, %in_14: i32, %out: i32):
      %139 = arith.shli %in, %in_14 : i32
      %140 = arith.cmpi ult, %in_14, %c32_i32 : i32
      %141 = arith.select %140, %139, %c0_i32 : i32
      linalg.yield %141 : i32
    } -> tensor<8x16xi32>
    %117 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%114, %11 : tensor<8x16xi32>, tensor<8x16xi32>) outs(%3 : tensor<8x16xi32>) {
    ^bb0(%in: i32, %in_14: i32, %out: i32):
      %139 = arith.shrui %in, %in_14 : i32
      %140 = arith.cmpi ult, %in_14, %c32_i32 : i32
      %141 = arith.select %140, %139, %c0_i32 : i32
      linalg.yield %141 : i32
    } -> tensor<8x16xi32>
    %118 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%116, %117 : tensor<8x16xi32>, tensor<8x16xi32>) outs(%3 : tensor<8x16xi32>) {
    ^bb0(%in: i32, %in_14: i32, %out: i32):
      %139 = arith.ori %in, %in_14 : i32
      linalg.yield %139 : i32
    } -> tensor<8x16xi32>
    %119 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%115, %118 : tensor<8x16xi32>, tensor<8x16xi32>) outs(%3 : tensor<8x16xi32>) {
    ^bb0(%in: i32, %in_14: i32, %out: i32):
      %139 = arith.xori %in, %in_14 : i32
      linalg.yield %139 : i32
    } -> tensor<8x16xi32>
    %120 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%115, %119 : tensor<8x16xi32>, tensor<8x16xi32>) outs(%3 : tensor<8x16xi32>) {
    ^bb0(%in: i32, %in_14: i32, %out: i32):
      %139 = arith.addi %in, %in_14 : i32
      linalg.yield %139 : i32
    } -> tensor<8x16xi32>
    %121 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%119, %16 : tensor<8x16xi32>, tensor<8x16xi32>) outs(%3 : tensor<8x16xi32>) {
    ^bb0(%in: i32, %in_14: i32, %out: i32):
      %139 = arith.shli %in, %in_14 : i32
      %140 = arith.cmpi ult, %in_14, %c32_i32 : i32
      %141 = arith.select %140, %139, %c0_i32 : i32
      linalg.yield %141 : i32
    } -> tensor<8x16xi32>
    %122 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%119, %18 : tensor<8x16xi32>, tensor<8x16xi32>) outs(%3 : tensor<8x16xi32>) {
    ^bb0(%in: i32, %in_14: i32, %out: i32):
      %139 = arith.shrui %in, %in_14 : i32
      %140 = arith.cmpi ult, %in_14, %c32_i32 : i32
      %141 = arith.select %140, %139, %c0_i32 : i32
      linalg.yield %141 : i32
    } -> tensor<8x16xi32>
    %123 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%121, %122 : tensor<8x16xi32>, tensor<8x16xi32>) outs(%3 : tensor<8x16xi32>) {
    ^bb0(%in: i32, %in_14: i32, %out: i32):
      %139 = arith.ori %in, %in_14 : i32
      linalg.yield %139 : i32
    } -> tensor<8x16xi32>
    %124 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%120, %123 : tensor<8x16xi32>, tensor<8x16xi32>) outs(%3 : tensor<8x16xi32>) {
    ^bb0(%in: i32, %in_14: i32, %out: i32):
      %139 = arith.xori %in, %in_14 : i32
      linalg.yield %139 : i32
    } -> tensor<8x16xi32>
    %125 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%120, %124 : tensor<8x16xi32>, tensor<8x16xi32>) outs(%3 : tensor<8x16xi32>) {
    ^bb0(%in: i32, %in_14: i32, %out: i32):
      %139 = arith.addi %in, %in_14 : i32
      linalg.yield %139 : i32
    } -> tensor<8x16xi32>
    %126 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%124, %23 : tensor<8x16xi32>, tensor<8x16xi32>) outs(%3 : tensor<8x16xi32>) {
    ^bb0(%in: i32, %in_14: i32, %out: i32):
      %139 = arith.shli %in, %in_14 : i32
      %140 = arith.cmpi ult, %in_14, %c32_i32 : i32
      %141 = arith.select %140, %139, %c0_i32 : i32
      linalg.yield %141 : i32
    } -> tensor<8x16xi32>
    %127 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%124, %25 : tensor<8x16xi32>, tensor<8x16xi32>) outs(%3 : tensor<8x16xi32>) {
    ^bb0(%in: i32, %in_14: i32, %out: i32):
      %139 = arith.shrui %in, %in_14 : i32
      %140 = arith.cmpi ult, %in_14, %c32_i32 : i32
      %141 = arith.select %140, %139, %c0_i32 : i32
      linalg.yield %141 : i32
    } -> tensor<8x16xi32>
    %128 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%126, %127 : tensor<8x16xi32>, tensor<8x16xi32>) outs(%3 : tensor<8x16xi32>) {
    ^bb0(%in: i32, %in_14: i32, %out: i32):
      %139 = arith.ori %in, %in_14 : i32
      linalg.yield %139 : i32
    } -> tensor<8x16xi32>
    %129 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%125, %128 : tensor<8x16xi32>, tensor<8x16xi32>) outs(%3 : tensor<8x16xi32>) {
    ^bb0(%in: i32, %in_14: i32, %out: i32):
      %139 = arith.xori %in, %in_14 : i32
      linalg.yield %139 : i32
    } -> tensor<8x16xi32>
    %130 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%125, %129 : tensor<8x16xi32>, tensor<8x16xi32>) outs(%3 : tensor<8x16xi32>) {
    ^bb0(%in: i32, %in_14: i32, %out: i32):
      %139 = arith.addi %in, %in_14 : i32
      linalg.yield %139 : i32
    } -> tensor<8x16xi32>
    %131 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%129, %25 : tensor<8x16xi32>, tensor<8x16xi32>) outs(%3 : tensor<8x16xi32>) {
    ^bb0(%in: i32, %in_14: i32, %out: i32):
      %139 = arith.shli %in, %in_14 : i32
      %140 = arith.cmpi ult, %in_14, %c32_i32 : i32
      %141 = arith.select %140, %139, %c0_i32 : i32
      linalg.yield %141 : i32
    } -> tensor<8x16xi32>
    %132 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%129, %23 : tensor<8x16xi32>, tensor<8x16xi32>) outs(%3 : tensor<8x16xi32>) {
    ^bb0(%in: i32, %in_14: i32, %out: i32):
      %139 = arith.shrui %in, %in_14 : i32
      %140 = arith.cmpi ult, %in_14, %c32_i32 : i32
      %141 = arith.select %140, %139, %c0_i32 : i32
      linalg.yield %141 : i32
    } -> tensor<8x16xi32>
    %133 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%131, %132 : tensor<8x16xi32>, tensor<8x16xi32>) outs(%3 : tensor<8x16xi32>) {
    ^bb0(%in: i32, %in_14: i32, %out: i32):
      %139 = arith.ori %in, %in_14 : i32
      linalg.yield %139 : i32
    } -> tensor<8x16xi32>
    %134 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%130, %133 : tensor<8x16xi32>, tensor<8x16xi32>) outs(%3 : tensor<8x16xi32>) {
    ^bb0(%in: i32, %in_14: i32, %out: i32):
      %139 = arith.xori %in, %in_14 : i32
      linalg.yield %139 : i32
    } -> tensor<8x16xi32>
    %135 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%130, %35 : tensor<8x16xi32>, tensor<8x16xi32>) outs(%3 : tensor<8x16xi32>) {
    ^bb0(%in: i32, %in_14: i32, %out: i32):
      %139 = arith.addi %in, %in_14 : i32
      linalg.yield %139 : i32
    } -> tensor<8x16xi32>
    %136 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%134, %4 : tensor<8x16xi32>, tensor<8x16xi32>) outs(%3 : tensor<8x16xi32>) {
    ^bb0(%in: i32, %in_14: i32, %out: i32):
      %139 = arith.addi %in, %in_14 : i32
      linalg.yield %139 : i32
    } -> tensor<8x16xi32>
    %137 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel"]} ins(%cst_13 : tensor<i32>) outs(%3 : tensor<8x16xi32>) {
    ^bb0(%in: i32, %out: i32):
      linalg.yield %in : i32
    } -> tensor<8x16xi32>
    %138 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%136, %137 : tensor<8x16xi32>, tensor<8x16xi32>) outs(%3 : tensor<8x16xi32>) {
    ^bb0(%in: i32, %in_14: i32, %out: i32):
      %139 = arith.addi %in, %in_14 : i32
      linalg.yield %139 : i32
    } -> tensor<8x16xi32>
    return %135, %138 : tensor<8x16xi32>, tensor<8x16xi32>
  }
  func.func private @_where(%arg0: tensor<8x16xi1>, %arg1: tensor<8x16xf32>, %arg2: tensor<f32>) -> tensor<8x16xf32> {
    %0 = tensor.empty() : tensor<8x16xf32>
    %1 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel"]} ins(%arg2 : tensor<f32>) outs(%0 : tensor<8x16xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<8x16xf32>
    %2 = linalg.generic {indexing_maps = [#map1, #map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%arg0, %arg1, %1 : tensor<8x16xi1>, tensor<8x16xf32>, tensor<8x16xf32>) outs(%0 : tensor<8x16xf32>) {
    ^bb0(%in: i1, %in_0: f32, %in_1: f32, %out: f32):
      %3 = arith.select %in, %in_0, %in_1 : f32
      linalg.yield %3 : f32
    } -> tensor<8x16xf32>
    return %2 : tensor<8x16xf32>
  }
}

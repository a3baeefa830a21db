// expect: verified
// options: --inputs=arg1=integers(1,100)
// From jax_models.py.
#map = affine_map<(d0) -> (d0)>
#map1 = affine_map<(d0) -> ()>
module @jit_int_floor_divide attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<100xi32>, %arg1: tensor<100xi32>) -> (tensor<100xi32> {jax.result_info = "result"}) {
    %0 = call @floor_divide(%arg0, %arg1) : (tensor<100xi32>, tensor<100xi32>) -> tensor<100xi32>
    return %0 : tensor<100xi32>
  }
  func.func private @floor_divide(%arg0: tensor<100xi32>, %arg1: tensor<100xi32>) -> tensor<100xi32> {
    %c31_i32 = arith.constant 31 : i32
    %c1_i32 = arith.constant 1 : i32
    %c0_i32 = arith.constant 0 : i32
    %c-2147483648_i32 = arith.constant -2147483648 : i32
    %c-1_i32 = arith.constant -1 : i32
    %cst = arith.constant dense<1> : tensor<i32>
    %cst_0 = arith.constant dense<0> : tensor<i32>
    %0 = tensor.empty() : tensor<100xi32>
    %1 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel"]} ins(%arg0, %arg1 : tensor<100xi32>, tensor<100xi32>) outs(%0 : tensor<100xi32>) {
    ^bb0(%in: i32, %in_1: i32, %out: i32):
      %13 = arith.cmpi eq, %in_1, %c0_i32 : i32
      %14 = arith.cmpi eq, %in, %c-2147483648_i32 : i32
      %15 = arith.cmpi eq, %in_1, %c-1_i32 : i32
      %16 = arith.andi %14, %15 : i1
      %17 = arith.ori %13, %16 : i1
      %18 = arith.select %17, %c1_i32, %in_1 : i32
      %19 = arith.divsi %in, %18 : i32
      %20 = arith.select %16, %c-2147483648_i32, %19 : i32
      %21 = arith.select %13, %c-1_i32, %20 : i32
      linalg.yield %21 : i32
    } -> tensor<100xi32>
    %2 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%arg0 : tensor<100xi32>) outs(%0 : tensor<100xi32>) {
    ^bb0(%in: i32, %out: i32):
      %13 = arith.cmpi eq, %in, %c0_i32 : i32
      %14 = arith.shrsi %in, %c31_i32 : i32
      %15 = arith.ori %14, %c1_i32 : i32
      %16 = arith.select %13, %c0_i32, %15 : i32
      linalg.yield %16 : i32
    } -> tensor<100xi32>
    %3 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%arg1 : tensor<100xi32>) outs(%0 : tensor<100xi32>) {
    ^bb0(%in: i32, %out: i32):
      %13 = arith.cmpi eq, %in, %c0_i32 : i32
      %14 = arith.shrsi %in, %c31_i32 : i32
      %15 = arith.ori %14, %c1_i32 : i32
      %16 = arith.select %13, %c0_i32, %15 : i32
      linalg.yield %16 : i32
    } -> tensor<100xi32>
    %4 = tensor.empty() : tensor<100xi1>
    %5 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel"]} ins(%2, %3 : tensor<100xi32>, tensor<100xi32>) outs(%4 : tensor<100xi1>) {
    ^bb0(%in: i32, %in_1: i32, %out: i1):
      %13 = arith.cmpi ne, %in, %in_1 : i32
      linalg.yield %13 : i1
    } -> tensor<100xi1>
    %6 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel"]} ins(%arg0, %arg1 : tensor<100xi32>, tensor<100xi32>) outs(%0 : tensor<100xi32>) {
    ^bb0(%in: i32, %in_1: i32, %out: i32):
      %13 = arith.cmpi eq, %in_1, %c0_i32 : i32
      %14 = arith.cmpi eq, %in, %c-2147483648_i32 : i32
      %15 = arith.cmpi eq, %in_1, %c-1_i32 : i32
      %16 = arith.andi %14, %15 : i1
      %17 = arith.ori %13, %16 : i1
      %18 = arith.select %17, %c1_i32, %in_1 : i32
      %19 = arith.remsi %in, %18 : i32
      %20 = arith.select %16, %c0_i32, %19 : i32
      %21 = arith.select %13, %in, %20 : i32
      linalg.yield %21 : i32
    } -> tensor<100xi32>
    %7 = linalg.generic {indexing_maps = [#map1, #map], iterator_types = ["parallel"]} ins(%cst_0 : tensor<i32>) outs(%0 : tensor<100xi32>) {
    ^bb0(%in: i32, %out: i32):
      linalg.yield %in : i32
    } -> tensor<100xi32>
    %8 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel"]} ins(%6, %7 : tensor<100xi32>, tensor<100xi32>) outs(%4 : tensor<100xi1>) {
    ^bb0(%in: i32, %in_1: i32, %out: i1):
      %13 = arith.cmpi ne, %in, %in_1 : i32
      linalg.yield %13 : i1
    } -> tensor<100xi1>
    %9 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel"]} ins(%5, %8 : tensor<100xi1>, tensor<100xi1>) outs(%4 : tensor<100xi1>) {
    ^bb0(%in: i1, %in_1: i1, %out: i1):
      %13 = arith.andi %in, %in_1 : i1
      linalg.yield %13 : i1
    } -> tensor<100xi1>
    %10 = linalg.generic {indexing_maps = [#map1, #map], iterator_types = ["parallel"]} ins(%cst : tensor<i32>) outs(%0 : tensor<100xi32>) {
    ^bb0(%in: i32, %out: i32):
      linalg.yield %in : i32
    } -> tensor<100xi32>
    %11 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel"]} ins(%1, %10 : tensor<100xi32>, tensor<100xi32>) outs(%0 : tensor<100xi32>) {
    ^bb0(%in: i32, %in_1: i32, %out: i32):
      %13 = arith.subi %in, %in_1 : i32
      linalg.yield %13 : i32
    } -> tensor<100xi32>
    %12 = call @_where(%9, %11, %1) : (tensor<100xi1>, tensor<100xi32>, tensor<100xi32>) -> tensor<100xi32>
    return %12 : tensor<100xi32>
  }
  func.func private @_where(%arg0: tensor<100xi1>, %arg1: tensor<100xi32>, %arg2: tensor<100xi32>) -> tensor<100xi32> {
    %0 = tensor.empty() : tensor<100xi32>
    %1 = linalg.generic {indexing_maps = [#map, #map, #map, #map], iterator_types = ["parallel"]} ins(%arg0, %arg1, %arg2 : tensor<100xi1>, tensor<100xi32>, tensor<100xi32>) outs(%0 : tensor<100xi32>) {
    ^bb0(%in: i1, %in_0: i32, %in_1: i32, %out: i32):
      %2 = arith.select %in, %in_0, %in_1 : i32
      linalg.yield %2 : i32
    } -> tensor<100xi32>
    return %1 : tensor<100xi32>
  }
}

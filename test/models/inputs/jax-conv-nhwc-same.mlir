// expect: tuned
// From jax_models.py.
#map = affine_map<(d0, d1, d2, d3) -> (d3)>
#map1 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#map2 = affine_map<(d0, d1, d2, d3) -> (d0, 0, 0, d3)>
#map3 = affine_map<(d0, d1, d2, d3) -> ()>
module @jit_conv_nhwc_same attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<1x14x14x8xf32>, %arg1: tensor<3x3x8x16xf32>, %arg2: tensor<16xf32>) -> (tensor<1x14x14x16xf32> {jax.result_info = "result"}) {
    %cst = arith.constant 0.000000e+00 : f32
    %0 = tensor.empty() : tensor<1x14x14x16xf32>
    %1 = linalg.fill ins(%cst : f32) outs(%0 : tensor<1x14x14x16xf32>) -> tensor<1x14x14x16xf32>
    %padded = tensor.pad %arg0 low[0, 1, 1, 0] high[0, 1, 1, 0] {
    ^bb0(%arg3: index, %arg4: index, %arg5: index, %arg6: index):
      tensor.yield %cst : f32
    } : tensor<1x14x14x8xf32> to tensor<1x16x16x8xf32>
    %2 = linalg.conv_2d_nhwc_hwcf {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>} ins(%padded, %arg1 : tensor<1x16x16x8xf32>, tensor<3x3x8x16xf32>) outs(%1 : tensor<1x14x14x16xf32>) -> tensor<1x14x14x16xf32>
    %3 = tensor.empty() : tensor<1x1x1x16xf32>
    %4 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%arg2 : tensor<16xf32>) outs(%3 : tensor<1x1x1x16xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<1x1x1x16xf32>
    %5 = linalg.generic {indexing_maps = [#map2, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%4 : tensor<1x1x1x16xf32>) outs(%0 : tensor<1x14x14x16xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<1x14x14x16xf32>
    %6 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%2, %5 : tensor<1x14x14x16xf32>, tensor<1x14x14x16xf32>) outs(%0 : tensor<1x14x14x16xf32>) {
    ^bb0(%in: f32, %in_0: f32, %out: f32):
      %8 = arith.addf %in, %in_0 : f32
      linalg.yield %8 : f32
    } -> tensor<1x14x14x16xf32>
    %7 = call @relu(%6) : (tensor<1x14x14x16xf32>) -> tensor<1x14x14x16xf32>
    return %7 : tensor<1x14x14x16xf32>
  }
  func.func private @relu(%arg0: tensor<1x14x14x16xf32>) -> tensor<1x14x14x16xf32> {
    %cst = arith.constant dense<0.000000e+00> : tensor<f32>
    %0 = tensor.empty() : tensor<1x14x14x16xf32>
    %1 = linalg.generic {indexing_maps = [#map3, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%cst : tensor<f32>) outs(%0 : tensor<1x14x14x16xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<1x14x14x16xf32>
    %2 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%arg0, %1 : tensor<1x14x14x16xf32>, tensor<1x14x14x16xf32>) outs(%0 : tensor<1x14x14x16xf32>) {
    ^bb0(%in: f32, %in_0: f32, %out: f32):
      %3 = arith.maximumf %in, %in_0 : f32
      linalg.yield %3 : f32
    } -> tensor<1x14x14x16xf32>
    return %2 : tensor<1x14x14x16xf32>
  }
}

// expect: tuned
// As torch-mlir lowers aten.native_batch_norm of inference, NCHW.
#map = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#map1 = affine_map<(d0, d1, d2, d3) -> (d1)>
module attributes {torch.debug_module_name = "BatchNorm2d"} {
  func.func @forward(%arg0: tensor<1x8x12x12xf32>, %arg1: tensor<8xf32>, %arg2: tensor<8xf32>, %arg3: tensor<8xf32>, %arg4: tensor<8xf32>) -> tensor<1x8x12x12xf32> {
    %cst = arith.constant 1.000000e-05 : f64
    %cst_0 = arith.constant 0.000000e+00 : f32
    %0 = tensor.empty() : tensor<1x8x12x12xf32>
    %1 = linalg.generic {indexing_maps = [#map, #map1, #map1, #map1, #map1, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%arg0, %arg1, %arg2, %arg3, %arg4 : tensor<1x8x12x12xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) outs(%0 : tensor<1x8x12x12xf32>) {
    ^bb0(%in: f32, %in_1: f32, %in_2: f32, %in_3: f32, %in_4: f32, %out: f32):
      %3 = arith.truncf %cst : f64 to f32
      %4 = arith.addf %in_4, %3 : f32
      %5 = math.rsqrt %4 : f32
      %6 = arith.subf %in, %in_3 : f32
      %7 = arith.mulf %6, %5 : f32
      %8 = arith.mulf %7, %in_1 : f32
      %9 = arith.addf %8, %in_2 : f32
      linalg.yield %9 : f32
    } -> tensor<1x8x12x12xf32>
    %2 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%1 : tensor<1x8x12x12xf32>) outs(%0 : tensor<1x8x12x12xf32>) {
    ^bb0(%in: f32, %out: f32):
      %3 = arith.cmpf ugt, %in, %cst_0 : f32
      %4 = arith.select %3, %in, %cst_0 : f32
      linalg.yield %4 : f32
    } -> tensor<1x8x12x12xf32>
    return %2 : tensor<1x8x12x12xf32>
  }
}

// expect: tuned
// As torch-mlir lowers aten.layer_norm.
#map = affine_map<(d0, d1) -> (d0, d1)>
#map1 = affine_map<(d0, d1) -> (d0, 0)>
#map2 = affine_map<(d0, d1) -> (d1)>
module attributes {torch.debug_module_name = "LayerNorm"} {
  func.func @forward(%arg0: tensor<32x64xf32>, %arg1: tensor<64xf32>, %arg2: tensor<64xf32>) -> tensor<32x64xf32> {
    %cst = arith.constant 0.000000e+00 : f32
    %cst_0 = arith.constant 6.400000e+01 : f32
    %cst_1 = arith.constant 1.000000e-05 : f64
    %0 = tensor.empty() : tensor<32x1xf32>
    %1 = linalg.fill ins(%cst : f32) outs(%0 : tensor<32x1xf32>) -> tensor<32x1xf32>
    %2 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "reduction"]} ins(%arg0 : tensor<32x64xf32>) outs(%1 : tensor<32x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %9 = arith.addf %in, %out : f32
      linalg.yield %9 : f32
    } -> tensor<32x1xf32>
    %3 = linalg.generic {indexing_maps = [#map1, #map], iterator_types = ["parallel", "parallel"]} ins(%2 : tensor<32x1xf32>) outs(%0 : tensor<32x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %9 = arith.divf %in, %cst_0 : f32
      linalg.yield %9 : f32
    } -> tensor<32x1xf32>
    %4 = tensor.empty() : tensor<32x64xf32>
    %5 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel"]} ins(%arg0, %3 : tensor<32x64xf32>, tensor<32x1xf32>) outs(%4 : tensor<32x64xf32>) {
    ^bb0(%in: f32, %in_2: f32, %out: f32):
      %9 = arith.subf %in, %in_2 : f32
      linalg.yield %9 : f32
    } -> tensor<32x64xf32>
    %6 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "reduction"]} ins(%5 : tensor<32x64xf32>) outs(%1 : tensor<32x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %9 = arith.mulf %in, %in : f32
      %10 = arith.addf %9, %out : f32
      linalg.yield %10 : f32
    } -> tensor<32x1xf32>
    %7 = linalg.generic {indexing_maps = [#map1, #map], iterator_types = ["parallel", "parallel"]} ins(%6 : tensor<32x1xf32>) outs(%0 : tensor<32x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %9 = arith.divf %in, %cst_0 : f32
      %10 = arith.truncf %cst_1 : f64 to f32
      %11 = arith.addf %9, %10 : f32
      %12 = math.rsqrt %11 : f32
      linalg.yield %12 : f32
    } -> tensor<32x1xf32>
    %8 = linalg.generic {indexing_maps = [#map, #map1, #map2, #map2, #map], iterator_types = ["parallel", "parallel"]} ins(%5, %7, %arg1, %arg2 : tensor<32x64xf32>, tensor<32x1xf32>, tensor<64xf32>, tensor<64xf32>) outs(%4 : tensor<32x64xf32>) {
    ^bb0(%in: f32, %in_2: f32, %in_3: f32, %in_4: f32, %out: f32):
      %9 = arith.mulf %in, %in_2 : f32
      %10 = arith.mulf %9, %in_3 : f32
      %11 = arith.addf %10, %in_4 : f32
      linalg.yield %11 : f32
    } -> tensor<32x64xf32>
    return %8 : tensor<32x64xf32>
  }
}

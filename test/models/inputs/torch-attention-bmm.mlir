// expect: tuned
// As torch-mlir lowers scaled dot product attention, with the constants of a mask.
#map = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#map1 = affine_map<(d0, d1, d2) -> (d0, d1, 0)>
module attributes {torch.debug_module_name = "SDPA"} {
  func.func @forward(%arg0: tensor<2x32x16xf32>, %arg1: tensor<2x32x16xf32>, %arg2: tensor<2x32x16xf32>) -> tensor<2x32x16xf32> {
    %cst = arith.constant 0.000000e+00 : f32
    %cst_0 = arith.constant -3.40282347E+38 : f32
    %cst_1 = arith.constant 2.500000e-01 : f32
    %0 = tensor.empty() : tensor<2x16x32xf32>
    %transposed = linalg.transpose ins(%arg1 : tensor<2x32x16xf32>) outs(%0 : tensor<2x16x32xf32>) permutation = [0, 2, 1]
    %1 = tensor.empty() : tensor<2x32x32xf32>
    %2 = linalg.fill ins(%cst : f32) outs(%1 : tensor<2x32x32xf32>) -> tensor<2x32x32xf32>
    %3 = linalg.batch_matmul ins(%arg0, %transposed : tensor<2x32x16xf32>, tensor<2x16x32xf32>) outs(%2 : tensor<2x32x32xf32>) -> tensor<2x32x32xf32>
    %4 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%3 : tensor<2x32x32xf32>) outs(%1 : tensor<2x32x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      %13 = arith.mulf %in, %cst_1 : f32
      linalg.yield %13 : f32
    } -> tensor<2x32x32xf32>
    %5 = tensor.empty() : tensor<2x32x1xf32>
    %6 = linalg.fill ins(%cst_0 : f32) outs(%5 : tensor<2x32x1xf32>) -> tensor<2x32x1xf32>
    %7 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel", "reduction"]} ins(%4 : tensor<2x32x32xf32>) outs(%6 : tensor<2x32x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %13 = arith.maximumf %in, %out : f32
      linalg.yield %13 : f32
    } -> tensor<2x32x1xf32>
    %8 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%4, %7 : tensor<2x32x32xf32>, tensor<2x32x1xf32>) outs(%1 : tensor<2x32x32xf32>) {
    ^bb0(%in: f32, %in_2: f32, %out: f32):
      %13 = arith.subf %in, %in_2 : f32
      %14 = math.exp %13 : f32
      linalg.yield %14 : f32
    } -> tensor<2x32x32xf32>
    %9 = linalg.fill ins(%cst : f32) outs(%5 : tensor<2x32x1xf32>) -> tensor<2x32x1xf32>
    %10 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel", "reduction"]} ins(%8 : tensor<2x32x32xf32>) outs(%9 : tensor<2x32x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %13 = arith.addf %in, %out : f32
      linalg.yield %13 : f32
    } -> tensor<2x32x1xf32>
    %11 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%8, %10 : tensor<2x32x32xf32>, tensor<2x32x1xf32>) outs(%1 : tensor<2x32x32xf32>) {
    ^bb0(%in: f32, %in_2: f32, %out: f32):
      %13 = arith.divf %in, %in_2 : f32
      linalg.yield %13 : f32
    } -> tensor<2x32x32xf32>
    %12 = tensor.empty() : tensor<2x32x16xf32>
    %filled = linalg.fill ins(%cst : f32) outs(%12 : tensor<2x32x16xf32>) -> tensor<2x32x16xf32>
    %result = linalg.batch_matmul ins(%11, %arg2 : tensor<2x32x32xf32>, tensor<2x32x16xf32>) outs(%filled : tensor<2x32x16xf32>) -> tensor<2x32x16xf32>
    return %result : tensor<2x32x16xf32>
  }
}

// expect: tuned
// As torch-mlir lowers torch.nn.Linear and GELU (erf).
#map = affine_map<(d0, d1) -> (d0, d1)>
#map1 = affine_map<(d0, d1) -> (d1, d0)>
#map2 = affine_map<(d0, d1) -> (d1)>
module attributes {torch.debug_module_name = "MLP"} {
  func.func @forward(%arg0: tensor<32x64xf32>, %arg1: tensor<96x64xf32>, %arg2: tensor<96xf32>) -> tensor<32x96xf32> {
    %cst = arith.constant 1.000000e+00 : f32
    %cst_0 = arith.constant 2.000000e+00 : f32
    %cst_1 = arith.constant 5.000000e-01 : f32
    %cst_2 = arith.constant 0.000000e+00 : f32
    %0 = tensor.empty() : tensor<64x96xf32>
    %transposed = linalg.transpose ins(%arg1 : tensor<96x64xf32>) outs(%0 : tensor<64x96xf32>) permutation = [1, 0]
    %1 = tensor.empty() : tensor<32x96xf32>
    %2 = linalg.fill ins(%cst_2 : f32) outs(%1 : tensor<32x96xf32>) -> tensor<32x96xf32>
    %3 = linalg.matmul ins(%arg0, %transposed : tensor<32x64xf32>, tensor<64x96xf32>) outs(%2 : tensor<32x96xf32>) -> tensor<32x96xf32>
    %4 = linalg.generic {indexing_maps = [#map, #map2, #map], iterator_types = ["parallel", "parallel"]} ins(%3, %arg2 : tensor<32x96xf32>, tensor<96xf32>) outs(%1 : tensor<32x96xf32>) {
    ^bb0(%in: f32, %in_3: f32, %out: f32):
      %6 = arith.addf %in, %in_3 : f32
      linalg.yield %6 : f32
    } -> tensor<32x96xf32>
    %5 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%4 : tensor<32x96xf32>) outs(%1 : tensor<32x96xf32>) {
    ^bb0(%in: f32, %out: f32):
      %6 = math.sqrt %cst_0 : f32
      %7 = arith.divf %in, %6 : f32
      %8 = math.erf %7 : f32
      %9 = arith.addf %8, %cst : f32
      %10 = arith.mulf %9, %cst_1 : f32
      %11 = arith.mulf %in, %10 : f32
      linalg.yield %11 : f32
    } -> tensor<32x96xf32>
    return %5 : tensor<32x96xf32>
  }
}

// expect: tuned
// A dispatch as IREE writes it before its own ops: named ops on static tensors.
#map = affine_map<(d0, d1) -> (d0, d1)>
#map1 = affine_map<(d0, d1) -> (d1)>
module {
  func.func @main_dispatch_0_matmul_64x48x32_f32(%0: tensor<64x32xf32>, %1: tensor<32x48xf32>, %2: tensor<48xf32>) -> tensor<64x48xf32> {
    %cst = arith.constant 0.000000e+00 : f32
    %3 = tensor.empty() : tensor<64x48xf32>
    %4 = linalg.fill ins(%cst : f32) outs(%3 : tensor<64x48xf32>) -> tensor<64x48xf32>
    %5 = linalg.matmul ins(%0, %1 : tensor<64x32xf32>, tensor<32x48xf32>) outs(%4 : tensor<64x48xf32>) -> tensor<64x48xf32>
    %6 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel"]} ins(%5, %2 : tensor<64x48xf32>, tensor<48xf32>) outs(%3 : tensor<64x48xf32>) {
    ^bb0(%in: f32, %in_0: f32, %out: f32):
      %7 = arith.addf %in, %in_0 : f32
      %8 = arith.maximumf %7, %cst : f32
      linalg.yield %8 : f32
    } -> tensor<64x48xf32>
    return %6 : tensor<64x48xf32>
  }
}

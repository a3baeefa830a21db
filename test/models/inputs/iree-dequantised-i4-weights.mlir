// expect: tuned
// Weights of four bits, widened and scaled by groups before the product.
#map = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#map1 = affine_map<(d0, d1, d2) -> (d0, d1)>
#map2 = affine_map<(d0, d1, d2) -> (d1, d2)>
#map3 = affine_map<(d0, d1, d2) -> (d0)>
module {
  func.func @dequantised_matvec(%arg0: tensor<48x4x32xi8>, %arg1: tensor<48x4xf32>, %arg2: tensor<48x4xf32>, %arg3: tensor<4x32xf32>) -> tensor<48xf32> {
    %cst = arith.constant 0.000000e+00 : f32
    %0 = tensor.empty() : tensor<48x4x32xf32>
    %low = arith.constant 15 : i8
    %1 = linalg.generic {indexing_maps = [#map, #map1, #map1, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg0, %arg1, %arg2 : tensor<48x4x32xi8>, tensor<48x4xf32>, tensor<48x4xf32>) outs(%0 : tensor<48x4x32xf32>) {
    ^bb0(%in: i8, %in_0: f32, %in_1: f32, %out: f32):
      %5 = arith.andi %in, %low : i8
      %6 = arith.trunci %5 : i8 to i4
      %7 = arith.extui %6 : i4 to i32
      %8 = arith.uitofp %7 : i32 to f32
      %9 = arith.subf %8, %in_1 : f32
      %10 = arith.mulf %9, %in_0 : f32
      linalg.yield %10 : f32
    } -> tensor<48x4x32xf32>
    %2 = tensor.empty() : tensor<48xf32>
    %3 = linalg.fill ins(%cst : f32) outs(%2 : tensor<48xf32>) -> tensor<48xf32>
    %4 = linalg.generic {indexing_maps = [#map2, #map, #map3], iterator_types = ["parallel", "reduction", "reduction"]} ins(%arg3, %1 : tensor<4x32xf32>, tensor<48x4x32xf32>) outs(%3 : tensor<48xf32>) {
    ^bb0(%in: f32, %in_0: f32, %out: f32):
      %5 = arith.mulf %in, %in_0 : f32
      %6 = arith.addf %5, %out : f32
      linalg.yield %6 : f32
    } -> tensor<48xf32>
    return %4 : tensor<48xf32>
  }
}

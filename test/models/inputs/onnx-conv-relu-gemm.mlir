// expect: tuned
// As an ONNX importer leaves Conv, Relu, GlobalAveragePool, Gemm: weights as constants.
#map = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#map1 = affine_map<(d0, d1, d2, d3) -> (d0, d1)>
#map2 = affine_map<(d0, d1) -> (d0, d1)>
#map3 = affine_map<(d0, d1) -> (d1)>
module {
  func.func @main_graph(%arg0: tensor<1x3x10x10xf32>) -> tensor<1x5xf32> attributes {torch.onnx_meta.ir_version = 8 : si64, torch.onnx_meta.producer_name = ""} {
    %cst = arith.constant dense<1.250000e-01> : tensor<8x3x3x3xf32>
    %cst_0 = arith.constant dense<[0.1, -0.2, 0.3, 0.0, 0.5, -0.6, 0.7, 0.8]> : tensor<8xf32>
    %cst_1 = arith.constant dense<5.000000e-01> : tensor<8x5xf32>
    %cst_2 = arith.constant dense<[1.0, 2.0, 3.0, 4.0, 5.0]> : tensor<5xf32>
    %cst_3 = arith.constant 0.000000e+00 : f32
    %cst_4 = arith.constant 6.400000e+01 : f32
    %0 = tensor.empty() : tensor<1x8x8x8xf32>
    %broadcasted = linalg.broadcast ins(%cst_0 : tensor<8xf32>) outs(%0 : tensor<1x8x8x8xf32>) dimensions = [0, 2, 3]
    %1 = linalg.conv_2d_nchw_fchw {dilations = dense<1> : vector<2xi64>, strides = dense<1> : vector<2xi64>} ins(%arg0, %cst : tensor<1x3x10x10xf32>, tensor<8x3x3x3xf32>) outs(%broadcasted : tensor<1x8x8x8xf32>) -> tensor<1x8x8x8xf32>
    %2 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%1 : tensor<1x8x8x8xf32>) outs(%0 : tensor<1x8x8x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      %10 = arith.cmpf ugt, %in, %cst_3 : f32
      %11 = arith.select %10, %in, %cst_3 : f32
      linalg.yield %11 : f32
    } -> tensor<1x8x8x8xf32>
    %3 = tensor.empty() : tensor<1x8xf32>
    %4 = linalg.fill ins(%cst_3 : f32) outs(%3 : tensor<1x8xf32>) -> tensor<1x8xf32>
    %5 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel", "reduction", "reduction"]} ins(%2 : tensor<1x8x8x8xf32>) outs(%4 : tensor<1x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      %10 = arith.addf %in, %out : f32
      linalg.yield %10 : f32
    } -> tensor<1x8xf32>
    %6 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = ["parallel", "parallel"]} ins(%5 : tensor<1x8xf32>) outs(%3 : tensor<1x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      %10 = arith.divf %in, %cst_4 : f32
      linalg.yield %10 : f32
    } -> tensor<1x8xf32>
    %7 = tensor.empty() : tensor<1x5xf32>
    %8 = linalg.generic {indexing_maps = [#map3, #map2], iterator_types = ["parallel", "parallel"]} ins(%cst_2 : tensor<5xf32>) outs(%7 : tensor<1x5xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<1x5xf32>
    %9 = linalg.matmul ins(%6, %cst_1 : tensor<1x8xf32>, tensor<8x5xf32>) outs(%8 : tensor<1x5xf32>) -> tensor<1x5xf32>
    return %9 : tensor<1x5xf32>
  }
}

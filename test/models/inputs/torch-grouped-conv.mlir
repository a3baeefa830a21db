// expect: tuned
// As torch-mlir lowers aten.convolution with groups = 2.
module attributes {torch.debug_module_name = "GroupedConv2d"} {
  func.func @forward(%arg0: tensor<1x8x10x10xf32>, %arg1: tensor<12x4x3x3xf32>) -> tensor<1x12x8x8xf32> {
    %cst = arith.constant 0.000000e+00 : f32
    %0 = tensor.empty() : tensor<1x12x8x8xf32>
    %1 = linalg.fill ins(%cst : f32) outs(%0 : tensor<1x12x8x8xf32>) -> tensor<1x12x8x8xf32>
    %expanded = tensor.expand_shape %arg0 [[0], [1, 2], [3], [4]] output_shape [1, 2, 4, 10, 10] : tensor<1x8x10x10xf32> into tensor<1x2x4x10x10xf32>
    %expanded_0 = tensor.expand_shape %arg1 [[0, 1], [2], [3], [4]] output_shape [2, 6, 4, 3, 3] : tensor<12x4x3x3xf32> into tensor<2x6x4x3x3xf32>
    %expanded_1 = tensor.expand_shape %1 [[0], [1, 2], [3], [4]] output_shape [1, 2, 6, 8, 8] : tensor<1x12x8x8xf32> into tensor<1x2x6x8x8xf32>
    %2 = linalg.conv_2d_ngchw_gfchw {dilations = dense<1> : vector<2xi64>, strides = dense<1> : vector<2xi64>} ins(%expanded, %expanded_0 : tensor<1x2x4x10x10xf32>, tensor<2x6x4x3x3xf32>) outs(%expanded_1 : tensor<1x2x6x8x8xf32>) -> tensor<1x2x6x8x8xf32>
    %collapsed = tensor.collapse_shape %2 [[0], [1, 2], [3], [4]] : tensor<1x2x6x8x8xf32> into tensor<1x12x8x8xf32>
    return %collapsed : tensor<1x12x8x8xf32>
  }
}

// expect: tuned
// As torch-mlir lowers aten.convolution: padding, the bias as the init, dilation 2.
module attributes {torch.debug_module_name = "Conv2d"} {
  func.func @forward(%arg0: tensor<1x4x14x14xf32>, %arg1: tensor<8x4x3x3xf32>, %arg2: tensor<8xf32>) -> tensor<1x8x14x14xf32> {
    %cst = arith.constant 0.000000e+00 : f32
    %padded = tensor.pad %arg0 low[0, 0, 2, 2] high[0, 0, 2, 2] {
    ^bb0(%arg3: index, %arg4: index, %arg5: index, %arg6: index):
      tensor.yield %cst : f32
    } : tensor<1x4x14x14xf32> to tensor<1x4x18x18xf32>
    %0 = tensor.empty() : tensor<1x8x14x14xf32>
    %broadcasted = linalg.broadcast ins(%arg2 : tensor<8xf32>) outs(%0 : tensor<1x8x14x14xf32>) dimensions = [0, 2, 3]
    %1 = linalg.conv_2d_nchw_fchw {dilations = dense<2> : vector<2xi64>, strides = dense<1> : vector<2xi64>} ins(%padded, %arg1 : tensor<1x4x18x18xf32>, tensor<8x4x3x3xf32>) outs(%broadcasted : tensor<1x8x14x14xf32>) -> tensor<1x8x14x14xf32>
    return %1 : tensor<1x8x14x14xf32>
  }
}

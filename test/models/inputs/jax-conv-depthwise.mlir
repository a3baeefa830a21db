// expect: tuned
// From jax_models.py.
module @jit_conv_depthwise attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<1x12x12x8xf32>, %arg1: tensor<3x3x1x8xf32>) -> (tensor<1x12x12x8xf32> {jax.result_info = "result"}) {
    %cst = arith.constant 0.000000e+00 : f32
    %padded = tensor.pad %arg0 low[0, 1, 1, 0] high[0, 1, 1, 0] {
    ^bb0(%arg2: index, %arg3: index, %arg4: index, %arg5: index):
      tensor.yield %cst : f32
    } : tensor<1x12x12x8xf32> to tensor<1x14x14x8xf32>
    %0 = tensor.empty() : tensor<1x12x12x8xf32>
    %1 = linalg.fill ins(%cst : f32) outs(%0 : tensor<1x12x12x8xf32>) -> tensor<1x12x12x8xf32>
    %collapsed = tensor.collapse_shape %arg1 [[0], [1], [2, 3]] : tensor<3x3x1x8xf32> into tensor<3x3x8xf32>
    %2 = linalg.depthwise_conv_2d_nhwc_hwc {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>} ins(%padded, %collapsed : tensor<1x14x14x8xf32>, tensor<3x3x8xf32>) outs(%1 : tensor<1x12x12x8xf32>) -> tensor<1x12x12x8xf32>
    return %2 : tensor<1x12x12x8xf32>
  }
}

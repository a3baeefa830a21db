// expect: tuned
func.func @main_dispatch_1_mmt4d(%lhs: tensor<4x8x8x1xf32>, %rhs: tensor<3x8x16x1xf32>) -> tensor<4x3x8x16xf32> {
  %cst = arith.constant 0.000000e+00 : f32
  %0 = tensor.empty() : tensor<4x3x8x16xf32>
  %1 = linalg.fill ins(%cst : f32) outs(%0 : tensor<4x3x8x16xf32>) -> tensor<4x3x8x16xf32>
  %2 = linalg.mmt4d ins(%lhs, %rhs : tensor<4x8x8x1xf32>, tensor<3x8x16x1xf32>) outs(%1 : tensor<4x3x8x16xf32>) -> tensor<4x3x8x16xf32>
  return %2 : tensor<4x3x8x16xf32>
}

func.func @batch_matmul_f16(%a: tensor<4x32x48xf16>, %b: tensor<4x48x64xf16>) -> tensor<4x32x64xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4x32x64xf32>
  %i = linalg.fill ins(%z : f32) outs(%e : tensor<4x32x64xf32>) -> tensor<4x32x64xf32>
  %c = linalg.batch_matmul {tonno.lowering_config = {subgroup = [1, 8, 16, 0]}} ins(%a, %b : tensor<4x32x48xf16>, tensor<4x48x64xf16>) outs(%i : tensor<4x32x64xf32>) -> tensor<4x32x64xf32>
  return %c : tensor<4x32x64xf32>
}

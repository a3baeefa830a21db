func.func @matmul(%a: tensor<64x32xf32>, %b: tensor<32x48xf32>) -> tensor<64x48xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<64x48xf32>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<64x48xf32>) -> tensor<64x48xf32>
  %c = linalg.matmul {tonno.lowering_config = {
      workgroup = [#tonno.knob<"BM" from [32, 64]>, #tonno.knob<"BN" from [32, 64]>, 0],
      subgroup = [4, #tonno.knob<"NR" = 16 from [8, 16, 32]>, 0]}}
    ins(%a, %b : tensor<64x32xf32>, tensor<32x48xf32>) outs(%i : tensor<64x48xf32>) -> tensor<64x48xf32>
  return %c : tensor<64x48xf32>
}

// 64 x 48 x 32, quick to tune: a handful of configurations.
func.func @small(%a: tensor<64x32xf32>, %b: tensor<32x48xf32>)
    -> tensor<64x48xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<64x48xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<64x48xf32>)
      -> tensor<64x48xf32>
  %c = linalg.matmul {
         tonno.lowering_config = {
           workgroup = [#tonno.knob<"BM" from [1, 16, 64]>, 16, 0],
           subgroup = [#tonno.knob<"MR" from [1, 4]>, 16, 0]}}
       ins(%a, %b : tensor<64x32xf32>, tensor<32x48xf32>)
       outs(%init : tensor<64x48xf32>) -> tensor<64x48xf32>
  return %c : tensor<64x48xf32>
}

func.func @matmul(%a: tensor<192x128xf32>, %b: tensor<128x256xf32>) -> tensor<192x256xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<192x256xf32>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<192x256xf32>) -> tensor<192x256xf32>
  %c = linalg.matmul {tonno.lowering_config = {
      workgroup = [#tonno.knob<"BM" from [32, 64]>, 64, 0], reduction = [0, 0, 128],
      subgroup = [8, 32, 0], pack = [0, 1, 0], interchange = [1, 2, 0], threads = THREADS}}
    ins(%a, %b : tensor<192x128xf32>, tensor<128x256xf32>) outs(%i : tensor<192x256xf32>) -> tensor<192x256xf32>
  return %c : tensor<192x256xf32>
}

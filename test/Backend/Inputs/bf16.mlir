// Of 65 columns one stands beyond two registers' worth.
func.func @bf16(%a: tensor<33x47xbf16>, %b: tensor<47x65xbf16>, %c: tensor<33x65xbf16>) -> tensor<33x65xbf16> {
  %r = linalg.matmul {tonno.lowering_config = {workgroup = [16, 128, 0], reduction = [0, 0, 64], subgroup = [2, 128, 0]}}
    ins(%a, %b : tensor<33x47xbf16>, tensor<47x65xbf16>) outs(%c : tensor<33x65xbf16>) -> tensor<33x65xbf16>
  return %r : tensor<33x65xbf16>
}

// tonno-opt --tonno-tile --canonicalize
func.func @levels(%a: tensor<128x128xf32>, %b: tensor<128x128xf32>, %c: tensor<128x128xf32>) -> tensor<128x128xf32> {
  %r = linalg.matmul {tonno.lowering_config = {workgroup = [32, 64, 0], reduction = [0, 0, 16], subgroup = [8, 32, 0]}}
    ins(%a, %b : tensor<128x128xf32>, tensor<128x128xf32>) outs(%c : tensor<128x128xf32>) -> tensor<128x128xf32>
  return %r : tensor<128x128xf32>
}

// tonno-opt --tonno-convert-to-linalg
func.func @elementwise(%a: tensor<300xf32>, %b: tensor<300xf32>) -> tensor<300xf32> {
  %0 = arith.addf %a, %b : tensor<300xf32>
  %1 = math.exp %0 : tensor<300xf32>
  return %1 : tensor<300xf32>
}

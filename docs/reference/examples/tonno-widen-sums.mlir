// tonno-opt --tonno-widen-sums
func.func @product(%a: tensor<96x128xbf16>, %b: tensor<128x64xbf16>) -> tensor<96x64xbf16> {
  %zero = arith.constant 0.0 : bf16
  %e = tensor.empty() : tensor<96x64xbf16>
  %f = linalg.fill ins(%zero : bf16) outs(%e : tensor<96x64xbf16>) -> tensor<96x64xbf16>
  %r = linalg.matmul {tonno.lowering_config = {subgroup = [8, 32, 0], workgroup = [128, 64, 0]}}
      ins(%a, %b : tensor<96x128xbf16>, tensor<128x64xbf16>) outs(%f : tensor<96x64xbf16>) -> tensor<96x64xbf16>
  return %r : tensor<96x64xbf16>
}

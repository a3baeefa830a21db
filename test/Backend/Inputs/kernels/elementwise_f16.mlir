#id = affine_map<(i, j) -> (i, j)>
func.func @elementwise_f16(%a: tensor<32x64xf16>, %b: tensor<32x64xf16>) -> tensor<32x64xf16> {
  %z = arith.constant 1.5 : f16
  %e = tensor.empty() : tensor<32x64xf16>
  %c = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]} ins(%a, %b : tensor<32x64xf16>, tensor<32x64xf16>) outs(%e : tensor<32x64xf16>) {
  ^bb0(%x: f16, %y: f16, %o: f16):
    %s = math.exp %x : f16
    %t = arith.addf %s, %y : f16
    %u = arith.mulf %t, %z : f16
    %v = arith.maximumf %u, %x : f16
    linalg.yield %v : f16
  } -> tensor<32x64xf16>
  return %c : tensor<32x64xf16>
}

#id = affine_map<(i, j) -> (i, j)>
func.func @elementwise_bf16(%a: tensor<32x64xbf16>, %b: tensor<32x64xbf16>) -> tensor<32x64xbf16> {
  %z = arith.constant 1.5 : bf16
  %e = tensor.empty() : tensor<32x64xbf16>
  %c = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]} ins(%a, %b : tensor<32x64xbf16>, tensor<32x64xbf16>) outs(%e : tensor<32x64xbf16>) {
  ^bb0(%x: bf16, %y: bf16, %o: bf16):
    %s = math.exp %x : bf16
    %t = arith.addf %s, %y : bf16
    %u = arith.mulf %t, %z : bf16
    %v = arith.maximumf %u, %x : bf16
    linalg.yield %v : bf16
  } -> tensor<32x64xbf16>
  return %c : tensor<32x64xbf16>
}

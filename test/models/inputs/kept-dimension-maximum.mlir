// expect: tuned
#in = affine_map<(i, j, k) -> (i, j, k)>
#out = affine_map<(i, j, k) -> (i, 0, k)>
func.func @maximum(%x: tensor<4x32x48xf16>) -> tensor<4x1x48xf16> {
  %lowest = arith.constant 0xFC00 : f16
  %e = tensor.empty() : tensor<4x1x48xf16>
  %f = linalg.fill ins(%lowest : f16) outs(%e : tensor<4x1x48xf16>) -> tensor<4x1x48xf16>
  %r = linalg.generic {indexing_maps = [#in, #out], iterator_types = ["parallel", "reduction", "parallel"]} ins(%x : tensor<4x32x48xf16>) outs(%f : tensor<4x1x48xf16>) {
  ^bb0(%in: f16, %acc: f16):
    %0 = arith.maximumf %in, %acc : f16
    linalg.yield %0 : f16
  } -> tensor<4x1x48xf16>
  return %r : tensor<4x1x48xf16>
}

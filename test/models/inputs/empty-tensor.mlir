// expect: refused "a dimension of size 0"
func.func @nothing(%x: tensor<0x64xf32>) -> tensor<0x64xf32> {
  %e = tensor.empty() : tensor<0x64xf32>
  %r = linalg.exp ins(%x : tensor<0x64xf32>) outs(%e : tensor<0x64xf32>) -> tensor<0x64xf32>
  return %r : tensor<0x64xf32>
}

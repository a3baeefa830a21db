// expect: refused "dynamic shape"
func.func @exp(%x: tensor<?x64xf32>) -> tensor<?x64xf32> {
  %r = linalg.exp ins(%x : tensor<?x64xf32>) outs(%x : tensor<?x64xf32>) -> tensor<?x64xf32>
  return %r : tensor<?x64xf32>
}

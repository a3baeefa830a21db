// tonno-opt --tonno-specialize-shapes=shapes=M=100
func.func @scale(%x: tensor<?x64xf32> {tonno.dims = ["M", "N"]}, %y: tensor<?x64xf32>) -> tensor<?x64xf32> {
  %r = linalg.mul ins(%x, %y : tensor<?x64xf32>, tensor<?x64xf32>) outs(%y : tensor<?x64xf32>) -> tensor<?x64xf32>
  return %r : tensor<?x64xf32>
}

// expect: refused "sparse_tensor.encoding"
#CSR = #sparse_tensor.encoding<{ map = (d0, d1) -> (d0 : dense, d1 : compressed) }>
func.func @spmv(%a: tensor<32x64xf32, #CSR>, %x: tensor<64xf32>, %y: tensor<32xf32>) -> tensor<32xf32> {
  %r = linalg.matvec ins(%a, %x : tensor<32x64xf32, #CSR>, tensor<64xf32>) outs(%y : tensor<32xf32>) -> tensor<32xf32>
  return %r : tensor<32xf32>
}

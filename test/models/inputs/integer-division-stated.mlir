// expect: tuned
// options: --inputs=arg1=integers(1,100)
func.func @ratio(%x: tensor<16x32xi32>, %y: tensor<16x32xi32>) -> tensor<16x32xi32> {
  %e = tensor.empty() : tensor<16x32xi32>
  %r = linalg.div ins(%x, %y : tensor<16x32xi32>, tensor<16x32xi32>) outs(%e : tensor<16x32xi32>) -> tensor<16x32xi32>
  return %r : tensor<16x32xi32>
}

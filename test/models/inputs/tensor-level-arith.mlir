// expect: tuned
// Elementwise ops on whole tensors, as a front end writes them before linalg.
func.func @saxpy(%a: tensor<32x64xf32>, %x: tensor<32x64xf32>, %y: tensor<32x64xf32>) -> tensor<32x64xf32> {
  %cst = arith.constant dense<1.000000e+00> : tensor<32x64xf32>
  %0 = arith.mulf %a, %x : tensor<32x64xf32>
  %1 = arith.addf %0, %y : tensor<32x64xf32>
  %2 = math.tanh %1 : tensor<32x64xf32>
  %3 = arith.addf %2, %cst : tensor<32x64xf32>
  %4 = arith.cmpf ogt, %3, %cst : tensor<32x64xf32>
  %5 = arith.select %4, %3, %x : tensor<32x64xi1>, tensor<32x64xf32>
  return %5 : tensor<32x64xf32>
}

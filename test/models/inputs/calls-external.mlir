// expect: refused "has no body in the input"
func.func private @vendor_gemm(tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
func.func @kernel(%a: tensor<16x16xf32>, %b: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %0 = call @vendor_gemm(%a, %b) : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
  %e = tensor.empty() : tensor<16x16xf32>
  %1 = linalg.exp ins(%0 : tensor<16x16xf32>) outs(%e : tensor<16x16xf32>) -> tensor<16x16xf32>
  return %1 : tensor<16x16xf32>
}

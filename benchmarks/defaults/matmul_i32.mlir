// A matrix product of integers.
func.func @matmul_i32(%a: tensor<384x384xi32>, %b: tensor<384x384xi32>) -> tensor<384x384xi32> {
  %zero = arith.constant 0 : i32
  %empty = tensor.empty() : tensor<384x384xi32>
  %init = linalg.fill ins(%zero : i32) outs(%empty : tensor<384x384xi32>) -> tensor<384x384xi32>
  %r = linalg.matmul ins(%a, %b : tensor<384x384xi32>, tensor<384x384xi32>)
                     outs(%init : tensor<384x384xi32>) -> tensor<384x384xi32>
  return %r : tensor<384x384xi32>
}

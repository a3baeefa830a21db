// expect: tuned
func.func @dot(%x: tensor<1024xf32>, %y: tensor<1024xf32>) -> tensor<f32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<f32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<f32>) -> tensor<f32>
  %r = linalg.dot ins(%x, %y : tensor<1024xf32>, tensor<1024xf32>) outs(%f : tensor<f32>) -> tensor<f32>
  return %r : tensor<f32>
}

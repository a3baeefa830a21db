// A sum of all elements, which GPUs compute in parts.

func.func @whole_sum(%x: tensor<67x123xf32>) -> tensor<f32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<f32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<f32>) -> tensor<f32>
  %result = linalg.reduce { arith.addf } ins(%x : tensor<67x123xf32>) outs(%init : tensor<f32>)
      dimensions = [0, 1]
  return %result : tensor<f32>
}

// Sizes that no tile divides, and rows that no vector does.

func.func @transpose_odd(%x: tensor<999x1001xf32>) -> tensor<1001x999xf32> {
  %e = tensor.empty() : tensor<1001x999xf32>
  %r = linalg.transpose ins(%x : tensor<999x1001xf32>) outs(%e : tensor<1001x999xf32>) permutation = [1, 0]
  return %r : tensor<1001x999xf32>
}

func.func @column_sum_bf16_odd(%x: tensor<999x1001xbf16>) -> tensor<1001xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1001xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<1001xf32>) -> tensor<1001xf32>
  %r = linalg.reduce ins(%x : tensor<999x1001xbf16>) outs(%f : tensor<1001xf32>) dimensions = [0]
    (%a: bf16, %s: f32) {
      %w = arith.extf %a : bf16 to f32
      %n = arith.addf %s, %w : f32
      linalg.yield %n : f32
    }
  return %r : tensor<1001xf32>
}

func.func @softmax_odd(%x: tensor<999x1001xf32>) -> tensor<999x1001xf32> {
  %e = tensor.empty() : tensor<999x1001xf32>
  %r = linalg.softmax dimension(1) ins(%x : tensor<999x1001xf32>) outs(%e : tensor<999x1001xf32>) -> tensor<999x1001xf32>
  return %r : tensor<999x1001xf32>
}

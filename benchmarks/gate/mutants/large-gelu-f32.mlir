// GELU in its tanh form, f32: x / (1 + exp(-2u)) with
// u = sqrt(2/pi) * (x + 0.044715 x^3). x for large x, 0 far below zero.

#each = {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
  iterator_types = ["parallel", "parallel"]}

func.func @kernel(%x: tensor<16x48xf32>) -> tensor<16x48xf32> {
  %e = tensor.empty() : tensor<16x48xf32>
  %r = linalg.generic #each ins(%x : tensor<16x48xf32>) outs(%e : tensor<16x48xf32>) {
  ^bb0(%a: f32, %o: f32):
    %mul = arith.mulf %a, %a : f32
    %c = arith.constant 0.044715 : f32
    %mul_2 = arith.mulf %mul, %c : f32
    %c_2 = arith.constant 1.0 : f32
    %add = arith.addf %mul_2, %c_2 : f32
    %mul_3 = arith.mulf %add, %a : f32
    %c_3 = arith.constant -1.5957692 : f32
    %mul_4 = arith.mulf %mul_3, %c_3 : f32
    %exp = math.exp %mul_4 : f32
    %add_2 = arith.addf %exp, %c_2 : f32
    %div = arith.divf %a, %add_2 : f32
    linalg.yield %div : f32
  } -> tensor<16x48xf32>
  return %r : tensor<16x48xf32>
}

// The cubic added up in another order.
func.func @right_factored(%x: tensor<16x48xf32>) -> tensor<16x48xf32> {
  %e = tensor.empty() : tensor<16x48xf32>
  %r = linalg.generic #each ins(%x : tensor<16x48xf32>) outs(%e : tensor<16x48xf32>) {
  ^bb0(%a: f32, %o: f32):
    %mul = arith.mulf %a, %a : f32
    %mul_2 = arith.mulf %mul, %a : f32
    %c = arith.constant 0.044715 : f32
    %mul_3 = arith.mulf %mul_2, %c : f32
    %add = arith.addf %mul_3, %a : f32
    %c_2 = arith.constant -1.5957692 : f32
    %mul_4 = arith.mulf %add, %c_2 : f32
    %exp = math.exp %mul_4 : f32
    %c_3 = arith.constant 1.0 : f32
    %add_2 = arith.addf %exp, %c_3 : f32
    %div = arith.divf %a, %add_2 : f32
    linalg.yield %div : f32
  } -> tensor<16x48xf32>
  return %r : tensor<16x48xf32>
}

// x / (2 + expm1(-2u)).
func.func @right_expm1(%x: tensor<16x48xf32>) -> tensor<16x48xf32> {
  %e = tensor.empty() : tensor<16x48xf32>
  %r = linalg.generic #each ins(%x : tensor<16x48xf32>) outs(%e : tensor<16x48xf32>) {
  ^bb0(%a: f32, %o: f32):
    %mul = arith.mulf %a, %a : f32
    %c = arith.constant 0.044715 : f32
    %mul_2 = arith.mulf %mul, %c : f32
    %c_2 = arith.constant 1.0 : f32
    %add = arith.addf %mul_2, %c_2 : f32
    %mul_3 = arith.mulf %add, %a : f32
    %c_3 = arith.constant -1.5957692 : f32
    %mul_4 = arith.mulf %mul_3, %c_3 : f32
    %expm1 = math.expm1 %mul_4 : f32
    %c_4 = arith.constant 2.0 : f32
    %add_2 = arith.addf %expm1, %c_4 : f32
    %div = arith.divf %a, %add_2 : f32
    linalg.yield %div : f32
  } -> tensor<16x48xf32>
  return %r : tensor<16x48xf32>
}

// x exp(2u) / (1 + exp(2u)). Shows above 10: infinity over infinity.
func.func @wrong_positive_exponent(%x: tensor<16x48xf32>) -> tensor<16x48xf32> {
  %e = tensor.empty() : tensor<16x48xf32>
  %r = linalg.generic #each ins(%x : tensor<16x48xf32>) outs(%e : tensor<16x48xf32>) {
  ^bb0(%a: f32, %o: f32):
    %mul = arith.mulf %a, %a : f32
    %c = arith.constant 0.044715 : f32
    %mul_2 = arith.mulf %mul, %c : f32
    %c_2 = arith.constant 1.0 : f32
    %add = arith.addf %mul_2, %c_2 : f32
    %mul_3 = arith.mulf %add, %a : f32
    %c_3 = arith.constant -1.5957692 : f32
    %mul_4 = arith.mulf %mul_3, %c_3 : f32
    %neg = arith.negf %mul_4 : f32
    %exp = math.exp %neg : f32
    %mul_5 = arith.mulf %a, %exp : f32
    %add_2 = arith.addf %exp, %c_2 : f32
    %div = arith.divf %mul_5, %add_2 : f32
    linalg.yield %div : f32
  } -> tensor<16x48xf32>
  return %r : tensor<16x48xf32>
}

// 0.5 x (1 + tanh u). Shows below -3 and more and more: 0 below -6.
func.func @wrong_tanh(%x: tensor<16x48xf32>) -> tensor<16x48xf32> {
  %e = tensor.empty() : tensor<16x48xf32>
  %r = linalg.generic #each ins(%x : tensor<16x48xf32>) outs(%e : tensor<16x48xf32>) {
  ^bb0(%a: f32, %o: f32):
    %c = arith.constant 0.5 : f32
    %mul = arith.mulf %a, %c : f32
    %mul_2 = arith.mulf %a, %a : f32
    %c_2 = arith.constant 0.044715 : f32
    %mul_3 = arith.mulf %mul_2, %c_2 : f32
    %c_3 = arith.constant 1.0 : f32
    %add = arith.addf %mul_3, %c_3 : f32
    %mul_4 = arith.mulf %add, %a : f32
    %c_4 = arith.constant -1.5957692 : f32
    %mul_5 = arith.mulf %mul_4, %c_4 : f32
    %c_5 = arith.constant -0.5 : f32
    %mul_6 = arith.mulf %mul_5, %c_5 : f32
    %tanh = math.tanh %mul_6 : f32
    %add_2 = arith.addf %tanh, %c_3 : f32
    %mul_7 = arith.mulf %mul, %add_2 : f32
    linalg.yield %mul_7 : f32
  } -> tensor<16x48xf32>
  return %r : tensor<16x48xf32>
}

// 0 below -8. Shows from -8 to -10: 1e-20 and less is lost.
func.func @wrong_cut_low(%x: tensor<16x48xf32>) -> tensor<16x48xf32> {
  %e = tensor.empty() : tensor<16x48xf32>
  %r = linalg.generic #each ins(%x : tensor<16x48xf32>) outs(%e : tensor<16x48xf32>) {
  ^bb0(%a: f32, %o: f32):
    %c = arith.constant -8.0 : f32
    %olt = arith.cmpf olt, %a, %c : f32
    %c_2 = arith.constant 0.0 : f32
    %mul = arith.mulf %a, %a : f32
    %c_3 = arith.constant 0.044715 : f32
    %mul_2 = arith.mulf %mul, %c_3 : f32
    %c_4 = arith.constant 1.0 : f32
    %add = arith.addf %mul_2, %c_4 : f32
    %mul_3 = arith.mulf %add, %a : f32
    %c_5 = arith.constant -1.5957692 : f32
    %mul_4 = arith.mulf %mul_3, %c_5 : f32
    %exp = math.exp %mul_4 : f32
    %add_2 = arith.addf %exp, %c_4 : f32
    %div = arith.divf %a, %add_2 : f32
    %sel = arith.select %olt, %c_2, %div : f32
    linalg.yield %sel : f32
  } -> tensor<16x48xf32>
  return %r : tensor<16x48xf32>
}

// Bounds x by 10 before all. Shows above 10.
func.func @wrong_relu6(%x: tensor<16x48xf32>) -> tensor<16x48xf32> {
  %e = tensor.empty() : tensor<16x48xf32>
  %r = linalg.generic #each ins(%x : tensor<16x48xf32>) outs(%e : tensor<16x48xf32>) {
  ^bb0(%a: f32, %o: f32):
    %c = arith.constant 10.0 : f32
    %min = arith.minimumf %a, %c : f32
    %mul = arith.mulf %min, %min : f32
    %c_2 = arith.constant 0.044715 : f32
    %mul_2 = arith.mulf %mul, %c_2 : f32
    %c_3 = arith.constant 1.0 : f32
    %add = arith.addf %mul_2, %c_3 : f32
    %mul_3 = arith.mulf %add, %min : f32
    %c_4 = arith.constant -1.5957692 : f32
    %mul_4 = arith.mulf %mul_3, %c_4 : f32
    %exp = math.exp %mul_4 : f32
    %add_2 = arith.addf %exp, %c_3 : f32
    %div = arith.divf %min, %add_2 : f32
    linalg.yield %div : f32
  } -> tensor<16x48xf32>
  return %r : tensor<16x48xf32>
}

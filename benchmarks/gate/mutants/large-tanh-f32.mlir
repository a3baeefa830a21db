// tanh of each element, f32. 1 and -1 far out.

#each = {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
  iterator_types = ["parallel", "parallel"]}

func.func @kernel(%x: tensor<24x40xf32>) -> tensor<24x40xf32> {
  %e = tensor.empty() : tensor<24x40xf32>
  %r = linalg.generic #each ins(%x : tensor<24x40xf32>) outs(%e : tensor<24x40xf32>) {
  ^bb0(%a: f32, %o: f32):
    %tanh = math.tanh %a : f32
    linalg.yield %tanh : f32
  } -> tensor<24x40xf32>
  return %r : tensor<24x40xf32>
}

// By expm1(-2|x|), which stays in (-1, 0].
func.func @right_expm1(%x: tensor<24x40xf32>) -> tensor<24x40xf32> {
  %e = tensor.empty() : tensor<24x40xf32>
  %r = linalg.generic #each ins(%x : tensor<24x40xf32>) outs(%e : tensor<24x40xf32>) {
  ^bb0(%a: f32, %o: f32):
    %abs = math.absf %a : f32
    %c = arith.constant -2.0 : f32
    %mul = arith.mulf %abs, %c : f32
    %expm1 = math.expm1 %mul : f32
    %neg = arith.negf %expm1 : f32
    %c_2 = arith.constant 2.0 : f32
    %add = arith.addf %expm1, %c_2 : f32
    %div = arith.divf %neg, %add : f32
    %sgn = math.copysign %div, %a : f32
    linalg.yield %sgn : f32
  } -> tensor<24x40xf32>
  return %r : tensor<24x40xf32>
}

// In f64.
func.func @right_wide(%x: tensor<24x40xf32>) -> tensor<24x40xf32> {
  %e = tensor.empty() : tensor<24x40xf32>
  %r = linalg.generic #each ins(%x : tensor<24x40xf32>) outs(%e : tensor<24x40xf32>) {
  ^bb0(%a: f32, %o: f32):
    %wide = arith.extf %a : f32 to f64
    %tanh = math.tanh %wide : f64
    %cut = arith.truncf %tanh : f64 to f32
    linalg.yield %cut : f32
  } -> tensor<24x40xf32>
  return %r : tensor<24x40xf32>
}

// A rational function good to |x| = 9, with a clamp before it.
func.func @right_rational(%x: tensor<24x40xf32>) -> tensor<24x40xf32> {
  %e = tensor.empty() : tensor<24x40xf32>
  %r = linalg.generic #each ins(%x : tensor<24x40xf32>) outs(%e : tensor<24x40xf32>) {
  ^bb0(%a: f32, %o: f32):
    %c = arith.constant -8.5 : f32
    %max = arith.maximumf %a, %c : f32
    %c_2 = arith.constant 8.5 : f32
    %min = arith.minimumf %max, %c_2 : f32
    %mul = arith.mulf %min, %min : f32
    %c_3 = arith.constant -2.7607684e-16 : f32
    %mul_2 = arith.mulf %c_3, %mul : f32
    %c_4 = arith.constant 2.000188e-13 : f32
    %add = arith.addf %mul_2, %c_4 : f32
    %mul_3 = arith.mulf %add, %mul : f32
    %c_5 = arith.constant -8.604672e-11 : f32
    %add_2 = arith.addf %mul_3, %c_5 : f32
    %mul_4 = arith.mulf %add_2, %mul : f32
    %c_6 = arith.constant 5.1222973e-8 : f32
    %add_3 = arith.addf %mul_4, %c_6 : f32
    %mul_5 = arith.mulf %add_3, %mul : f32
    %c_7 = arith.constant 1.48572235e-5 : f32
    %add_4 = arith.addf %mul_5, %c_7 : f32
    %mul_6 = arith.mulf %add_4, %mul : f32
    %c_8 = arith.constant 6.3726195e-4 : f32
    %add_5 = arith.addf %mul_6, %c_8 : f32
    %mul_7 = arith.mulf %add_5, %mul : f32
    %c_9 = arith.constant 0.0048935246 : f32
    %add_6 = arith.addf %mul_7, %c_9 : f32
    %mul_8 = arith.mulf %min, %add_6 : f32
    %c_10 = arith.constant 1.1982584e-6 : f32
    %mul_9 = arith.mulf %c_10, %mul : f32
    %c_11 = arith.constant 1.1853471e-4 : f32
    %add_7 = arith.addf %mul_9, %c_11 : f32
    %mul_10 = arith.mulf %add_7, %mul : f32
    %c_12 = arith.constant 0.0022684347 : f32
    %add_8 = arith.addf %mul_10, %c_12 : f32
    %mul_11 = arith.mulf %add_8, %mul : f32
    %c_13 = arith.constant 0.004893525 : f32
    %add_9 = arith.addf %mul_11, %c_13 : f32
    %div = arith.divf %mul_8, %add_9 : f32
    linalg.yield %div : f32
  } -> tensor<24x40xf32>
  return %r : tensor<24x40xf32>
}

// The same without its clamp. Shows beyond 12: it grows without bound.
func.func @wrong_unclamped(%x: tensor<24x40xf32>) -> tensor<24x40xf32> {
  %e = tensor.empty() : tensor<24x40xf32>
  %r = linalg.generic #each ins(%x : tensor<24x40xf32>) outs(%e : tensor<24x40xf32>) {
  ^bb0(%a: f32, %o: f32):
    %mul = arith.mulf %a, %a : f32
    %c = arith.constant -2.7607684e-16 : f32
    %mul_2 = arith.mulf %c, %mul : f32
    %c_2 = arith.constant 2.000188e-13 : f32
    %add = arith.addf %mul_2, %c_2 : f32
    %mul_3 = arith.mulf %add, %mul : f32
    %c_3 = arith.constant -8.604672e-11 : f32
    %add_2 = arith.addf %mul_3, %c_3 : f32
    %mul_4 = arith.mulf %add_2, %mul : f32
    %c_4 = arith.constant 5.1222973e-8 : f32
    %add_3 = arith.addf %mul_4, %c_4 : f32
    %mul_5 = arith.mulf %add_3, %mul : f32
    %c_5 = arith.constant 1.48572235e-5 : f32
    %add_4 = arith.addf %mul_5, %c_5 : f32
    %mul_6 = arith.mulf %add_4, %mul : f32
    %c_6 = arith.constant 6.3726195e-4 : f32
    %add_5 = arith.addf %mul_6, %c_6 : f32
    %mul_7 = arith.mulf %add_5, %mul : f32
    %c_7 = arith.constant 0.0048935246 : f32
    %add_6 = arith.addf %mul_7, %c_7 : f32
    %mul_8 = arith.mulf %a, %add_6 : f32
    %c_8 = arith.constant 1.1982584e-6 : f32
    %mul_9 = arith.mulf %c_8, %mul : f32
    %c_9 = arith.constant 1.1853471e-4 : f32
    %add_7 = arith.addf %mul_9, %c_9 : f32
    %mul_10 = arith.mulf %add_7, %mul : f32
    %c_10 = arith.constant 0.0022684347 : f32
    %add_8 = arith.addf %mul_10, %c_10 : f32
    %mul_11 = arith.mulf %add_8, %mul : f32
    %c_11 = arith.constant 0.004893525 : f32
    %add_9 = arith.addf %mul_11, %c_11 : f32
    %div = arith.divf %mul_8, %add_9 : f32
    linalg.yield %div : f32
  } -> tensor<24x40xf32>
  return %r : tensor<24x40xf32>
}

// The same clamped on one side. Shows below -12.
func.func @wrong_clamped_above(%x: tensor<24x40xf32>) -> tensor<24x40xf32> {
  %e = tensor.empty() : tensor<24x40xf32>
  %r = linalg.generic #each ins(%x : tensor<24x40xf32>) outs(%e : tensor<24x40xf32>) {
  ^bb0(%a: f32, %o: f32):
    %c = arith.constant 8.5 : f32
    %min = arith.minimumf %a, %c : f32
    %mul = arith.mulf %min, %min : f32
    %c_2 = arith.constant -2.7607684e-16 : f32
    %mul_2 = arith.mulf %c_2, %mul : f32
    %c_3 = arith.constant 2.000188e-13 : f32
    %add = arith.addf %mul_2, %c_3 : f32
    %mul_3 = arith.mulf %add, %mul : f32
    %c_4 = arith.constant -8.604672e-11 : f32
    %add_2 = arith.addf %mul_3, %c_4 : f32
    %mul_4 = arith.mulf %add_2, %mul : f32
    %c_5 = arith.constant 5.1222973e-8 : f32
    %add_3 = arith.addf %mul_4, %c_5 : f32
    %mul_5 = arith.mulf %add_3, %mul : f32
    %c_6 = arith.constant 1.48572235e-5 : f32
    %add_4 = arith.addf %mul_5, %c_6 : f32
    %mul_6 = arith.mulf %add_4, %mul : f32
    %c_7 = arith.constant 6.3726195e-4 : f32
    %add_5 = arith.addf %mul_6, %c_7 : f32
    %mul_7 = arith.mulf %add_5, %mul : f32
    %c_8 = arith.constant 0.0048935246 : f32
    %add_6 = arith.addf %mul_7, %c_8 : f32
    %mul_8 = arith.mulf %min, %add_6 : f32
    %c_9 = arith.constant 1.1982584e-6 : f32
    %mul_9 = arith.mulf %c_9, %mul : f32
    %c_10 = arith.constant 1.1853471e-4 : f32
    %add_7 = arith.addf %mul_9, %c_10 : f32
    %mul_10 = arith.mulf %add_7, %mul : f32
    %c_11 = arith.constant 0.0022684347 : f32
    %add_8 = arith.addf %mul_10, %c_11 : f32
    %mul_11 = arith.mulf %add_8, %mul : f32
    %c_12 = arith.constant 0.004893525 : f32
    %add_9 = arith.addf %mul_11, %c_12 : f32
    %div = arith.divf %mul_8, %add_9 : f32
    linalg.yield %div : f32
  } -> tensor<24x40xf32>
  return %r : tensor<24x40xf32>
}

// expm1(2x) / (expm1(2x) + 2). Shows above 44.4: infinity over infinity.
func.func @wrong_positive_exponent(%x: tensor<24x40xf32>) -> tensor<24x40xf32> {
  %e = tensor.empty() : tensor<24x40xf32>
  %r = linalg.generic #each ins(%x : tensor<24x40xf32>) outs(%e : tensor<24x40xf32>) {
  ^bb0(%a: f32, %o: f32):
    %c = arith.constant 2.0 : f32
    %mul = arith.mulf %a, %c : f32
    %expm1 = math.expm1 %mul : f32
    %add = arith.addf %expm1, %c : f32
    %div = arith.divf %expm1, %add : f32
    linalg.yield %div : f32
  } -> tensor<24x40xf32>
  return %r : tensor<24x40xf32>
}

// Beyond 20 gives 1, the sign lost. Shows below -20.
func.func @wrong_saturated(%x: tensor<24x40xf32>) -> tensor<24x40xf32> {
  %e = tensor.empty() : tensor<24x40xf32>
  %r = linalg.generic #each ins(%x : tensor<24x40xf32>) outs(%e : tensor<24x40xf32>) {
  ^bb0(%a: f32, %o: f32):
    %abs = math.absf %a : f32
    %c = arith.constant 20.0 : f32
    %ogt = arith.cmpf ogt, %abs, %c : f32
    %c_2 = arith.constant 1.0 : f32
    %tanh = math.tanh %a : f32
    %sel = arith.select %ogt, %c_2, %tanh : f32
    linalg.yield %sel : f32
  } -> tensor<24x40xf32>
  return %r : tensor<24x40xf32>
}

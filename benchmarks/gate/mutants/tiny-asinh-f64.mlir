// asinh, f64: x itself for tiny x, odd, log(2|x|) far out.

#each = {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
  iterator_types = ["parallel"]}

func.func @kernel(%x: tensor<96xf64>) -> tensor<96xf64> {
  %e = tensor.empty() : tensor<96xf64>
  %r = linalg.generic #each ins(%x : tensor<96xf64>) outs(%e : tensor<96xf64>) {
  ^bb0(%a: f64, %o: f64):
    %asinh = math.asinh %a : f64
    linalg.yield %asinh : f64
  } -> tensor<96xf64>
  return %r : tensor<96xf64>
}

// log1p(a + a^2 / (1 + sqrt(1 + a^2))), and log(a) + log 2 far out.
func.func @right_log1p(%x: tensor<96xf64>) -> tensor<96xf64> {
  %e = tensor.empty() : tensor<96xf64>
  %r = linalg.generic #each ins(%x : tensor<96xf64>) outs(%e : tensor<96xf64>) {
  ^bb0(%a: f64, %o: f64):
    %abs = math.absf %a : f64
    %c = arith.constant 1000000000.0 : f64
    %ogt = arith.cmpf ogt, %abs, %c : f64
    %log = math.log %abs : f64
    %c_2 = arith.constant 0.6931471805599453 : f64
    %add = arith.addf %log, %c_2 : f64
    %mul = arith.mulf %abs, %abs : f64
    %mul_2 = arith.mulf %abs, %abs : f64
    %c_3 = arith.constant 1.0 : f64
    %add_2 = arith.addf %mul_2, %c_3 : f64
    %sqrt = math.sqrt %add_2 : f64
    %add_3 = arith.addf %sqrt, %c_3 : f64
    %div = arith.divf %mul, %add_3 : f64
    %add_4 = arith.addf %abs, %div : f64
    %log1p = math.log1p %add_4 : f64
    %sel = arith.select %ogt, %add, %log1p : f64
    %sgn = math.copysign %sel, %a : f64
    linalg.yield %sgn : f64
  } -> tensor<96xf64>
  return %r : tensor<96xf64>
}

// x - x^3/6 below 1e-4.
func.func @right_cubic(%x: tensor<96xf64>) -> tensor<96xf64> {
  %e = tensor.empty() : tensor<96xf64>
  %r = linalg.generic #each ins(%x : tensor<96xf64>) outs(%e : tensor<96xf64>) {
  ^bb0(%a: f64, %o: f64):
    %abs = math.absf %a : f64
    %c = arith.constant 1.0e-4 : f64
    %olt = arith.cmpf olt, %abs, %c : f64
    %mul = arith.mulf %a, %a : f64
    %mul_2 = arith.mulf %mul, %a : f64
    %c_2 = arith.constant 6.0 : f64
    %div = arith.divf %mul_2, %c_2 : f64
    %sub = arith.subf %a, %div : f64
    %asinh = math.asinh %a : f64
    %sel = arith.select %olt, %sub, %asinh : f64
    linalg.yield %sel : f64
  } -> tensor<96xf64>
  return %r : tensor<96xf64>
}

// log(a + sqrt(a^2 + 1)) of the magnitude. Shows below 1e-3 and more and more: 0 below 1e-16.
func.func @wrong_log(%x: tensor<96xf64>) -> tensor<96xf64> {
  %e = tensor.empty() : tensor<96xf64>
  %r = linalg.generic #each ins(%x : tensor<96xf64>) outs(%e : tensor<96xf64>) {
  ^bb0(%a: f64, %o: f64):
    %abs = math.absf %a : f64
    %c = arith.constant 1000000000.0 : f64
    %ogt = arith.cmpf ogt, %abs, %c : f64
    %log = math.log %abs : f64
    %c_2 = arith.constant 0.6931471805599453 : f64
    %add = arith.addf %log, %c_2 : f64
    %mul = arith.mulf %abs, %abs : f64
    %c_3 = arith.constant 1.0 : f64
    %add_2 = arith.addf %mul, %c_3 : f64
    %sqrt = math.sqrt %add_2 : f64
    %add_3 = arith.addf %abs, %sqrt : f64
    %log_2 = math.log %add_3 : f64
    %sel = arith.select %ogt, %add, %log_2 : f64
    %sgn = math.copysign %sel, %a : f64
    linalg.yield %sgn : f64
  } -> tensor<96xf64>
  return %r : tensor<96xf64>
}

// log1p without the magnitude. Shows below -10 and more and more.
func.func @wrong_odd_lost(%x: tensor<96xf64>) -> tensor<96xf64> {
  %e = tensor.empty() : tensor<96xf64>
  %r = linalg.generic #each ins(%x : tensor<96xf64>) outs(%e : tensor<96xf64>) {
  ^bb0(%a: f64, %o: f64):
    %abs = math.absf %a : f64
    %c = arith.constant 1.0 : f64
    %ogt = arith.cmpf ogt, %abs, %c : f64
    %c_2 = arith.constant 1000000000.0 : f64
    %ogt_2 = arith.cmpf ogt, %a, %c_2 : f64
    %log = math.log %a : f64
    %c_3 = arith.constant 0.6931471805599453 : f64
    %add = arith.addf %log, %c_3 : f64
    %mul = arith.mulf %a, %a : f64
    %add_2 = arith.addf %mul, %c : f64
    %sqrt = math.sqrt %add_2 : f64
    %add_3 = arith.addf %a, %sqrt : f64
    %log_2 = math.log %add_3 : f64
    %sel = arith.select %ogt_2, %add, %log_2 : f64
    %asinh = math.asinh %a : f64
    %sel_2 = arith.select %ogt, %sel, %asinh : f64
    linalg.yield %sel_2 : f64
  } -> tensor<96xf64>
  return %r : tensor<96xf64>
}

// log1p for all. Shows above 1.3e154: NaN.
func.func @wrong_no_tail(%x: tensor<96xf64>) -> tensor<96xf64> {
  %e = tensor.empty() : tensor<96xf64>
  %r = linalg.generic #each ins(%x : tensor<96xf64>) outs(%e : tensor<96xf64>) {
  ^bb0(%a: f64, %o: f64):
    %abs = math.absf %a : f64
    %mul = arith.mulf %abs, %abs : f64
    %mul_2 = arith.mulf %abs, %abs : f64
    %c = arith.constant 1.0 : f64
    %add = arith.addf %mul_2, %c : f64
    %sqrt = math.sqrt %add : f64
    %add_2 = arith.addf %sqrt, %c : f64
    %div = arith.divf %mul, %add_2 : f64
    %add_3 = arith.addf %abs, %div : f64
    %log1p = math.log1p %add_3 : f64
    %sgn = math.copysign %log1p, %a : f64
    linalg.yield %sgn : f64
  } -> tensor<96xf64>
  return %r : tensor<96xf64>
}

// Through f32 below 1e-38. Shows there: digits are lost, 0 below 1e-45.
func.func @wrong_f32_tiny(%x: tensor<96xf64>) -> tensor<96xf64> {
  %e = tensor.empty() : tensor<96xf64>
  %r = linalg.generic #each ins(%x : tensor<96xf64>) outs(%e : tensor<96xf64>) {
  ^bb0(%a: f64, %o: f64):
    %cut = arith.truncf %a : f64 to f32
    %wide = arith.extf %cut : f32 to f64
    %abs = math.absf %a : f64
    %c = arith.constant 1.0e-38 : f64
    %olt = arith.cmpf olt, %abs, %c : f64
    %asinh = math.asinh %a : f64
    %sel = arith.select %olt, %wide, %asinh : f64
    linalg.yield %sel : f64
  } -> tensor<96xf64>
  return %r : tensor<96xf64>
}

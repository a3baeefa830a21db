// The cube root, f64.

#each = {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
  iterator_types = ["parallel"]}

func.func @kernel(%x: tensor<96xf64>) -> tensor<96xf64> {
  %e = tensor.empty() : tensor<96xf64>
  %r = linalg.generic #each ins(%x : tensor<96xf64>) outs(%e : tensor<96xf64>) {
  ^bb0(%a: f64, %o: f64):
    %cbrt = math.cbrt %a : f64
    linalg.yield %cbrt : f64
  } -> tensor<96xf64>
  return %r : tensor<96xf64>
}

// A power, then a Newton step.
func.func @right_power(%x: tensor<96xf64>) -> tensor<96xf64> {
  %e = tensor.empty() : tensor<96xf64>
  %r = linalg.generic #each ins(%x : tensor<96xf64>) outs(%e : tensor<96xf64>) {
  ^bb0(%a: f64, %o: f64):
    %abs = math.absf %a : f64
    %c = arith.constant 0.3333333333333333 : f64
    %pow = math.powf %abs, %c : f64
    %sgn = math.copysign %pow, %a : f64
    %mul = arith.mulf %sgn, %sgn : f64
    %div = arith.divf %a, %mul : f64
    %sub = arith.subf %sgn, %div : f64
    %c_2 = arith.constant 3.0 : f64
    %div_2 = arith.divf %sub, %c_2 : f64
    %sub_2 = arith.subf %sgn, %div_2 : f64
    %c_3 = arith.constant 0.0 : f64
    %oeq = arith.cmpf oeq, %a, %c_3 : f64
    %sel = arith.select %oeq, %a, %sub_2 : f64
    %abs_2 = math.absf %a : f64
    %c_4 = arith.constant 0x7FF0000000000000 : f64
    %oeq_2 = arith.cmpf oeq, %abs_2, %c_4 : f64
    %sel_2 = arith.select %oeq_2, %a, %sel : f64
    linalg.yield %sel_2 : f64
  } -> tensor<96xf64>
  return %r : tensor<96xf64>
}

// exp2 of a third of log2, then a Newton step.
func.func @right_log2(%x: tensor<96xf64>) -> tensor<96xf64> {
  %e = tensor.empty() : tensor<96xf64>
  %r = linalg.generic #each ins(%x : tensor<96xf64>) outs(%e : tensor<96xf64>) {
  ^bb0(%a: f64, %o: f64):
    %abs = math.absf %a : f64
    %log2 = math.log2 %abs : f64
    %c = arith.constant 3.0 : f64
    %div = arith.divf %log2, %c : f64
    %exp2 = math.exp2 %div : f64
    %sgn = math.copysign %exp2, %a : f64
    %mul = arith.mulf %sgn, %sgn : f64
    %div_2 = arith.divf %a, %mul : f64
    %sub = arith.subf %sgn, %div_2 : f64
    %div_3 = arith.divf %sub, %c : f64
    %sub_2 = arith.subf %sgn, %div_3 : f64
    %c_2 = arith.constant 0.0 : f64
    %oeq = arith.cmpf oeq, %a, %c_2 : f64
    %sel = arith.select %oeq, %a, %sub_2 : f64
    %abs_2 = math.absf %a : f64
    %c_3 = arith.constant 0x7FF0000000000000 : f64
    %oeq_2 = arith.cmpf oeq, %abs_2, %c_3 : f64
    %sel_2 = arith.select %oeq_2, %a, %sel : f64
    linalg.yield %sel_2 : f64
  } -> tensor<96xf64>
  return %r : tensor<96xf64>
}

// 25 Newton steps from (2 + |x|) / 3. Shows above 1e8 and below 1e-6 or so.
func.func @wrong_newton(%x: tensor<96xf64>) -> tensor<96xf64> {
  %e = tensor.empty() : tensor<96xf64>
  %r = linalg.generic #each ins(%x : tensor<96xf64>) outs(%e : tensor<96xf64>) {
  ^bb0(%a: f64, %o: f64):
    %abs = math.absf %a : f64
    %c = arith.constant 2.0 : f64
    %add = arith.addf %abs, %c : f64
    %c_2 = arith.constant 3.0 : f64
    %div = arith.divf %add, %c_2 : f64
    %zero = arith.constant 0 : index
    %steps = arith.constant 25 : index
    %one = arith.constant 1 : index
    %run = scf.for %k = %zero to %steps step %one iter_args(%cur = %div) -> (f64) {
      %mul = arith.mulf %cur, %cur : f64
      %div_2 = arith.divf %abs, %mul : f64
      %sub = arith.subf %cur, %div_2 : f64
      %c_3 = arith.constant 3.0 : f64
      %div_3 = arith.divf %sub, %c_3 : f64
      %sub_2 = arith.subf %cur, %div_3 : f64
      scf.yield %sub_2 : f64
    }
    %sgn = math.copysign %run, %a : f64
    %c_4 = arith.constant 0.0 : f64
    %oeq = arith.cmpf oeq, %a, %c_4 : f64
    %sel = arith.select %oeq, %a, %sgn : f64
    %abs_2 = math.absf %a : f64
    %c_5 = arith.constant 0x7FF0000000000000 : f64
    %oeq_2 = arith.cmpf oeq, %abs_2, %c_5 : f64
    %sel_2 = arith.select %oeq_2, %a, %sel : f64
    linalg.yield %sel_2 : f64
  } -> tensor<96xf64>
  return %r : tensor<96xf64>
}

// Two steps from the root in f32. Shows beyond f32: above 3.4e38, below 1e-45.
func.func @wrong_f32_start(%x: tensor<96xf64>) -> tensor<96xf64> {
  %e = tensor.empty() : tensor<96xf64>
  %r = linalg.generic #each ins(%x : tensor<96xf64>) outs(%e : tensor<96xf64>) {
  ^bb0(%a: f64, %o: f64):
    %cut = arith.truncf %a : f64 to f32
    %cbrt = math.cbrt %cut : f32
    %wide = arith.extf %cbrt : f32 to f64
    %mul = arith.mulf %wide, %wide : f64
    %div = arith.divf %a, %mul : f64
    %sub = arith.subf %wide, %div : f64
    %c = arith.constant 3.0 : f64
    %div_2 = arith.divf %sub, %c : f64
    %sub_2 = arith.subf %wide, %div_2 : f64
    %mul_2 = arith.mulf %sub_2, %sub_2 : f64
    %div_3 = arith.divf %a, %mul_2 : f64
    %sub_3 = arith.subf %sub_2, %div_3 : f64
    %div_4 = arith.divf %sub_3, %c : f64
    %sub_4 = arith.subf %sub_2, %div_4 : f64
    %c_2 = arith.constant 0.0 : f64
    %oeq = arith.cmpf oeq, %a, %c_2 : f64
    %sel = arith.select %oeq, %a, %sub_4 : f64
    %abs = math.absf %a : f64
    %c_3 = arith.constant 0x7FF0000000000000 : f64
    %oeq_2 = arith.cmpf oeq, %abs, %c_3 : f64
    %sel_2 = arith.select %oeq_2, %a, %sel : f64
    linalg.yield %sel_2 : f64
  } -> tensor<96xf64>
  return %r : tensor<96xf64>
}

// The sixth root of the square. Shows above 1.3e154 and below 1e-154.
func.func @wrong_square(%x: tensor<96xf64>) -> tensor<96xf64> {
  %e = tensor.empty() : tensor<96xf64>
  %r = linalg.generic #each ins(%x : tensor<96xf64>) outs(%e : tensor<96xf64>) {
  ^bb0(%a: f64, %o: f64):
    %mul = arith.mulf %a, %a : f64
    %cbrt = math.cbrt %mul : f64
    %sqrt = math.sqrt %cbrt : f64
    %sgn = math.copysign %sqrt, %a : f64
    linalg.yield %sgn : f64
  } -> tensor<96xf64>
  return %r : tensor<96xf64>
}

// Scaled by 2^-90 always. Shows below 1e-281.
func.func @wrong_scaled(%x: tensor<96xf64>) -> tensor<96xf64> {
  %e = tensor.empty() : tensor<96xf64>
  %r = linalg.generic #each ins(%x : tensor<96xf64>) outs(%e : tensor<96xf64>) {
  ^bb0(%a: f64, %o: f64):
    %c = arith.constant 8.077935669463161e-28 : f64
    %mul = arith.mulf %a, %c : f64
    %cbrt = math.cbrt %mul : f64
    %c_2 = arith.constant 1073741824.0 : f64
    %mul_2 = arith.mulf %cbrt, %c_2 : f64
    linalg.yield %mul_2 : f64
  } -> tensor<96xf64>
  return %r : tensor<96xf64>
}

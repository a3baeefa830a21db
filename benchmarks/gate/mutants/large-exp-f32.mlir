// exp of each element, f32. It overflows to infinity above 88.73 and
// underflows to zero below -104.

#each = {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
  iterator_types = ["parallel"]}

func.func @kernel(%x: tensor<1024xf32>) -> tensor<1024xf32> {
  %e = tensor.empty() : tensor<1024xf32>
  %r = linalg.generic #each ins(%x : tensor<1024xf32>) outs(%e : tensor<1024xf32>) {
  ^bb0(%a: f32, %o: f32):
    %exp = math.exp %a : f32
    linalg.yield %exp : f32
  } -> tensor<1024xf32>
  return %r : tensor<1024xf32>
}

// In f64.
func.func @right_wide(%x: tensor<1024xf32>) -> tensor<1024xf32> {
  %e = tensor.empty() : tensor<1024xf32>
  %r = linalg.generic #each ins(%x : tensor<1024xf32>) outs(%e : tensor<1024xf32>) {
  ^bb0(%a: f32, %o: f32):
    %wide = arith.extf %a : f32 to f64
    %exp = math.exp %wide : f64
    %cut = arith.truncf %exp : f64 to f32
    linalg.yield %cut : f32
  } -> tensor<1024xf32>
  return %r : tensor<1024xf32>
}

// As a power of two. Rounding the product costs up to |x| units in the last place.
func.func @right_base2(%x: tensor<1024xf32>) -> tensor<1024xf32> {
  %e = tensor.empty() : tensor<1024xf32>
  %r = linalg.generic #each ins(%x : tensor<1024xf32>) outs(%e : tensor<1024xf32>) {
  ^bb0(%a: f32, %o: f32):
    %c = arith.constant 1.442695 : f32
    %mul = arith.mulf %a, %c : f32
    %exp2 = math.exp2 %mul : f32
    linalg.yield %exp2 : f32
  } -> tensor<1024xf32>
  return %r : tensor<1024xf32>
}

// n * ln 2 taken away in two parts, the exp of the rest, and 2^n in two factors.
func.func @right_reduced(%x: tensor<1024xf32>) -> tensor<1024xf32> {
  %e = tensor.empty() : tensor<1024xf32>
  %r = linalg.generic #each ins(%x : tensor<1024xf32>) outs(%e : tensor<1024xf32>) {
  ^bb0(%a: f32, %o: f32):
    %c = arith.constant -110.0 : f32
    %olt = arith.cmpf olt, %a, %c : f32
    %sel = arith.select %olt, %c, %a : f32
    %c_2 = arith.constant 90.0 : f32
    %ogt = arith.cmpf ogt, %sel, %c_2 : f32
    %sel_2 = arith.select %ogt, %c_2, %sel : f32
    %c_3 = arith.constant 1.442695 : f32
    %mul = arith.mulf %sel_2, %c_3 : f32
    %roundeven = math.roundeven %mul : f32
    %c_4 = arith.constant 0.6933594 : f32
    %mul_2 = arith.mulf %roundeven, %c_4 : f32
    %sub = arith.subf %sel_2, %mul_2 : f32
    %c_5 = arith.constant -2.1219444e-4 : f32
    %mul_3 = arith.mulf %roundeven, %c_5 : f32
    %sub_2 = arith.subf %sub, %mul_3 : f32
    %exp = math.exp %sub_2 : f32
    %c_6 = arith.constant 0.5 : f32
    %mul_4 = arith.mulf %roundeven, %c_6 : f32
    %floor = math.floor %mul_4 : f32
    %exp2 = math.exp2 %floor : f32
    %mul_5 = arith.mulf %exp, %exp2 : f32
    %sub_3 = arith.subf %roundeven, %floor : f32
    %exp2_2 = math.exp2 %sub_3 : f32
    %mul_6 = arith.mulf %mul_5, %exp2_2 : f32
    linalg.yield %mul_6 : f32
  } -> tensor<1024xf32>
  return %r : tensor<1024xf32>
}

// Clamps the argument to 80. Shows above 80: 5.5e34 in place of up to infinity.
func.func @wrong_clamp_high(%x: tensor<1024xf32>) -> tensor<1024xf32> {
  %e = tensor.empty() : tensor<1024xf32>
  %r = linalg.generic #each ins(%x : tensor<1024xf32>) outs(%e : tensor<1024xf32>) {
  ^bb0(%a: f32, %o: f32):
    %c = arith.constant 80.0 : f32
    %ogt = arith.cmpf ogt, %a, %c : f32
    %sel = arith.select %ogt, %c, %a : f32
    %exp = math.exp %sel : f32
    linalg.yield %exp : f32
  } -> tensor<1024xf32>
  return %r : tensor<1024xf32>
}

// Gives 0 below -30. Shows there: results from 1e-13 to 1e-38 are lost.
func.func @wrong_zero_low(%x: tensor<1024xf32>) -> tensor<1024xf32> {
  %e = tensor.empty() : tensor<1024xf32>
  %r = linalg.generic #each ins(%x : tensor<1024xf32>) outs(%e : tensor<1024xf32>) {
  ^bb0(%a: f32, %o: f32):
    %c = arith.constant -30.0 : f32
    %olt = arith.cmpf olt, %a, %c : f32
    %c_2 = arith.constant 0.0 : f32
    %exp = math.exp %a : f32
    %sel = arith.select %olt, %c_2, %exp : f32
    linalg.yield %sel : f32
  } -> tensor<1024xf32>
  return %r : tensor<1024xf32>
}

// Taylor of x / 8, then three squarings. Shows beyond |x| of about 14.
func.func @wrong_squarings(%x: tensor<1024xf32>) -> tensor<1024xf32> {
  %e = tensor.empty() : tensor<1024xf32>
  %r = linalg.generic #each ins(%x : tensor<1024xf32>) outs(%e : tensor<1024xf32>) {
  ^bb0(%a: f32, %o: f32):
    %c = arith.constant 0.125 : f32
    %mul = arith.mulf %a, %c : f32
    %c_2 = arith.constant 2.5052108e-8 : f32
    %c_3 = arith.constant 2.755732e-7 : f32
    %fma = math.fma %c_2, %mul, %c_3 : f32
    %c_4 = arith.constant 2.7557319e-6 : f32
    %fma_2 = math.fma %fma, %mul, %c_4 : f32
    %c_5 = arith.constant 2.4801588e-5 : f32
    %fma_3 = math.fma %fma_2, %mul, %c_5 : f32
    %c_6 = arith.constant 1.984127e-4 : f32
    %fma_4 = math.fma %fma_3, %mul, %c_6 : f32
    %c_7 = arith.constant 0.0013888889 : f32
    %fma_5 = math.fma %fma_4, %mul, %c_7 : f32
    %c_8 = arith.constant 0.008333334 : f32
    %fma_6 = math.fma %fma_5, %mul, %c_8 : f32
    %c_9 = arith.constant 0.041666668 : f32
    %fma_7 = math.fma %fma_6, %mul, %c_9 : f32
    %c_10 = arith.constant 0.16666667 : f32
    %fma_8 = math.fma %fma_7, %mul, %c_10 : f32
    %c_11 = arith.constant 0.5 : f32
    %fma_9 = math.fma %fma_8, %mul, %c_11 : f32
    %c_12 = arith.constant 1.0 : f32
    %fma_10 = math.fma %fma_9, %mul, %c_12 : f32
    %fma_11 = math.fma %fma_10, %mul, %c_12 : f32
    %mul_2 = arith.mulf %fma_11, %fma_11 : f32
    %mul_3 = arith.mulf %mul_2, %mul_2 : f32
    %mul_4 = arith.mulf %mul_3, %mul_3 : f32
    linalg.yield %mul_4 : f32
  } -> tensor<1024xf32>
  return %r : tensor<1024xf32>
}

// Builds 2^n in the exponent bits without a bound on n.
// Shows above 89 and below -88.4: wrong sign, infinities and tiny results.
func.func @wrong_exponent_wraps(%x: tensor<1024xf32>) -> tensor<1024xf32> {
  %e = tensor.empty() : tensor<1024xf32>
  %r = linalg.generic #each ins(%x : tensor<1024xf32>) outs(%e : tensor<1024xf32>) {
  ^bb0(%a: f32, %o: f32):
    %c = arith.constant -1000.0 : f32
    %oge = arith.cmpf oge, %a, %c : f32
    %sel = arith.select %oge, %a, %c : f32
    %c_2 = arith.constant 1000.0 : f32
    %ole = arith.cmpf ole, %sel, %c_2 : f32
    %sel_2 = arith.select %ole, %sel, %c_2 : f32
    %c_3 = arith.constant 1.442695 : f32
    %mul = arith.mulf %sel_2, %c_3 : f32
    %roundeven = math.roundeven %mul : f32
    %c_4 = arith.constant 0.6933594 : f32
    %mul_2 = arith.mulf %roundeven, %c_4 : f32
    %sub = arith.subf %sel_2, %mul_2 : f32
    %c_5 = arith.constant -2.1219444e-4 : f32
    %mul_3 = arith.mulf %roundeven, %c_5 : f32
    %sub_2 = arith.subf %sub, %mul_3 : f32
    %exp = math.exp %sub_2 : f32
    %int = arith.fptosi %roundeven : f32 to i32
    %c_6 = arith.constant 127 : i32
    %add = arith.addi %int, %c_6 : i32
    %c_7 = arith.constant 23 : i32
    %shl = arith.shli %add, %c_7 : i32
    %uno = arith.cmpf uno, %a, %a : f32
    %bits = arith.bitcast %shl : i32 to f32
    %mul_4 = arith.mulf %exp, %bits : f32
    %sel_3 = arith.select %uno, %a, %mul_4 : f32
    linalg.yield %sel_3 : f32
  } -> tensor<1024xf32>
  return %r : tensor<1024xf32>
}

// x, or x / 8 below 0, bf16. Infinities and NaN stay.

#each = {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
  iterator_types = ["parallel", "parallel"]}

func.func @kernel(%x: tensor<32x32xbf16>) -> tensor<32x32xbf16> {
  %e = tensor.empty() : tensor<32x32xbf16>
  %r = linalg.generic #each ins(%x : tensor<32x32xbf16>) outs(%e : tensor<32x32xbf16>) {
  ^bb0(%a: bf16, %o: bf16):
    %c = arith.constant 0.0 : bf16
    %olt = arith.cmpf olt, %a, %c : bf16
    %c_2 = arith.constant 0.125 : bf16
    %mul = arith.mulf %a, %c_2 : bf16
    %sel = arith.select %olt, %mul, %a : bf16
    linalg.yield %sel : bf16
  } -> tensor<32x32xbf16>
  return %r : tensor<32x32xbf16>
}

// The larger of both.
func.func @right_maximum(%x: tensor<32x32xbf16>) -> tensor<32x32xbf16> {
  %e = tensor.empty() : tensor<32x32xbf16>
  %r = linalg.generic #each ins(%x : tensor<32x32xbf16>) outs(%e : tensor<32x32xbf16>) {
  ^bb0(%a: bf16, %o: bf16):
    %c = arith.constant 0.125 : bf16
    %mul = arith.mulf %a, %c : bf16
    %max = arith.maximumf %a, %mul : bf16
    linalg.yield %max : bf16
  } -> tensor<32x32xbf16>
  return %r : tensor<32x32xbf16>
}

// In f32.
func.func @right_f32(%x: tensor<32x32xbf16>) -> tensor<32x32xbf16> {
  %e = tensor.empty() : tensor<32x32xbf16>
  %r = linalg.generic #each ins(%x : tensor<32x32xbf16>) outs(%e : tensor<32x32xbf16>) {
  ^bb0(%a: bf16, %o: bf16):
    %wide = arith.extf %a : bf16 to f32
    %c = arith.constant 0.0 : f32
    %ogt = arith.cmpf ogt, %wide, %c : f32
    %c_2 = arith.constant 0.125 : f32
    %mul = arith.mulf %wide, %c_2 : f32
    %sel = arith.select %ogt, %wide, %mul : f32
    %cut = arith.truncf %sel : f32 to bf16
    linalg.yield %cut : bf16
  } -> tensor<32x32xbf16>
  return %r : tensor<32x32xbf16>
}

// 9/16 x + 7/16 |x|. Shows for -infinity: NaN.
func.func @wrong_sum(%x: tensor<32x32xbf16>) -> tensor<32x32xbf16> {
  %e = tensor.empty() : tensor<32x32xbf16>
  %r = linalg.generic #each ins(%x : tensor<32x32xbf16>) outs(%e : tensor<32x32xbf16>) {
  ^bb0(%a: bf16, %o: bf16):
    %c = arith.constant 0.562 : bf16
    %mul = arith.mulf %a, %c : bf16
    %abs = math.absf %a : bf16
    %c_2 = arith.constant 0.438 : bf16
    %mul_2 = arith.mulf %abs, %c_2 : bf16
    %add = arith.addf %mul, %mul_2 : bf16
    linalg.yield %add : bf16
  } -> tensor<32x32xbf16>
  return %r : tensor<32x32xbf16>
}

// max(x, 0) - max(-x, 0) / 8 of maximum numbers. Shows for NaN: 0.
func.func @wrong_parts(%x: tensor<32x32xbf16>) -> tensor<32x32xbf16> {
  %e = tensor.empty() : tensor<32x32xbf16>
  %r = linalg.generic #each ins(%x : tensor<32x32xbf16>) outs(%e : tensor<32x32xbf16>) {
  ^bb0(%a: bf16, %o: bf16):
    %c = arith.constant 0.0 : bf16
    %maxnum = arith.maxnumf %a, %c : bf16
    %neg = arith.negf %a : bf16
    %maxnum_2 = arith.maxnumf %neg, %c : bf16
    %c_2 = arith.constant 0.125 : bf16
    %mul = arith.mulf %maxnum_2, %c_2 : bf16
    %sub = arith.subf %maxnum, %mul : bf16
    linalg.yield %sub : bf16
  } -> tensor<32x32xbf16>
  return %r : tensor<32x32xbf16>
}

// By way of f16. Shows above 65504 (infinity) and below 6e-5.
func.func @wrong_f16(%x: tensor<32x32xbf16>) -> tensor<32x32xbf16> {
  %e = tensor.empty() : tensor<32x32xbf16>
  %r = linalg.generic #each ins(%x : tensor<32x32xbf16>) outs(%e : tensor<32x32xbf16>) {
  ^bb0(%a: bf16, %o: bf16):
    %wide = arith.extf %a : bf16 to f32
    %cut = arith.truncf %wide : f32 to f16
    %c = arith.constant 0.0 : f16
    %olt = arith.cmpf olt, %cut, %c : f16
    %c_2 = arith.constant 0.125 : f16
    %mul = arith.mulf %cut, %c_2 : f16
    %sel = arith.select %olt, %mul, %cut : f16
    %wide_2 = arith.extf %sel : f16 to f32
    %cut_2 = arith.truncf %wide_2 : f32 to bf16
    linalg.yield %cut_2 : bf16
  } -> tensor<32x32xbf16>
  return %r : tensor<32x32xbf16>
}

// x times the factor 1/8 plus 7/8 for positive numbers, as a mask times x. Shows for -infinity: NaN.
func.func @wrong_factor(%x: tensor<32x32xbf16>) -> tensor<32x32xbf16> {
  %e = tensor.empty() : tensor<32x32xbf16>
  %r = linalg.generic #each ins(%x : tensor<32x32xbf16>) outs(%e : tensor<32x32xbf16>) {
  ^bb0(%a: bf16, %o: bf16):
    %c = arith.constant 0.0 : bf16
    %ogt = arith.cmpf ogt, %a, %c : bf16
    %flt = arith.uitofp %ogt : i1 to bf16
    %c_2 = arith.constant 0.125 : bf16
    %mul = arith.mulf %a, %c_2 : bf16
    %mul_2 = arith.mulf %a, %flt : bf16
    %c_3 = arith.constant 0.875 : bf16
    %mul_3 = arith.mulf %mul_2, %c_3 : bf16
    %add = arith.addf %mul, %mul_3 : bf16
    linalg.yield %add : bf16
  } -> tensor<32x32xbf16>
  return %r : tensor<32x32xbf16>
}

// Bounded by 3e38. Shows for infinities.
func.func @wrong_infinity(%x: tensor<32x32xbf16>) -> tensor<32x32xbf16> {
  %e = tensor.empty() : tensor<32x32xbf16>
  %r = linalg.generic #each ins(%x : tensor<32x32xbf16>) outs(%e : tensor<32x32xbf16>) {
  ^bb0(%a: bf16, %o: bf16):
    %c = arith.constant 0.0 : bf16
    %olt = arith.cmpf olt, %a, %c : bf16
    %c_2 = arith.constant -3.0e38 : bf16
    %max = arith.maximumf %a, %c_2 : bf16
    %c_3 = arith.constant 0.125 : bf16
    %mul = arith.mulf %max, %c_3 : bf16
    %c_4 = arith.constant 3.0e38 : bf16
    %min = arith.minimumf %a, %c_4 : bf16
    %sel = arith.select %olt, %mul, %min : bf16
    linalg.yield %sel : bf16
  } -> tensor<32x32xbf16>
  return %r : tensor<32x32xbf16>
}

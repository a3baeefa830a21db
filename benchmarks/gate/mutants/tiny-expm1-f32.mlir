// exp(x) - 1, f32. x itself for tiny x, -1 far below zero.

#each = {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
  iterator_types = ["parallel", "parallel"]}

func.func @kernel(%x: tensor<20x50xf32>) -> tensor<20x50xf32> {
  %e = tensor.empty() : tensor<20x50xf32>
  %r = linalg.generic #each ins(%x : tensor<20x50xf32>) outs(%e : tensor<20x50xf32>) {
  ^bb0(%a: f32, %o: f32):
    %expm1 = math.expm1 %a : f32
    linalg.yield %expm1 : f32
  } -> tensor<20x50xf32>
  return %r : tensor<20x50xf32>
}

// tanh(x/2) * (exp(x) + 1).
func.func @right_tanh(%x: tensor<20x50xf32>) -> tensor<20x50xf32> {
  %e = tensor.empty() : tensor<20x50xf32>
  %r = linalg.generic #each ins(%x : tensor<20x50xf32>) outs(%e : tensor<20x50xf32>) {
  ^bb0(%a: f32, %o: f32):
    %c = arith.constant 0.5 : f32
    %mul = arith.mulf %a, %c : f32
    %tanh = math.tanh %mul : f32
    %exp = math.exp %a : f32
    %c_2 = arith.constant 1.0 : f32
    %add = arith.addf %exp, %c_2 : f32
    %mul_2 = arith.mulf %tanh, %add : f32
    linalg.yield %mul_2 : f32
  } -> tensor<20x50xf32>
  return %r : tensor<20x50xf32>
}

// (u - 1) * x / log(u) with u = exp(x) rounded, the ends by the plain form.
func.func @right_corrected(%x: tensor<20x50xf32>) -> tensor<20x50xf32> {
  %e = tensor.empty() : tensor<20x50xf32>
  %r = linalg.generic #each ins(%x : tensor<20x50xf32>) outs(%e : tensor<20x50xf32>) {
  ^bb0(%a: f32, %o: f32):
    %exp = math.exp %a : f32
    %c = arith.constant 1.0 : f32
    %sub = arith.subf %exp, %c : f32
    %log = math.log %exp : f32
    %div = arith.divf %a, %log : f32
    %mul = arith.mulf %sub, %div : f32
    %oeq = arith.cmpf oeq, %exp, %c : f32
    %sel = arith.select %oeq, %a, %mul : f32
    %abs = math.absf %a : f32
    %c_2 = arith.constant 16.0 : f32
    %ult = arith.cmpf ult, %abs, %c_2 : f32
    %sel_2 = arith.select %ult, %sel, %sub : f32
    linalg.yield %sel_2 : f32
  } -> tensor<20x50xf32>
  return %r : tensor<20x50xf32>
}

// exp(x) - 1 in f32. Shows below 0.01 and more and more: 0 below 3e-8.
func.func @wrong_plain(%x: tensor<20x50xf32>) -> tensor<20x50xf32> {
  %e = tensor.empty() : tensor<20x50xf32>
  %r = linalg.generic #each ins(%x : tensor<20x50xf32>) outs(%e : tensor<20x50xf32>) {
  ^bb0(%a: f32, %o: f32):
    %exp = math.exp %a : f32
    %c = arith.constant 1.0 : f32
    %sub = arith.subf %exp, %c : f32
    linalg.yield %sub : f32
  } -> tensor<20x50xf32>
  return %r : tensor<20x50xf32>
}

// exp(x) - 1 in f64. Shows below 1e-10 only: 0 below 5e-17.
func.func @wrong_wide_plain(%x: tensor<20x50xf32>) -> tensor<20x50xf32> {
  %e = tensor.empty() : tensor<20x50xf32>
  %r = linalg.generic #each ins(%x : tensor<20x50xf32>) outs(%e : tensor<20x50xf32>) {
  ^bb0(%a: f32, %o: f32):
    %wide = arith.extf %a : f32 to f64
    %exp = math.exp %wide : f64
    %c = arith.constant 1.0 : f64
    %sub = arith.subf %exp, %c : f64
    %cut = arith.truncf %sub : f64 to f32
    linalg.yield %cut : f32
  } -> tensor<20x50xf32>
  return %r : tensor<20x50xf32>
}

// 2 sinh(x/2) exp(x/2). Shows below -178: infinity times 0.
func.func @wrong_sinh(%x: tensor<20x50xf32>) -> tensor<20x50xf32> {
  %e = tensor.empty() : tensor<20x50xf32>
  %r = linalg.generic #each ins(%x : tensor<20x50xf32>) outs(%e : tensor<20x50xf32>) {
  ^bb0(%a: f32, %o: f32):
    %c = arith.constant 0.5 : f32
    %mul = arith.mulf %a, %c : f32
    %sinh = math.sinh %mul : f32
    %exp = math.exp %mul : f32
    %mul_2 = arith.mulf %sinh, %exp : f32
    %c_2 = arith.constant 2.0 : f32
    %mul_3 = arith.mulf %mul_2, %c_2 : f32
    linalg.yield %mul_3 : f32
  } -> tensor<20x50xf32>
  return %r : tensor<20x50xf32>
}

// x itself below 1e-4. Shows from 1e-6 to 1e-4, by up to 5e-5 of x.
func.func @wrong_linear(%x: tensor<20x50xf32>) -> tensor<20x50xf32> {
  %e = tensor.empty() : tensor<20x50xf32>
  %r = linalg.generic #each ins(%x : tensor<20x50xf32>) outs(%e : tensor<20x50xf32>) {
  ^bb0(%a: f32, %o: f32):
    %abs = math.absf %a : f32
    %c = arith.constant 1.0e-4 : f32
    %olt = arith.cmpf olt, %abs, %c : f32
    %expm1 = math.expm1 %a : f32
    %sel = arith.select %olt, %a, %expm1 : f32
    linalg.yield %sel : f32
  } -> tensor<20x50xf32>
  return %r : tensor<20x50xf32>
}

// Arguments that vanish in f16 give 0. Shows below 3e-8.
func.func @wrong_f16_zero(%x: tensor<20x50xf32>) -> tensor<20x50xf32> {
  %e = tensor.empty() : tensor<20x50xf32>
  %r = linalg.generic #each ins(%x : tensor<20x50xf32>) outs(%e : tensor<20x50xf32>) {
  ^bb0(%a: f32, %o: f32):
    %cut = arith.truncf %a : f32 to f16
    %wide = arith.extf %cut : f16 to f32
    %c = arith.constant 0.0 : f32
    %oeq = arith.cmpf oeq, %wide, %c : f32
    %expm1 = math.expm1 %a : f32
    %sel = arith.select %oeq, %c, %expm1 : f32
    linalg.yield %sel : f32
  } -> tensor<20x50xf32>
  return %r : tensor<20x50xf32>
}

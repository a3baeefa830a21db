// tanh, f32. x itself for tiny x.

func.func @kernel(%x: tensor<1024xf32>) -> tensor<1024xf32> {
  %tanh = math.tanh %x : tensor<1024xf32>
  return %tanh : tensor<1024xf32>
}

// By expm1(-2|x|).
func.func @right_expm1(%x: tensor<1024xf32>) -> tensor<1024xf32> {
  %abs = math.absf %x : tensor<1024xf32>
  %c = arith.constant dense<-2.0> : tensor<1024xf32>
  %mul = arith.mulf %abs, %c : tensor<1024xf32>
  %expm1 = math.expm1 %mul : tensor<1024xf32>
  %neg = arith.negf %expm1 : tensor<1024xf32>
  %c_2 = arith.constant dense<2.0> : tensor<1024xf32>
  %add = arith.addf %expm1, %c_2 : tensor<1024xf32>
  %div = arith.divf %neg, %add : tensor<1024xf32>
  %sgn = math.copysign %div, %x : tensor<1024xf32>
  return %sgn : tensor<1024xf32>
}

// x - x^3/3 below 0.005.
func.func @right_cubic(%x: tensor<1024xf32>) -> tensor<1024xf32> {
  %abs = math.absf %x : tensor<1024xf32>
  %c = arith.constant dense<0.005> : tensor<1024xf32>
  %olt = arith.cmpf olt, %abs, %c : tensor<1024xf32>
  %mul = arith.mulf %x, %x : tensor<1024xf32>
  %mul_2 = arith.mulf %mul, %x : tensor<1024xf32>
  %c_2 = arith.constant dense<0.33333334> : tensor<1024xf32>
  %mul_3 = arith.mulf %mul_2, %c_2 : tensor<1024xf32>
  %sub = arith.subf %x, %mul_3 : tensor<1024xf32>
  %tanh = math.tanh %x : tensor<1024xf32>
  %sel = arith.select %olt, %sub, %tanh : tensor<1024xi1>, tensor<1024xf32>
  return %sel : tensor<1024xf32>
}

// 1 - 2 / (exp(2x) + 1). Shows below 0.01 and more and more: 0 below 3e-8.
func.func @wrong_exp(%x: tensor<1024xf32>) -> tensor<1024xf32> {
  %c = arith.constant dense<2.0> : tensor<1024xf32>
  %mul = arith.mulf %x, %c : tensor<1024xf32>
  %exp = math.exp %mul : tensor<1024xf32>
  %c_2 = arith.constant dense<1.0> : tensor<1024xf32>
  %add = arith.addf %exp, %c_2 : tensor<1024xf32>
  %div = arith.divf %c, %add : tensor<1024xf32>
  %sub = arith.subf %c_2, %div : tensor<1024xf32>
  return %sub : tensor<1024xf32>
}

// The same in f64. Shows below 1e-10 only: 0 below 5e-17.
func.func @wrong_wide_exp(%x: tensor<1024xf32>) -> tensor<1024xf32> {
  %wide = arith.extf %x : tensor<1024xf32> to tensor<1024xf64>
  %c = arith.constant dense<2.0> : tensor<1024xf64>
  %mul = arith.mulf %wide, %c : tensor<1024xf64>
  %exp = math.exp %mul : tensor<1024xf64>
  %c_2 = arith.constant dense<1.0> : tensor<1024xf64>
  %add = arith.addf %exp, %c_2 : tensor<1024xf64>
  %div = arith.divf %c, %add : tensor<1024xf64>
  %sub = arith.subf %c_2, %div : tensor<1024xf64>
  %cut = arith.truncf %sub : tensor<1024xf64> to tensor<1024xf32>
  return %cut : tensor<1024xf32>
}

// 0 below 1e-5. Shows there.
func.func @wrong_dead_zone(%x: tensor<1024xf32>) -> tensor<1024xf32> {
  %abs = math.absf %x : tensor<1024xf32>
  %c = arith.constant dense<1.0e-5> : tensor<1024xf32>
  %olt = arith.cmpf olt, %abs, %c : tensor<1024xf32>
  %c_2 = arith.constant dense<0.0> : tensor<1024xf32>
  %tanh = math.tanh %x : tensor<1024xf32>
  %sel = arith.select %olt, %c_2, %tanh : tensor<1024xi1>, tensor<1024xf32>
  return %sel : tensor<1024xf32>
}

// (exp(x) - exp(-x)) / (exp(x) + exp(-x)). Shows below 0.01, and above 89: NaN.
func.func @wrong_quotient(%x: tensor<1024xf32>) -> tensor<1024xf32> {
  %exp = math.exp %x : tensor<1024xf32>
  %neg = arith.negf %x : tensor<1024xf32>
  %exp_2 = math.exp %neg : tensor<1024xf32>
  %sub = arith.subf %exp, %exp_2 : tensor<1024xf32>
  %add = arith.addf %exp, %exp_2 : tensor<1024xf32>
  %div = arith.divf %sub, %add : tensor<1024xf32>
  return %div : tensor<1024xf32>
}

// x itself below 0.003. Shows from 0.001 to 0.003, by up to 3e-6 of x.
func.func @wrong_early_linear(%x: tensor<1024xf32>) -> tensor<1024xf32> {
  %abs = math.absf %x : tensor<1024xf32>
  %c = arith.constant dense<0.003> : tensor<1024xf32>
  %olt = arith.cmpf olt, %abs, %c : tensor<1024xf32>
  %tanh = math.tanh %x : tensor<1024xf32>
  %sel = arith.select %olt, %x, %tanh : tensor<1024xi1>, tensor<1024xf32>
  return %sel : tensor<1024xf32>
}

// 1 / (1 + exp(-x)), f32. Far below zero it goes on falling as exp(x).

#each = {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
  iterator_types = ["parallel"]}

func.func @kernel(%x: tensor<1024xf32>) -> tensor<1024xf32> {
  %neg = arith.negf %x : tensor<1024xf32>
  %exp = math.exp %neg : tensor<1024xf32>
  %c = arith.constant dense<1.0> : tensor<1024xf32>
  %add = arith.addf %exp, %c : tensor<1024xf32>
  %div = arith.divf %c, %add : tensor<1024xf32>
  return %div : tensor<1024xf32>
}

// exp of -|x|, then one of two quotients.
func.func @right_two_sided(%x: tensor<1024xf32>) -> tensor<1024xf32> {
  %abs = math.absf %x : tensor<1024xf32>
  %neg = arith.negf %abs : tensor<1024xf32>
  %exp = math.exp %neg : tensor<1024xf32>
  %c = arith.constant dense<1.0> : tensor<1024xf32>
  %add = arith.addf %exp, %c : tensor<1024xf32>
  %c_2 = arith.constant dense<0.0> : tensor<1024xf32>
  %olt = arith.cmpf olt, %x, %c_2 : tensor<1024xf32>
  %div = arith.divf %exp, %add : tensor<1024xf32>
  %div_2 = arith.divf %c, %add : tensor<1024xf32>
  %sel = arith.select %olt, %div, %div_2 : tensor<1024xi1>, tensor<1024xf32>
  return %sel : tensor<1024xf32>
}

// 1 / (2 + expm1(-x)).
func.func @right_expm1(%x: tensor<1024xf32>) -> tensor<1024xf32> {
  %neg = arith.negf %x : tensor<1024xf32>
  %expm1 = math.expm1 %neg : tensor<1024xf32>
  %c = arith.constant dense<2.0> : tensor<1024xf32>
  %add = arith.addf %expm1, %c : tensor<1024xf32>
  %c_2 = arith.constant dense<1.0> : tensor<1024xf32>
  %div = arith.divf %c_2, %add : tensor<1024xf32>
  return %div : tensor<1024xf32>
}

// The same element by element.
func.func @right_scalar(%x: tensor<1024xf32>) -> tensor<1024xf32> {
  %e = tensor.empty() : tensor<1024xf32>
  %r = linalg.generic #each ins(%x : tensor<1024xf32>) outs(%e : tensor<1024xf32>) {
  ^bb0(%a: f32, %o: f32):
    %neg = arith.negf %a : f32
    %exp = math.exp %neg : f32
    %c = arith.constant 1.0 : f32
    %add = arith.addf %exp, %c : f32
    %div = arith.divf %c, %add : f32
    linalg.yield %div : f32
  } -> tensor<1024xf32>
  return %r : tensor<1024xf32>
}

// exp(x) / (1 + exp(x)). Shows above 88.8: infinity over infinity.
func.func @wrong_positive_exponent(%x: tensor<1024xf32>) -> tensor<1024xf32> {
  %exp = math.exp %x : tensor<1024xf32>
  %c = arith.constant dense<1.0> : tensor<1024xf32>
  %add = arith.addf %exp, %c : tensor<1024xf32>
  %div = arith.divf %exp, %add : tensor<1024xf32>
  return %div : tensor<1024xf32>
}

// 1 - 1 / (1 + exp(x)). Shows below -5 and more and more: 0 below -17.
func.func @wrong_complement(%x: tensor<1024xf32>) -> tensor<1024xf32> {
  %exp = math.exp %x : tensor<1024xf32>
  %c = arith.constant dense<1.0> : tensor<1024xf32>
  %add = arith.addf %exp, %c : tensor<1024xf32>
  %div = arith.divf %c, %add : tensor<1024xf32>
  %sub = arith.subf %c, %div : tensor<1024xf32>
  return %sub : tensor<1024xf32>
}

// Clamps to [-16, 16]. Shows below -16: 1.1e-7 where 1e-30 is due.
func.func @wrong_clamp(%x: tensor<1024xf32>) -> tensor<1024xf32> {
  %c = arith.constant dense<-16.0> : tensor<1024xf32>
  %max = arith.maximumf %x, %c : tensor<1024xf32>
  %c_2 = arith.constant dense<16.0> : tensor<1024xf32>
  %min = arith.minimumf %max, %c_2 : tensor<1024xf32>
  %neg = arith.negf %min : tensor<1024xf32>
  %exp = math.exp %neg : tensor<1024xf32>
  %c_3 = arith.constant dense<1.0> : tensor<1024xf32>
  %add = arith.addf %exp, %c_3 : tensor<1024xf32>
  %div = arith.divf %c_3, %add : tensor<1024xf32>
  return %div : tensor<1024xf32>
}

// exp(x) * (1 / (1 + exp(x))). Shows above 88.8: infinity times 0.
func.func @wrong_negative_zero_product(%x: tensor<1024xf32>) -> tensor<1024xf32> {
  %exp = math.exp %x : tensor<1024xf32>
  %c = arith.constant dense<1.0> : tensor<1024xf32>
  %add = arith.addf %exp, %c : tensor<1024xf32>
  %div = arith.divf %c, %add : tensor<1024xf32>
  %mul = arith.mulf %exp, %div : tensor<1024xf32>
  return %mul : tensor<1024xf32>
}

// exp(x/2) / (exp(x/2) + exp(-x/2)). Shows beyond 178 above.
func.func @wrong_half_exponent(%x: tensor<1024xf32>) -> tensor<1024xf32> {
  %c = arith.constant dense<0.5> : tensor<1024xf32>
  %mul = arith.mulf %x, %c : tensor<1024xf32>
  %exp = math.exp %mul : tensor<1024xf32>
  %neg = arith.negf %mul : tensor<1024xf32>
  %exp_2 = math.exp %neg : tensor<1024xf32>
  %add = arith.addf %exp, %exp_2 : tensor<1024xf32>
  %div = arith.divf %exp, %add : tensor<1024xf32>
  return %div : tensor<1024xf32>
}

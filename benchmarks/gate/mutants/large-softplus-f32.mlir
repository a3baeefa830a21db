// log(1 + exp(x)), f32, computed as max(x, 0) + log1p(exp(-|x|)).
// Near x for large x, near exp(x) far below zero.

#each = {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
  iterator_types = ["parallel"]}

func.func @kernel(%x: tensor<1024xf32>) -> tensor<1024xf32> {
  %e = tensor.empty() : tensor<1024xf32>
  %r = linalg.generic #each ins(%x : tensor<1024xf32>) outs(%e : tensor<1024xf32>) {
  ^bb0(%a: f32, %o: f32):
    %c = arith.constant 0.0 : f32
    %max = arith.maximumf %a, %c : f32
    %abs = math.absf %a : f32
    %neg = arith.negf %abs : f32
    %exp = math.exp %neg : f32
    %log1p = math.log1p %exp : f32
    %add = arith.addf %max, %log1p : f32
    linalg.yield %add : f32
  } -> tensor<1024xf32>
  return %r : tensor<1024xf32>
}

// x itself above 20.
func.func @right_cut(%x: tensor<1024xf32>) -> tensor<1024xf32> {
  %e = tensor.empty() : tensor<1024xf32>
  %r = linalg.generic #each ins(%x : tensor<1024xf32>) outs(%e : tensor<1024xf32>) {
  ^bb0(%a: f32, %o: f32):
    %c = arith.constant 20.0 : f32
    %ogt = arith.cmpf ogt, %a, %c : f32
    %exp = math.exp %a : f32
    %log1p = math.log1p %exp : f32
    %sel = arith.select %ogt, %a, %log1p : f32
    linalg.yield %sel : f32
  } -> tensor<1024xf32>
  return %r : tensor<1024xf32>
}

// In f64, with a cut where exp would overflow.
func.func @right_wide(%x: tensor<1024xf32>) -> tensor<1024xf32> {
  %e = tensor.empty() : tensor<1024xf32>
  %r = linalg.generic #each ins(%x : tensor<1024xf32>) outs(%e : tensor<1024xf32>) {
  ^bb0(%a: f32, %o: f32):
    %wide = arith.extf %a : f32 to f64
    %c = arith.constant 700.0 : f64
    %ogt = arith.cmpf ogt, %wide, %c : f64
    %exp = math.exp %wide : f64
    %log1p = math.log1p %exp : f64
    %sel = arith.select %ogt, %wide, %log1p : f64
    %cut = arith.truncf %sel : f64 to f32
    linalg.yield %cut : f32
  } -> tensor<1024xf32>
  return %r : tensor<1024xf32>
}

// The exponential as a power of two.
func.func @right_base2(%x: tensor<1024xf32>) -> tensor<1024xf32> {
  %e = tensor.empty() : tensor<1024xf32>
  %r = linalg.generic #each ins(%x : tensor<1024xf32>) outs(%e : tensor<1024xf32>) {
  ^bb0(%a: f32, %o: f32):
    %c = arith.constant 0.0 : f32
    %max = arith.maximumf %a, %c : f32
    %abs = math.absf %a : f32
    %c_2 = arith.constant -1.442695 : f32
    %mul = arith.mulf %abs, %c_2 : f32
    %exp2 = math.exp2 %mul : f32
    %log1p = math.log1p %exp2 : f32
    %add = arith.addf %max, %log1p : f32
    linalg.yield %add : f32
  } -> tensor<1024xf32>
  return %r : tensor<1024xf32>
}

// log1p(exp(x)). Shows above 88.8: infinity.
func.func @wrong_plain(%x: tensor<1024xf32>) -> tensor<1024xf32> {
  %e = tensor.empty() : tensor<1024xf32>
  %r = linalg.generic #each ins(%x : tensor<1024xf32>) outs(%e : tensor<1024xf32>) {
  ^bb0(%a: f32, %o: f32):
    %exp = math.exp %a : f32
    %log1p = math.log1p %exp : f32
    linalg.yield %log1p : f32
  } -> tensor<1024xf32>
  return %r : tensor<1024xf32>
}

// x itself above 8. Shows from 8 to 12 only, by up to 4e-5 of x.
func.func @wrong_early_cut(%x: tensor<1024xf32>) -> tensor<1024xf32> {
  %e = tensor.empty() : tensor<1024xf32>
  %r = linalg.generic #each ins(%x : tensor<1024xf32>) outs(%e : tensor<1024xf32>) {
  ^bb0(%a: f32, %o: f32):
    %c = arith.constant 8.0 : f32
    %ogt = arith.cmpf ogt, %a, %c : f32
    %exp = math.exp %a : f32
    %log1p = math.log1p %exp : f32
    %sel = arith.select %ogt, %a, %log1p : f32
    linalg.yield %sel : f32
  } -> tensor<1024xf32>
  return %r : tensor<1024xf32>
}

// log in place of log1p. Shows below -8 or so: 0 below -17.
func.func @wrong_plain_log(%x: tensor<1024xf32>) -> tensor<1024xf32> {
  %e = tensor.empty() : tensor<1024xf32>
  %r = linalg.generic #each ins(%x : tensor<1024xf32>) outs(%e : tensor<1024xf32>) {
  ^bb0(%a: f32, %o: f32):
    %c = arith.constant 0.0 : f32
    %max = arith.maximumf %a, %c : f32
    %abs = math.absf %a : f32
    %neg = arith.negf %abs : f32
    %exp = math.exp %neg : f32
    %c_2 = arith.constant 1.0 : f32
    %add = arith.addf %exp, %c_2 : f32
    %log = math.log %add : f32
    %add_2 = arith.addf %max, %log : f32
    linalg.yield %add_2 : f32
  } -> tensor<1024xf32>
  return %r : tensor<1024xf32>
}

// 0 below -20. Shows there: 2e-9 and less is lost.
func.func @wrong_zero_low(%x: tensor<1024xf32>) -> tensor<1024xf32> {
  %e = tensor.empty() : tensor<1024xf32>
  %r = linalg.generic #each ins(%x : tensor<1024xf32>) outs(%e : tensor<1024xf32>) {
  ^bb0(%a: f32, %o: f32):
    %c = arith.constant -20.0 : f32
    %olt = arith.cmpf olt, %a, %c : f32
    %c_2 = arith.constant 0.0 : f32
    %max = arith.maximumf %a, %c_2 : f32
    %abs = math.absf %a : f32
    %neg = arith.negf %abs : f32
    %exp = math.exp %neg : f32
    %log1p = math.log1p %exp : f32
    %add = arith.addf %max, %log1p : f32
    %sel = arith.select %olt, %c_2, %add : f32
    linalg.yield %sel : f32
  } -> tensor<1024xf32>
  return %r : tensor<1024xf32>
}

// Bounds the argument of exp by 50. Shows above 50: 50 for all.
func.func @wrong_clamp(%x: tensor<1024xf32>) -> tensor<1024xf32> {
  %e = tensor.empty() : tensor<1024xf32>
  %r = linalg.generic #each ins(%x : tensor<1024xf32>) outs(%e : tensor<1024xf32>) {
  ^bb0(%a: f32, %o: f32):
    %c = arith.constant 50.0 : f32
    %min = arith.minimumf %a, %c : f32
    %exp = math.exp %min : f32
    %log1p = math.log1p %exp : f32
    linalg.yield %log1p : f32
  } -> tensor<1024xf32>
  return %r : tensor<1024xf32>
}

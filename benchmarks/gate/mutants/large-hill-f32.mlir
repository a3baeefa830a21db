// x^4 / (1 + x^4), f32, computed as 1 / (1 + (1/x)^4). Right at 0 and up to infinity,
// where x^4 itself would overflow.

#each = {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
  iterator_types = ["parallel", "parallel"]}

func.func @kernel(%x: tensor<32x32xf32>) -> tensor<32x32xf32> {
  %e = tensor.empty() : tensor<32x32xf32>
  %r = linalg.generic #each ins(%x : tensor<32x32xf32>) outs(%e : tensor<32x32xf32>) {
  ^bb0(%a: f32, %o: f32):
    %c = arith.constant 1.0 : f32
    %div = arith.divf %c, %a : f32
    %mul = arith.mulf %div, %div : f32
    %mul_2 = arith.mulf %mul, %mul : f32
    %add = arith.addf %mul_2, %c : f32
    %div_2 = arith.divf %c, %add : f32
    linalg.yield %div_2 : f32
  } -> tensor<32x32xf32>
  return %r : tensor<32x32xf32>
}

// In f64, where x^4 fits.
func.func @right_wide(%x: tensor<32x32xf32>) -> tensor<32x32xf32> {
  %e = tensor.empty() : tensor<32x32xf32>
  %r = linalg.generic #each ins(%x : tensor<32x32xf32>) outs(%e : tensor<32x32xf32>) {
  ^bb0(%a: f32, %o: f32):
    %wide = arith.extf %a : f32 to f64
    %mul = arith.mulf %wide, %wide : f64
    %mul_2 = arith.mulf %mul, %mul : f64
    %c = arith.constant 1.0 : f64
    %add = arith.addf %mul_2, %c : f64
    %div = arith.divf %mul_2, %add : f64
    %abs = math.absf %wide : f64
    %c_2 = arith.constant 0x7FF0000000000000 : f64
    %oeq = arith.cmpf oeq, %abs, %c_2 : f64
    %sel = arith.select %oeq, %c, %div : f64
    %cut = arith.truncf %sel : f64 to f32
    linalg.yield %cut : f32
  } -> tensor<32x32xf32>
  return %r : tensor<32x32xf32>
}

// One of two quotients, by the magnitude.
func.func @right_two_sided(%x: tensor<32x32xf32>) -> tensor<32x32xf32> {
  %e = tensor.empty() : tensor<32x32xf32>
  %r = linalg.generic #each ins(%x : tensor<32x32xf32>) outs(%e : tensor<32x32xf32>) {
  ^bb0(%a: f32, %o: f32):
    %abs = math.absf %a : f32
    %c = arith.constant 1.0 : f32
    %ogt = arith.cmpf ogt, %abs, %c : f32
    %div = arith.divf %c, %a : f32
    %sel = arith.select %ogt, %div, %a : f32
    %mul = arith.mulf %sel, %sel : f32
    %mul_2 = arith.mulf %mul, %mul : f32
    %add = arith.addf %mul_2, %c : f32
    %div_2 = arith.divf %c, %add : f32
    %div_3 = arith.divf %mul_2, %add : f32
    %sel_2 = arith.select %ogt, %div_2, %div_3 : f32
    linalg.yield %sel_2 : f32
  } -> tensor<32x32xf32>
  return %r : tensor<32x32xf32>
}

// The square of x / (1/x) once removed: x^2 / (x^2 + 1/x^2) where both fit.
func.func @right_fraction(%x: tensor<32x32xf32>) -> tensor<32x32xf32> {
  %e = tensor.empty() : tensor<32x32xf32>
  %r = linalg.generic #each ins(%x : tensor<32x32xf32>) outs(%e : tensor<32x32xf32>) {
  ^bb0(%a: f32, %o: f32):
    %abs = math.absf %a : f32
    %c = arith.constant 1.0e-15 : f32
    %max = arith.maximumf %abs, %c : f32
    %c_2 = arith.constant 1.0e15 : f32
    %min = arith.minimumf %max, %c_2 : f32
    %mul = arith.mulf %min, %min : f32
    %c_3 = arith.constant 1.0 : f32
    %div = arith.divf %c_3, %mul : f32
    %add = arith.addf %mul, %div : f32
    %div_2 = arith.divf %mul, %add : f32
    linalg.yield %div_2 : f32
  } -> tensor<32x32xf32>
  return %r : tensor<32x32xf32>
}

// x^4 / (1 + x^4). Shows above 4.3e9: infinity over infinity.
func.func @wrong_plain(%x: tensor<32x32xf32>) -> tensor<32x32xf32> {
  %e = tensor.empty() : tensor<32x32xf32>
  %r = linalg.generic #each ins(%x : tensor<32x32xf32>) outs(%e : tensor<32x32xf32>) {
  ^bb0(%a: f32, %o: f32):
    %mul = arith.mulf %a, %a : f32
    %mul_2 = arith.mulf %mul, %mul : f32
    %c = arith.constant 1.0 : f32
    %add = arith.addf %mul_2, %c : f32
    %div = arith.divf %mul_2, %add : f32
    linalg.yield %div : f32
  } -> tensor<32x32xf32>
  return %r : tensor<32x32xf32>
}

// x^2 * (x^2 / (1 + x^4)). Shows above 4.3e9: 0 in place of 1.
func.func @wrong_split(%x: tensor<32x32xf32>) -> tensor<32x32xf32> {
  %e = tensor.empty() : tensor<32x32xf32>
  %r = linalg.generic #each ins(%x : tensor<32x32xf32>) outs(%e : tensor<32x32xf32>) {
  ^bb0(%a: f32, %o: f32):
    %mul = arith.mulf %a, %a : f32
    %mul_2 = arith.mulf %mul, %mul : f32
    %c = arith.constant 1.0 : f32
    %add = arith.addf %mul_2, %c : f32
    %div = arith.divf %mul, %add : f32
    %mul_3 = arith.mulf %mul, %div : f32
    linalg.yield %mul_3 : f32
  } -> tensor<32x32xf32>
  return %r : tensor<32x32xf32>
}

// 1 - 1 / (1 + x^4). Shows for small x: below 0.015 the result is 0.
func.func @wrong_complement(%x: tensor<32x32xf32>) -> tensor<32x32xf32> {
  %e = tensor.empty() : tensor<32x32xf32>
  %r = linalg.generic #each ins(%x : tensor<32x32xf32>) outs(%e : tensor<32x32xf32>) {
  ^bb0(%a: f32, %o: f32):
    %mul = arith.mulf %a, %a : f32
    %mul_2 = arith.mulf %mul, %mul : f32
    %c = arith.constant 1.0 : f32
    %add = arith.addf %mul_2, %c : f32
    %div = arith.divf %c, %add : f32
    %sub = arith.subf %c, %div : f32
    linalg.yield %sub : f32
  } -> tensor<32x32xf32>
  return %r : tensor<32x32xf32>
}

// x^2 / (x^2 + 1/x^2), where x^2 overflows. Shows above 1.8e19 only.
func.func @wrong_infinity(%x: tensor<32x32xf32>) -> tensor<32x32xf32> {
  %e = tensor.empty() : tensor<32x32xf32>
  %r = linalg.generic #each ins(%x : tensor<32x32xf32>) outs(%e : tensor<32x32xf32>) {
  ^bb0(%a: f32, %o: f32):
    %mul = arith.mulf %a, %a : f32
    %c = arith.constant 1.0 : f32
    %div = arith.divf %c, %mul : f32
    %add = arith.addf %mul, %div : f32
    %div_2 = arith.divf %mul, %add : f32
    linalg.yield %div_2 : f32
  } -> tensor<32x32xf32>
  return %r : tensor<32x32xf32>
}

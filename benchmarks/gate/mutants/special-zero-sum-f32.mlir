// 1 / (x + 0), f32: infinity at both zeros, since -0 + 0 is +0.

#each = {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
  iterator_types = ["parallel"]}

func.func @kernel(%x: tensor<1024xf32>) -> tensor<1024xf32> {
  %e = tensor.empty() : tensor<1024xf32>
  %r = linalg.generic #each ins(%x : tensor<1024xf32>) outs(%e : tensor<1024xf32>) {
  ^bb0(%a: f32, %o: f32):
    %c = arith.constant 0.0 : f32
    %add = arith.addf %a, %c : f32
    %c_2 = arith.constant 1.0 : f32
    %div = arith.divf %c_2, %add : f32
    linalg.yield %div : f32
  } -> tensor<1024xf32>
  return %r : tensor<1024xf32>
}

// Infinity at zeros, else 1 / x.
func.func @right_select(%x: tensor<1024xf32>) -> tensor<1024xf32> {
  %e = tensor.empty() : tensor<1024xf32>
  %r = linalg.generic #each ins(%x : tensor<1024xf32>) outs(%e : tensor<1024xf32>) {
  ^bb0(%a: f32, %o: f32):
    %c = arith.constant 0.0 : f32
    %oeq = arith.cmpf oeq, %a, %c : f32
    %c_2 = arith.constant 0x7F800000 : f32
    %c_3 = arith.constant 1.0 : f32
    %div = arith.divf %c_3, %a : f32
    %sel = arith.select %oeq, %c_2, %div : f32
    linalg.yield %sel : f32
  } -> tensor<1024xf32>
  return %r : tensor<1024xf32>
}

// The reciprocal of the magnitude, negated below 0.
func.func @right_magnitude(%x: tensor<1024xf32>) -> tensor<1024xf32> {
  %e = tensor.empty() : tensor<1024xf32>
  %r = linalg.generic #each ins(%x : tensor<1024xf32>) outs(%e : tensor<1024xf32>) {
  ^bb0(%a: f32, %o: f32):
    %abs = math.absf %a : f32
    %c = arith.constant 1.0 : f32
    %div = arith.divf %c, %abs : f32
    %c_2 = arith.constant 0.0 : f32
    %olt = arith.cmpf olt, %a, %c_2 : f32
    %neg = arith.negf %div : f32
    %sel = arith.select %olt, %neg, %div : f32
    linalg.yield %sel : f32
  } -> tensor<1024xf32>
  return %r : tensor<1024xf32>
}

// In f64.
func.func @right_wide(%x: tensor<1024xf32>) -> tensor<1024xf32> {
  %e = tensor.empty() : tensor<1024xf32>
  %r = linalg.generic #each ins(%x : tensor<1024xf32>) outs(%e : tensor<1024xf32>) {
  ^bb0(%a: f32, %o: f32):
    %wide = arith.extf %a : f32 to f64
    %c = arith.constant 0.0 : f64
    %add = arith.addf %wide, %c : f64
    %c_2 = arith.constant 1.0 : f64
    %div = arith.divf %c_2, %add : f64
    %cut = arith.truncf %div : f64 to f32
    linalg.yield %cut : f32
  } -> tensor<1024xf32>
  return %r : tensor<1024xf32>
}

// x + 0 folded to x. Shows for x = -0: -infinity.
func.func @wrong_folded(%x: tensor<1024xf32>) -> tensor<1024xf32> {
  %e = tensor.empty() : tensor<1024xf32>
  %r = linalg.generic #each ins(%x : tensor<1024xf32>) outs(%e : tensor<1024xf32>) {
  ^bb0(%a: f32, %o: f32):
    %c = arith.constant 1.0 : f32
    %div = arith.divf %c, %a : f32
    linalg.yield %div : f32
  } -> tensor<1024xf32>
  return %r : tensor<1024xf32>
}

// x - 0. Shows for x = -0.
func.func @wrong_minus_zero(%x: tensor<1024xf32>) -> tensor<1024xf32> {
  %e = tensor.empty() : tensor<1024xf32>
  %r = linalg.generic #each ins(%x : tensor<1024xf32>) outs(%e : tensor<1024xf32>) {
  ^bb0(%a: f32, %o: f32):
    %c = arith.constant 0.0 : f32
    %sub = arith.subf %a, %c : f32
    %c_2 = arith.constant 1.0 : f32
    %div = arith.divf %c_2, %sub : f32
    linalg.yield %div : f32
  } -> tensor<1024xf32>
  return %r : tensor<1024xf32>
}

// -1 / (0 - x). Shows for x = +0 and -0: -infinity.
func.func @wrong_negated(%x: tensor<1024xf32>) -> tensor<1024xf32> {
  %e = tensor.empty() : tensor<1024xf32>
  %r = linalg.generic #each ins(%x : tensor<1024xf32>) outs(%e : tensor<1024xf32>) {
  ^bb0(%a: f32, %o: f32):
    %c = arith.constant 0.0 : f32
    %sub = arith.subf %c, %a : f32
    %c_2 = arith.constant -1.0 : f32
    %div = arith.divf %c_2, %sub : f32
    linalg.yield %div : f32
  } -> tensor<1024xf32>
  return %r : tensor<1024xf32>
}

// The sign of x put on. Shows for x = -0.
func.func @wrong_copysign(%x: tensor<1024xf32>) -> tensor<1024xf32> {
  %e = tensor.empty() : tensor<1024xf32>
  %r = linalg.generic #each ins(%x : tensor<1024xf32>) outs(%e : tensor<1024xf32>) {
  ^bb0(%a: f32, %o: f32):
    %abs = math.absf %a : f32
    %c = arith.constant 1.0 : f32
    %div = arith.divf %c, %abs : f32
    %sgn = math.copysign %div, %a : f32
    linalg.yield %sgn : f32
  } -> tensor<1024xf32>
  return %r : tensor<1024xf32>
}

// 0 at zeros. Shows there.
func.func @wrong_zero(%x: tensor<1024xf32>) -> tensor<1024xf32> {
  %e = tensor.empty() : tensor<1024xf32>
  %r = linalg.generic #each ins(%x : tensor<1024xf32>) outs(%e : tensor<1024xf32>) {
  ^bb0(%a: f32, %o: f32):
    %c = arith.constant 0.0 : f32
    %oeq = arith.cmpf oeq, %a, %c : f32
    %c_2 = arith.constant 1.0 : f32
    %div = arith.divf %c_2, %a : f32
    %sel = arith.select %oeq, %c, %div : f32
    linalg.yield %sel : f32
  } -> tensor<1024xf32>
  return %r : tensor<1024xf32>
}

// 1 / x, f32, and 0 at 0.

#each = {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
  iterator_types = ["parallel"]}

func.func @kernel(%x: tensor<1024xf32>) -> tensor<1024xf32> {
  %e = tensor.empty() : tensor<1024xf32>
  %r = linalg.generic #each ins(%x : tensor<1024xf32>) outs(%e : tensor<1024xf32>) {
  ^bb0(%a: f32, %o: f32):
    %c = arith.constant 1.0 : f32
    %div = arith.divf %c, %a : f32
    %c_2 = arith.constant 0.0 : f32
    %oeq = arith.cmpf oeq, %a, %c_2 : f32
    %sel = arith.select %oeq, %c_2, %div : f32
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
    %c = arith.constant 1.0 : f64
    %div = arith.divf %c, %wide : f64
    %cut = arith.truncf %div : f64 to f32
    %c_2 = arith.constant 0.0 : f32
    %oeq = arith.cmpf oeq, %a, %c_2 : f32
    %sel = arith.select %oeq, %c_2, %cut : f32
    linalg.yield %sel : f32
  } -> tensor<1024xf32>
  return %r : tensor<1024xf32>
}

// The reciprocal of the magnitude, with the sign.
func.func @right_power(%x: tensor<1024xf32>) -> tensor<1024xf32> {
  %e = tensor.empty() : tensor<1024xf32>
  %r = linalg.generic #each ins(%x : tensor<1024xf32>) outs(%e : tensor<1024xf32>) {
  ^bb0(%a: f32, %o: f32):
    %abs = math.absf %a : f32
    %c = arith.constant 1.0 : f32
    %div = arith.divf %c, %abs : f32
    %sgn = math.copysign %div, %a : f32
    %c_2 = arith.constant 0.0 : f32
    %oeq = arith.cmpf oeq, %a, %c_2 : f32
    %sel = arith.select %oeq, %c_2, %sgn : f32
    linalg.yield %sel : f32
  } -> tensor<1024xf32>
  return %r : tensor<1024xf32>
}

// x / x^2. Shows below 1e-19 and above 1.8e19.
func.func @wrong_square(%x: tensor<1024xf32>) -> tensor<1024xf32> {
  %e = tensor.empty() : tensor<1024xf32>
  %r = linalg.generic #each ins(%x : tensor<1024xf32>) outs(%e : tensor<1024xf32>) {
  ^bb0(%a: f32, %o: f32):
    %mul = arith.mulf %a, %a : f32
    %div = arith.divf %a, %mul : f32
    %c = arith.constant 0.0 : f32
    %oeq = arith.cmpf oeq, %a, %c : f32
    %sel = arith.select %oeq, %c, %div : f32
    linalg.yield %sel : f32
  } -> tensor<1024xf32>
  return %r : tensor<1024xf32>
}

// A divisor of at least 1e-8. Shows below 1e-8.
func.func @wrong_floor(%x: tensor<1024xf32>) -> tensor<1024xf32> {
  %e = tensor.empty() : tensor<1024xf32>
  %r = linalg.generic #each ins(%x : tensor<1024xf32>) outs(%e : tensor<1024xf32>) {
  ^bb0(%a: f32, %o: f32):
    %abs = math.absf %a : f32
    %c = arith.constant 1.0e-8 : f32
    %max = arith.maximumf %abs, %c : f32
    %sgn = math.copysign %max, %a : f32
    %c_2 = arith.constant 1.0 : f32
    %div = arith.divf %c_2, %sgn : f32
    %c_3 = arith.constant 0.0 : f32
    %oeq = arith.cmpf oeq, %a, %c_3 : f32
    %sel = arith.select %oeq, %c_3, %div : f32
    linalg.yield %sel : f32
  } -> tensor<1024xf32>
  return %r : tensor<1024xf32>
}

// 0 below 1e-30 too. Shows there: 1e30 and more is due.
func.func @wrong_dead_zone(%x: tensor<1024xf32>) -> tensor<1024xf32> {
  %e = tensor.empty() : tensor<1024xf32>
  %r = linalg.generic #each ins(%x : tensor<1024xf32>) outs(%e : tensor<1024xf32>) {
  ^bb0(%a: f32, %o: f32):
    %abs = math.absf %a : f32
    %c = arith.constant 1.0e-30 : f32
    %olt = arith.cmpf olt, %abs, %c : f32
    %c_2 = arith.constant 0.0 : f32
    %c_3 = arith.constant 1.0 : f32
    %div = arith.divf %c_3, %a : f32
    %sel = arith.select %olt, %c_2, %div : f32
    linalg.yield %sel : f32
  } -> tensor<1024xf32>
  return %r : tensor<1024xf32>
}

// 1e-15 added to x. Shows below 1e-9, and with the wrong sign just below 0.
func.func @wrong_eps(%x: tensor<1024xf32>) -> tensor<1024xf32> {
  %e = tensor.empty() : tensor<1024xf32>
  %r = linalg.generic #each ins(%x : tensor<1024xf32>) outs(%e : tensor<1024xf32>) {
  ^bb0(%a: f32, %o: f32):
    %c = arith.constant 1.0e-15 : f32
    %add = arith.addf %a, %c : f32
    %c_2 = arith.constant 1.0 : f32
    %div = arith.divf %c_2, %add : f32
    %c_3 = arith.constant 0.0 : f32
    %oeq = arith.cmpf oeq, %a, %c_3 : f32
    %sel = arith.select %oeq, %c_3, %div : f32
    linalg.yield %sel : f32
  } -> tensor<1024xf32>
  return %r : tensor<1024xf32>
}

// x / (x^2 + 1e-24). Shows below 1e-9: falls to 0 with x.
func.func @wrong_regularised(%x: tensor<1024xf32>) -> tensor<1024xf32> {
  %e = tensor.empty() : tensor<1024xf32>
  %r = linalg.generic #each ins(%x : tensor<1024xf32>) outs(%e : tensor<1024xf32>) {
  ^bb0(%a: f32, %o: f32):
    %mul = arith.mulf %a, %a : f32
    %c = arith.constant 1.0e-24 : f32
    %add = arith.addf %mul, %c : f32
    %div = arith.divf %a, %add : f32
    linalg.yield %div : f32
  } -> tensor<1024xf32>
  return %r : tensor<1024xf32>
}

// At most 1e20. Shows below 1e-20.
func.func @wrong_bounded(%x: tensor<1024xf32>) -> tensor<1024xf32> {
  %e = tensor.empty() : tensor<1024xf32>
  %r = linalg.generic #each ins(%x : tensor<1024xf32>) outs(%e : tensor<1024xf32>) {
  ^bb0(%a: f32, %o: f32):
    %c = arith.constant 1.0 : f32
    %div = arith.divf %c, %a : f32
    %c_2 = arith.constant -1.0e20 : f32
    %max = arith.maximumf %div, %c_2 : f32
    %c_3 = arith.constant 1.0e20 : f32
    %min = arith.minimumf %max, %c_3 : f32
    %c_4 = arith.constant 0.0 : f32
    %oeq = arith.cmpf oeq, %a, %c_4 : f32
    %sel = arith.select %oeq, %c_4, %min : f32
    linalg.yield %sel : f32
  } -> tensor<1024xf32>
  return %r : tensor<1024xf32>
}

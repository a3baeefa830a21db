// x / (|x| + 1e-12), f32: nearly the sign, but 1/2 at 1e-12 and x * 1e12 far below.

#each = {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
  iterator_types = ["parallel"]}

func.func @kernel(%x: tensor<1024xf32>) -> tensor<1024xf32> {
  %e = tensor.empty() : tensor<1024xf32>
  %r = linalg.generic #each ins(%x : tensor<1024xf32>) outs(%e : tensor<1024xf32>) {
  ^bb0(%a: f32, %o: f32):
    %abs = math.absf %a : f32
    %c = arith.constant 1.0e-12 : f32
    %add = arith.addf %abs, %c : f32
    %div = arith.divf %a, %add : f32
    linalg.yield %div : f32
  } -> tensor<1024xf32>
  return %r : tensor<1024xf32>
}

// Numerator and denominator times 1e12, in f64.
func.func @right_scaled(%x: tensor<1024xf32>) -> tensor<1024xf32> {
  %e = tensor.empty() : tensor<1024xf32>
  %r = linalg.generic #each ins(%x : tensor<1024xf32>) outs(%e : tensor<1024xf32>) {
  ^bb0(%a: f32, %o: f32):
    %wide = arith.extf %a : f32 to f64
    %c = arith.constant 1.0e12 : f64
    %mul = arith.mulf %wide, %c : f64
    %abs = math.absf %mul : f64
    %c_2 = arith.constant 1.0 : f64
    %add = arith.addf %abs, %c_2 : f64
    %div = arith.divf %mul, %add : f64
    %cut = arith.truncf %div : f64 to f32
    linalg.yield %cut : f32
  } -> tensor<1024xf32>
  return %r : tensor<1024xf32>
}

// The sign put on at the end.
func.func @right_sign(%x: tensor<1024xf32>) -> tensor<1024xf32> {
  %e = tensor.empty() : tensor<1024xf32>
  %r = linalg.generic #each ins(%x : tensor<1024xf32>) outs(%e : tensor<1024xf32>) {
  ^bb0(%a: f32, %o: f32):
    %abs = math.absf %a : f32
    %c = arith.constant 1.0e-12 : f32
    %add = arith.addf %abs, %c : f32
    %div = arith.divf %abs, %add : f32
    %sgn = math.copysign %div, %a : f32
    linalg.yield %sgn : f32
  } -> tensor<1024xf32>
  return %r : tensor<1024xf32>
}

// Times the reciprocal.
func.func @right_reciprocal(%x: tensor<1024xf32>) -> tensor<1024xf32> {
  %e = tensor.empty() : tensor<1024xf32>
  %r = linalg.generic #each ins(%x : tensor<1024xf32>) outs(%e : tensor<1024xf32>) {
  ^bb0(%a: f32, %o: f32):
    %abs = math.absf %a : f32
    %c = arith.constant 1.0e-12 : f32
    %add = arith.addf %abs, %c : f32
    %c_2 = arith.constant 1.0 : f32
    %div = arith.divf %c_2, %add : f32
    %mul = arith.mulf %a, %div : f32
    linalg.yield %mul : f32
  } -> tensor<1024xf32>
  return %r : tensor<1024xf32>
}

// 1e-9 in place of 1e-12. Shows below 1e-3, wholly wrong below 1e-8.
func.func @wrong_larger_eps(%x: tensor<1024xf32>) -> tensor<1024xf32> {
  %e = tensor.empty() : tensor<1024xf32>
  %r = linalg.generic #each ins(%x : tensor<1024xf32>) outs(%e : tensor<1024xf32>) {
  ^bb0(%a: f32, %o: f32):
    %abs = math.absf %a : f32
    %c = arith.constant 1.0e-9 : f32
    %add = arith.addf %abs, %c : f32
    %div = arith.divf %a, %add : f32
    linalg.yield %div : f32
  } -> tensor<1024xf32>
  return %r : tensor<1024xf32>
}

// Over the larger of |x| and 1e-12. Shows from 1e-16 to 1e-7.
func.func @wrong_floor(%x: tensor<1024xf32>) -> tensor<1024xf32> {
  %e = tensor.empty() : tensor<1024xf32>
  %r = linalg.generic #each ins(%x : tensor<1024xf32>) outs(%e : tensor<1024xf32>) {
  ^bb0(%a: f32, %o: f32):
    %abs = math.absf %a : f32
    %c = arith.constant 1.0e-12 : f32
    %max = arith.maximumf %abs, %c : f32
    %div = arith.divf %a, %max : f32
    linalg.yield %div : f32
  } -> tensor<1024xf32>
  return %r : tensor<1024xf32>
}

// Over sqrt(x^2 + 1e-24). Shows from 1e-13 to 1e-7.
func.func @wrong_root(%x: tensor<1024xf32>) -> tensor<1024xf32> {
  %e = tensor.empty() : tensor<1024xf32>
  %r = linalg.generic #each ins(%x : tensor<1024xf32>) outs(%e : tensor<1024xf32>) {
  ^bb0(%a: f32, %o: f32):
    %mul = arith.mulf %a, %a : f32
    %c = arith.constant 1.0e-24 : f32
    %add = arith.addf %mul, %c : f32
    %rsqrt = math.rsqrt %add : f32
    %mul_2 = arith.mulf %a, %rsqrt : f32
    linalg.yield %mul_2 : f32
  } -> tensor<1024xf32>
  return %r : tensor<1024xf32>
}

// The sign, 0 at 0. Shows below 1e-6.
func.func @wrong_sign(%x: tensor<1024xf32>) -> tensor<1024xf32> {
  %e = tensor.empty() : tensor<1024xf32>
  %r = linalg.generic #each ins(%x : tensor<1024xf32>) outs(%e : tensor<1024xf32>) {
  ^bb0(%a: f32, %o: f32):
    %c = arith.constant 0.0 : f32
    %oeq = arith.cmpf oeq, %a, %c : f32
    %c_2 = arith.constant 1.0 : f32
    %sgn = math.copysign %c_2, %a : f32
    %sel = arith.select %oeq, %a, %sgn : f32
    linalg.yield %sel : f32
  } -> tensor<1024xf32>
  return %r : tensor<1024xf32>
}

// 0 below 1e-13. Shows there.
func.func @wrong_dead_zone(%x: tensor<1024xf32>) -> tensor<1024xf32> {
  %e = tensor.empty() : tensor<1024xf32>
  %r = linalg.generic #each ins(%x : tensor<1024xf32>) outs(%e : tensor<1024xf32>) {
  ^bb0(%a: f32, %o: f32):
    %abs = math.absf %a : f32
    %c = arith.constant 1.0e-13 : f32
    %olt = arith.cmpf olt, %abs, %c : f32
    %c_2 = arith.constant 0.0 : f32
    %abs_2 = math.absf %a : f32
    %c_3 = arith.constant 1.0e-12 : f32
    %add = arith.addf %abs_2, %c_3 : f32
    %div = arith.divf %a, %add : f32
    %sel = arith.select %olt, %c_2, %div : f32
    linalg.yield %sel : f32
  } -> tensor<1024xf32>
  return %r : tensor<1024xf32>
}

// (1 - cos x) / x^2, f32, computed as 2 (sin(x/2) / x)^2. 1/2 at 0.

#each = {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
  iterator_types = ["parallel"]}

func.func @kernel(%x: tensor<1024xf32>) -> tensor<1024xf32> {
  %e = tensor.empty() : tensor<1024xf32>
  %r = linalg.generic #each ins(%x : tensor<1024xf32>) outs(%e : tensor<1024xf32>) {
  ^bb0(%a: f32, %o: f32):
    %c = arith.constant 0.5 : f32
    %mul = arith.mulf %a, %c : f32
    %sin = math.sin %mul : f32
    %div = arith.divf %sin, %a : f32
    %mul_2 = arith.mulf %div, %div : f32
    %c_2 = arith.constant 2.0 : f32
    %mul_3 = arith.mulf %mul_2, %c_2 : f32
    %c_3 = arith.constant 0.0 : f32
    %oeq = arith.cmpf oeq, %a, %c_3 : f32
    %sel = arith.select %oeq, %c, %mul_3 : f32
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
    %c = arith.constant 0.5 : f64
    %mul = arith.mulf %wide, %c : f64
    %sin = math.sin %mul : f64
    %div = arith.divf %sin, %wide : f64
    %mul_2 = arith.mulf %div, %div : f64
    %c_2 = arith.constant 2.0 : f64
    %mul_3 = arith.mulf %mul_2, %c_2 : f64
    %cut = arith.truncf %mul_3 : f64 to f32
    %c_3 = arith.constant 0.0 : f32
    %oeq = arith.cmpf oeq, %a, %c_3 : f32
    %c_4 = arith.constant 0.5 : f32
    %sel = arith.select %oeq, %c_4, %cut : f32
    linalg.yield %sel : f32
  } -> tensor<1024xf32>
  return %r : tensor<1024xf32>
}

// Two terms of the series below 0.02.
func.func @right_series(%x: tensor<1024xf32>) -> tensor<1024xf32> {
  %e = tensor.empty() : tensor<1024xf32>
  %r = linalg.generic #each ins(%x : tensor<1024xf32>) outs(%e : tensor<1024xf32>) {
  ^bb0(%a: f32, %o: f32):
    %c = arith.constant 0.5 : f32
    %mul = arith.mulf %a, %c : f32
    %sin = math.sin %mul : f32
    %div = arith.divf %sin, %a : f32
    %mul_2 = arith.mulf %a, %a : f32
    %c_2 = arith.constant 0.041666668 : f32
    %mul_3 = arith.mulf %mul_2, %c_2 : f32
    %sub = arith.subf %c, %mul_3 : f32
    %abs = math.absf %a : f32
    %c_3 = arith.constant 0.02 : f32
    %olt = arith.cmpf olt, %abs, %c_3 : f32
    %mul_4 = arith.mulf %div, %div : f32
    %c_4 = arith.constant 2.0 : f32
    %mul_5 = arith.mulf %mul_4, %c_4 : f32
    %sel = arith.select %olt, %sub, %mul_5 : f32
    linalg.yield %sel : f32
  } -> tensor<1024xf32>
  return %r : tensor<1024xf32>
}

// (1 - cos x) / x^2. Shows below 0.01: 0 below 3e-4, NaN below 1e-23.
func.func @wrong_plain(%x: tensor<1024xf32>) -> tensor<1024xf32> {
  %e = tensor.empty() : tensor<1024xf32>
  %r = linalg.generic #each ins(%x : tensor<1024xf32>) outs(%e : tensor<1024xf32>) {
  ^bb0(%a: f32, %o: f32):
    %cos = math.cos %a : f32
    %c = arith.constant 1.0 : f32
    %sub = arith.subf %c, %cos : f32
    %mul = arith.mulf %a, %a : f32
    %div = arith.divf %sub, %mul : f32
    %c_2 = arith.constant 0.0 : f32
    %oeq = arith.cmpf oeq, %a, %c_2 : f32
    %c_3 = arith.constant 0.5 : f32
    %sel = arith.select %oeq, %c_3, %div : f32
    linalg.yield %sel : f32
  } -> tensor<1024xf32>
  return %r : tensor<1024xf32>
}

// 2 sin^2(x/2) / x^2. Shows below 1e-18, where x^2 vanishes: NaN.
func.func @wrong_squared_divisor(%x: tensor<1024xf32>) -> tensor<1024xf32> {
  %e = tensor.empty() : tensor<1024xf32>
  %r = linalg.generic #each ins(%x : tensor<1024xf32>) outs(%e : tensor<1024xf32>) {
  ^bb0(%a: f32, %o: f32):
    %c = arith.constant 0.5 : f32
    %mul = arith.mulf %a, %c : f32
    %sin = math.sin %mul : f32
    %mul_2 = arith.mulf %sin, %sin : f32
    %c_2 = arith.constant 2.0 : f32
    %mul_3 = arith.mulf %mul_2, %c_2 : f32
    %mul_4 = arith.mulf %a, %a : f32
    %div = arith.divf %mul_3, %mul_4 : f32
    %c_3 = arith.constant 0.0 : f32
    %oeq = arith.cmpf oeq, %a, %c_3 : f32
    %sel = arith.select %oeq, %c, %div : f32
    linalg.yield %sel : f32
  } -> tensor<1024xf32>
  return %r : tensor<1024xf32>
}

// (1 - cos x) / x^2 in f64. Shows below 1e-4 only: 0 below 1e-8.
func.func @wrong_wide_plain(%x: tensor<1024xf32>) -> tensor<1024xf32> {
  %e = tensor.empty() : tensor<1024xf32>
  %r = linalg.generic #each ins(%x : tensor<1024xf32>) outs(%e : tensor<1024xf32>) {
  ^bb0(%a: f32, %o: f32):
    %wide = arith.extf %a : f32 to f64
    %cos = math.cos %wide : f64
    %c = arith.constant 1.0 : f64
    %sub = arith.subf %c, %cos : f64
    %mul = arith.mulf %wide, %wide : f64
    %div = arith.divf %sub, %mul : f64
    %cut = arith.truncf %div : f64 to f32
    %c_2 = arith.constant 0.0 : f32
    %oeq = arith.cmpf oeq, %a, %c_2 : f32
    %c_3 = arith.constant 0.5 : f32
    %sel = arith.select %oeq, %c_3, %cut : f32
    linalg.yield %sel : f32
  } -> tensor<1024xf32>
  return %r : tensor<1024xf32>
}

// 1e-20 added to x in the divisor. Shows below 1e-14 only, also through the sign.
func.func @wrong_eps(%x: tensor<1024xf32>) -> tensor<1024xf32> {
  %e = tensor.empty() : tensor<1024xf32>
  %r = linalg.generic #each ins(%x : tensor<1024xf32>) outs(%e : tensor<1024xf32>) {
  ^bb0(%a: f32, %o: f32):
    %c = arith.constant 0.5 : f32
    %mul = arith.mulf %a, %c : f32
    %sin = math.sin %mul : f32
    %c_2 = arith.constant 1.0e-20 : f32
    %add = arith.addf %a, %c_2 : f32
    %div = arith.divf %sin, %add : f32
    %mul_2 = arith.mulf %div, %div : f32
    %c_3 = arith.constant 2.0 : f32
    %mul_3 = arith.mulf %mul_2, %c_3 : f32
    %c_4 = arith.constant 0.0 : f32
    %oeq = arith.cmpf oeq, %a, %c_4 : f32
    %sel = arith.select %oeq, %c, %mul_3 : f32
    linalg.yield %sel : f32
  } -> tensor<1024xf32>
  return %r : tensor<1024xf32>
}

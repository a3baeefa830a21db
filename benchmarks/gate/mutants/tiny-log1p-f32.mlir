// log(1 + x), f32. x itself for tiny x, -infinity at -1, NaN below.

#each = {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
  iterator_types = ["parallel"]}

func.func @kernel(%x: tensor<1024xf32>) -> tensor<1024xf32> {
  %e = tensor.empty() : tensor<1024xf32>
  %r = linalg.generic #each ins(%x : tensor<1024xf32>) outs(%e : tensor<1024xf32>) {
  ^bb0(%a: f32, %o: f32):
    %log1p = math.log1p %a : f32
    linalg.yield %log1p : f32
  } -> tensor<1024xf32>
  return %r : tensor<1024xf32>
}

// log(u) * x / (u - 1) with u = 1 + x rounded.
func.func @right_corrected(%x: tensor<1024xf32>) -> tensor<1024xf32> {
  %e = tensor.empty() : tensor<1024xf32>
  %r = linalg.generic #each ins(%x : tensor<1024xf32>) outs(%e : tensor<1024xf32>) {
  ^bb0(%a: f32, %o: f32):
    %c = arith.constant 1.0 : f32
    %add = arith.addf %a, %c : f32
    %log = math.log %add : f32
    %sub = arith.subf %add, %c : f32
    %div = arith.divf %a, %sub : f32
    %mul = arith.mulf %log, %div : f32
    %c_2 = arith.constant 1.0e10 : f32
    %ogt = arith.cmpf ogt, %a, %c_2 : f32
    %log_2 = math.log %add : f32
    %sel = arith.select %ogt, %log_2, %mul : f32
    %oeq = arith.cmpf oeq, %add, %c : f32
    %sel_2 = arith.select %oeq, %a, %sel : f32
    linalg.yield %sel_2 : f32
  } -> tensor<1024xf32>
  return %r : tensor<1024xf32>
}

// In f64, near 0 by two terms of the series.
func.func @right_wide(%x: tensor<1024xf32>) -> tensor<1024xf32> {
  %e = tensor.empty() : tensor<1024xf32>
  %r = linalg.generic #each ins(%x : tensor<1024xf32>) outs(%e : tensor<1024xf32>) {
  ^bb0(%a: f32, %o: f32):
    %wide = arith.extf %a : f32 to f64
    %mul = arith.mulf %wide, %wide : f64
    %c = arith.constant 0.5 : f64
    %mul_2 = arith.mulf %mul, %c : f64
    %sub = arith.subf %wide, %mul_2 : f64
    %abs = math.absf %wide : f64
    %c_2 = arith.constant 1.0e-5 : f64
    %olt = arith.cmpf olt, %abs, %c_2 : f64
    %c_3 = arith.constant 1.0 : f64
    %add = arith.addf %wide, %c_3 : f64
    %log = math.log %add : f64
    %sel = arith.select %olt, %sub, %log : f64
    %cut = arith.truncf %sel : f64 to f32
    linalg.yield %cut : f32
  } -> tensor<1024xf32>
  return %r : tensor<1024xf32>
}

// The same by linalg.map.
func.func @right_map(%x: tensor<1024xf32>) -> tensor<1024xf32> {
  %e = tensor.empty() : tensor<1024xf32>
  %r = linalg.map ins(%x : tensor<1024xf32>) outs(%e : tensor<1024xf32>)
  (%a: f32, %o: f32) {
    %log1p = math.log1p %a : f32
    linalg.yield %log1p : f32
  }
  return %r : tensor<1024xf32>
}

// log(1 + x) in f32. Shows below 0.01 and more and more: 0 below 6e-8.
func.func @wrong_plain(%x: tensor<1024xf32>) -> tensor<1024xf32> {
  %e = tensor.empty() : tensor<1024xf32>
  %r = linalg.generic #each ins(%x : tensor<1024xf32>) outs(%e : tensor<1024xf32>) {
  ^bb0(%a: f32, %o: f32):
    %c = arith.constant 1.0 : f32
    %add = arith.addf %a, %c : f32
    %log = math.log %add : f32
    linalg.yield %log : f32
  } -> tensor<1024xf32>
  return %r : tensor<1024xf32>
}

// log(1 + x) in f64. Shows below 1e-10 only: 0 below 1e-16.
func.func @wrong_wide_plain(%x: tensor<1024xf32>) -> tensor<1024xf32> {
  %e = tensor.empty() : tensor<1024xf32>
  %r = linalg.generic #each ins(%x : tensor<1024xf32>) outs(%e : tensor<1024xf32>) {
  ^bb0(%a: f32, %o: f32):
    %wide = arith.extf %a : f32 to f64
    %c = arith.constant 1.0 : f64
    %add = arith.addf %wide, %c : f64
    %log = math.log %add : f64
    %cut = arith.truncf %log : f64 to f32
    linalg.yield %cut : f32
  } -> tensor<1024xf32>
  return %r : tensor<1024xf32>
}

// plain log1p, but 0 below 1e-6. Shows there.
func.func @wrong_dead_zone(%x: tensor<1024xf32>) -> tensor<1024xf32> {
  %e = tensor.empty() : tensor<1024xf32>
  %r = linalg.generic #each ins(%x : tensor<1024xf32>) outs(%e : tensor<1024xf32>) {
  ^bb0(%a: f32, %o: f32):
    %abs = math.absf %a : f32
    %c = arith.constant 1.0e-6 : f32
    %olt = arith.cmpf olt, %abs, %c : f32
    %c_2 = arith.constant 0.0 : f32
    %log1p = math.log1p %a : f32
    %sel = arith.select %olt, %c_2, %log1p : f32
    linalg.yield %sel : f32
  } -> tensor<1024xf32>
  return %r : tensor<1024xf32>
}

// x itself below 1e-4. Shows from 1e-6 to 1e-4, by up to 5e-5 of x.
func.func @wrong_linear(%x: tensor<1024xf32>) -> tensor<1024xf32> {
  %e = tensor.empty() : tensor<1024xf32>
  %r = linalg.generic #each ins(%x : tensor<1024xf32>) outs(%e : tensor<1024xf32>) {
  ^bb0(%a: f32, %o: f32):
    %abs = math.absf %a : f32
    %c = arith.constant 1.0e-4 : f32
    %olt = arith.cmpf olt, %abs, %c : f32
    %log1p = math.log1p %a : f32
    %sel = arith.select %olt, %a, %log1p : f32
    linalg.yield %sel : f32
  } -> tensor<1024xf32>
  return %r : tensor<1024xf32>
}

// x + x^2/2 below 1e-4, a sign wrong. Shows from 1e-6 to 1e-4, by up to 1e-4 of x.
func.func @wrong_sign(%x: tensor<1024xf32>) -> tensor<1024xf32> {
  %e = tensor.empty() : tensor<1024xf32>
  %r = linalg.generic #each ins(%x : tensor<1024xf32>) outs(%e : tensor<1024xf32>) {
  ^bb0(%a: f32, %o: f32):
    %abs = math.absf %a : f32
    %c = arith.constant 1.0e-4 : f32
    %olt = arith.cmpf olt, %abs, %c : f32
    %mul = arith.mulf %a, %a : f32
    %c_2 = arith.constant 0.5 : f32
    %mul_2 = arith.mulf %mul, %c_2 : f32
    %add = arith.addf %a, %mul_2 : f32
    %log1p = math.log1p %a : f32
    %sel = arith.select %olt, %add, %log1p : f32
    linalg.yield %sel : f32
  } -> tensor<1024xf32>
  return %r : tensor<1024xf32>
}

// sin, f32. x itself for tiny x.

#each = {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
  iterator_types = ["parallel", "parallel"]}

func.func @kernel(%x: tensor<25x40xf32>) -> tensor<25x40xf32> {
  %e = tensor.empty() : tensor<25x40xf32>
  %r = linalg.generic #each ins(%x : tensor<25x40xf32>) outs(%e : tensor<25x40xf32>) {
  ^bb0(%a: f32, %o: f32):
    %sin = math.sin %a : f32
    linalg.yield %sin : f32
  } -> tensor<25x40xf32>
  return %r : tensor<25x40xf32>
}

// In f64.
func.func @right_wide(%x: tensor<25x40xf32>) -> tensor<25x40xf32> {
  %e = tensor.empty() : tensor<25x40xf32>
  %r = linalg.generic #each ins(%x : tensor<25x40xf32>) outs(%e : tensor<25x40xf32>) {
  ^bb0(%a: f32, %o: f32):
    %wide = arith.extf %a : f32 to f64
    %sin = math.sin %wide : f64
    %cut = arith.truncf %sin : f64 to f32
    linalg.yield %cut : f32
  } -> tensor<25x40xf32>
  return %r : tensor<25x40xf32>
}

// x itself below 1e-4.
func.func @right_linear(%x: tensor<25x40xf32>) -> tensor<25x40xf32> {
  %e = tensor.empty() : tensor<25x40xf32>
  %r = linalg.generic #each ins(%x : tensor<25x40xf32>) outs(%e : tensor<25x40xf32>) {
  ^bb0(%a: f32, %o: f32):
    %abs = math.absf %a : f32
    %c = arith.constant 1.0e-4 : f32
    %olt = arith.cmpf olt, %abs, %c : f32
    %sin = math.sin %a : f32
    %sel = arith.select %olt, %a, %sin : f32
    linalg.yield %sel : f32
  } -> tensor<25x40xf32>
  return %r : tensor<25x40xf32>
}

// cos(x - pi/2) in f64. Shows below 1e-9 only: 6e-17 at 0.
func.func @wrong_shifted(%x: tensor<25x40xf32>) -> tensor<25x40xf32> {
  %e = tensor.empty() : tensor<25x40xf32>
  %r = linalg.generic #each ins(%x : tensor<25x40xf32>) outs(%e : tensor<25x40xf32>) {
  ^bb0(%a: f32, %o: f32):
    %wide = arith.extf %a : f32 to f64
    %c = arith.constant 1.5707963267948966 : f64
    %sub = arith.subf %wide, %c : f64
    %cos = math.cos %sub : f64
    %cut = arith.truncf %cos : f64 to f32
    linalg.yield %cut : f32
  } -> tensor<25x40xf32>
  return %r : tensor<25x40xf32>
}

// Adds and takes away 2 pi in f64. Shows below 1e-9 only.
func.func @wrong_periods(%x: tensor<25x40xf32>) -> tensor<25x40xf32> {
  %e = tensor.empty() : tensor<25x40xf32>
  %r = linalg.generic #each ins(%x : tensor<25x40xf32>) outs(%e : tensor<25x40xf32>) {
  ^bb0(%a: f32, %o: f32):
    %wide = arith.extf %a : f32 to f64
    %c = arith.constant 6.283185307179586 : f64
    %add = arith.addf %wide, %c : f64
    %sub = arith.subf %add, %c : f64
    %sin = math.sin %sub : f64
    %cut = arith.truncf %sin : f64 to f32
    linalg.yield %cut : f32
  } -> tensor<25x40xf32>
  return %r : tensor<25x40xf32>
}

// x itself below 0.01. Shows from 0.002 to 0.01, by up to 2e-5 of x.
func.func @wrong_early_linear(%x: tensor<25x40xf32>) -> tensor<25x40xf32> {
  %e = tensor.empty() : tensor<25x40xf32>
  %r = linalg.generic #each ins(%x : tensor<25x40xf32>) outs(%e : tensor<25x40xf32>) {
  ^bb0(%a: f32, %o: f32):
    %abs = math.absf %a : f32
    %c = arith.constant 0.01 : f32
    %olt = arith.cmpf olt, %abs, %c : f32
    %sin = math.sin %a : f32
    %sel = arith.select %olt, %a, %sin : f32
    linalg.yield %sel : f32
  } -> tensor<25x40xf32>
  return %r : tensor<25x40xf32>
}

// The root of 1 - cos^2 in f64, with the sign. Shows below 1e-5 only: 0 below 1e-8.
func.func @wrong_root(%x: tensor<25x40xf32>) -> tensor<25x40xf32> {
  %e = tensor.empty() : tensor<25x40xf32>
  %r = linalg.generic #each ins(%x : tensor<25x40xf32>) outs(%e : tensor<25x40xf32>) {
  ^bb0(%a: f32, %o: f32):
    %wide = arith.extf %a : f32 to f64
    %cos = math.cos %wide : f64
    %abs = math.absf %wide : f64
    %c = arith.constant 0.001 : f64
    %ogt = arith.cmpf ogt, %abs, %c : f64
    %sin = math.sin %wide : f64
    %mul = arith.mulf %cos, %cos : f64
    %c_2 = arith.constant 1.0 : f64
    %sub = arith.subf %c_2, %mul : f64
    %sqrt = math.sqrt %sub : f64
    %sgn = math.copysign %sqrt, %wide : f64
    %sel = arith.select %ogt, %sin, %sgn : f64
    %cut = arith.truncf %sel : f64 to f32
    linalg.yield %cut : f32
  } -> tensor<25x40xf32>
  return %r : tensor<25x40xf32>
}

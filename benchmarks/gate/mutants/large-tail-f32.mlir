// The upper tail of the normal distribution, f32: erfc(x / sqrt 2) / 2.
// 1 far below zero, 1e-30 and less from 11.5 on.

#each = {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
  iterator_types = ["parallel", "parallel"]}

func.func @kernel(%x: tensor<28x30xf32>) -> tensor<28x30xf32> {
  %e = tensor.empty() : tensor<28x30xf32>
  %r = linalg.generic #each ins(%x : tensor<28x30xf32>) outs(%e : tensor<28x30xf32>) {
  ^bb0(%a: f32, %o: f32):
    %c = arith.constant 0.70710677 : f32
    %mul = arith.mulf %a, %c : f32
    %erfc = math.erfc %mul : f32
    %c_2 = arith.constant 0.5 : f32
    %mul_2 = arith.mulf %erfc, %c_2 : f32
    linalg.yield %mul_2 : f32
  } -> tensor<28x30xf32>
  return %r : tensor<28x30xf32>
}

// In f64.
func.func @right_wide(%x: tensor<28x30xf32>) -> tensor<28x30xf32> {
  %e = tensor.empty() : tensor<28x30xf32>
  %r = linalg.generic #each ins(%x : tensor<28x30xf32>) outs(%e : tensor<28x30xf32>) {
  ^bb0(%a: f32, %o: f32):
    %wide = arith.extf %a : f32 to f64
    %c = arith.constant 0.7071067811865476 : f64
    %mul = arith.mulf %wide, %c : f64
    %erfc = math.erfc %mul : f64
    %c_2 = arith.constant 0.5 : f64
    %mul_2 = arith.mulf %erfc, %c_2 : f64
    %cut = arith.truncf %mul_2 : f64 to f32
    linalg.yield %cut : f32
  } -> tensor<28x30xf32>
  return %r : tensor<28x30xf32>
}

// By erfc of the magnitude.
func.func @right_two_sided(%x: tensor<28x30xf32>) -> tensor<28x30xf32> {
  %e = tensor.empty() : tensor<28x30xf32>
  %r = linalg.generic #each ins(%x : tensor<28x30xf32>) outs(%e : tensor<28x30xf32>) {
  ^bb0(%a: f32, %o: f32):
    %abs = math.absf %a : f32
    %c = arith.constant 0.70710677 : f32
    %mul = arith.mulf %abs, %c : f32
    %erfc = math.erfc %mul : f32
    %c_2 = arith.constant 0.5 : f32
    %mul_2 = arith.mulf %erfc, %c_2 : f32
    %c_3 = arith.constant 0.0 : f32
    %olt = arith.cmpf olt, %a, %c_3 : f32
    %c_4 = arith.constant 1.0 : f32
    %sub = arith.subf %c_4, %mul_2 : f32
    %sel = arith.select %olt, %sub, %mul_2 : f32
    linalg.yield %sel : f32
  } -> tensor<28x30xf32>
  return %r : tensor<28x30xf32>
}

// (1 - erf) / 2. Shows above 2 and more and more: 0 above 5.5.
func.func @wrong_complement(%x: tensor<28x30xf32>) -> tensor<28x30xf32> {
  %e = tensor.empty() : tensor<28x30xf32>
  %r = linalg.generic #each ins(%x : tensor<28x30xf32>) outs(%e : tensor<28x30xf32>) {
  ^bb0(%a: f32, %o: f32):
    %c = arith.constant 0.70710677 : f32
    %mul = arith.mulf %a, %c : f32
    %erf = math.erf %mul : f32
    %c_2 = arith.constant 1.0 : f32
    %sub = arith.subf %c_2, %erf : f32
    %c_3 = arith.constant 0.5 : f32
    %mul_2 = arith.mulf %sub, %c_3 : f32
    linalg.yield %mul_2 : f32
  } -> tensor<28x30xf32>
  return %r : tensor<28x30xf32>
}

// 0 above 8.5. Shows from there to 13: 1e-17 and less is lost.
func.func @wrong_cut(%x: tensor<28x30xf32>) -> tensor<28x30xf32> {
  %e = tensor.empty() : tensor<28x30xf32>
  %r = linalg.generic #each ins(%x : tensor<28x30xf32>) outs(%e : tensor<28x30xf32>) {
  ^bb0(%a: f32, %o: f32):
    %c = arith.constant 8.5 : f32
    %ogt = arith.cmpf ogt, %a, %c : f32
    %c_2 = arith.constant 0.0 : f32
    %c_3 = arith.constant 0.70710677 : f32
    %mul = arith.mulf %a, %c_3 : f32
    %erfc = math.erfc %mul : f32
    %c_4 = arith.constant 0.5 : f32
    %mul_2 = arith.mulf %erfc, %c_4 : f32
    %sel = arith.select %ogt, %c_2, %mul_2 : f32
    linalg.yield %sel : f32
  } -> tensor<28x30xf32>
  return %r : tensor<28x30xf32>
}

// exp(-x^2/2) / (x sqrt(2 pi)) above 8.5, one term. Shows there: 1 part in 80.
func.func @wrong_asymptotic(%x: tensor<28x30xf32>) -> tensor<28x30xf32> {
  %e = tensor.empty() : tensor<28x30xf32>
  %r = linalg.generic #each ins(%x : tensor<28x30xf32>) outs(%e : tensor<28x30xf32>) {
  ^bb0(%a: f32, %o: f32):
    %mul = arith.mulf %a, %a : f32
    %c = arith.constant -0.5 : f32
    %mul_2 = arith.mulf %mul, %c : f32
    %exp = math.exp %mul_2 : f32
    %c_2 = arith.constant 2.5066283 : f32
    %mul_3 = arith.mulf %a, %c_2 : f32
    %div = arith.divf %exp, %mul_3 : f32
    %c_3 = arith.constant 8.5 : f32
    %ogt = arith.cmpf ogt, %a, %c_3 : f32
    %c_4 = arith.constant 0.70710677 : f32
    %mul_4 = arith.mulf %a, %c_4 : f32
    %erfc = math.erfc %mul_4 : f32
    %c_5 = arith.constant 0.5 : f32
    %mul_5 = arith.mulf %erfc, %c_5 : f32
    %sel = arith.select %ogt, %div, %mul_5 : f32
    linalg.yield %sel : f32
  } -> tensor<28x30xf32>
  return %r : tensor<28x30xf32>
}

// Bounds the magnitude by 9. Shows above 9: 1.1e-19 for all.
func.func @wrong_bound(%x: tensor<28x30xf32>) -> tensor<28x30xf32> {
  %e = tensor.empty() : tensor<28x30xf32>
  %r = linalg.generic #each ins(%x : tensor<28x30xf32>) outs(%e : tensor<28x30xf32>) {
  ^bb0(%a: f32, %o: f32):
    %c = arith.constant -9.0 : f32
    %max = arith.maximumf %a, %c : f32
    %c_2 = arith.constant 9.0 : f32
    %min = arith.minimumf %max, %c_2 : f32
    %c_3 = arith.constant 0.70710677 : f32
    %mul = arith.mulf %min, %c_3 : f32
    %erfc = math.erfc %mul : f32
    %c_4 = arith.constant 0.5 : f32
    %mul_2 = arith.mulf %erfc, %c_4 : f32
    linalg.yield %mul_2 : f32
  } -> tensor<28x30xf32>
  return %r : tensor<28x30xf32>
}

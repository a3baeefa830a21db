// The sign of each f32: 1, -1, or 0 at zeros and NaN.

#each = {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
  iterator_types = ["parallel", "parallel"]}

func.func @kernel(%x: tensor<33x32xf32>) -> tensor<33x32xi8> {
  %e = tensor.empty() : tensor<33x32xi8>
  %r = linalg.generic #each ins(%x : tensor<33x32xf32>) outs(%e : tensor<33x32xi8>) {
  ^bb0(%a: f32, %o: i8):
    %c = arith.constant 0.0 : f32
    %ogt = arith.cmpf ogt, %a, %c : f32
    %olt = arith.cmpf olt, %a, %c : f32
    %c_2 = arith.constant -1 : i8
    %c_3 = arith.constant 0 : i8
    %sel = arith.select %olt, %c_2, %c_3 : i8
    %c_4 = arith.constant 1 : i8
    %sel_2 = arith.select %ogt, %c_4, %sel : i8
    linalg.yield %sel_2 : i8
  } -> tensor<33x32xi8>
  return %r : tensor<33x32xi8>
}

// The two comparisons as numbers, subtracted.
func.func @right_bits(%x: tensor<33x32xf32>) -> tensor<33x32xi8> {
  %e = tensor.empty() : tensor<33x32xi8>
  %r = linalg.generic #each ins(%x : tensor<33x32xf32>) outs(%e : tensor<33x32xi8>) {
  ^bb0(%a: f32, %o: i8):
    %c = arith.constant 0.0 : f32
    %ogt = arith.cmpf ogt, %a, %c : f32
    %ext = arith.extui %ogt : i1 to i8
    %olt = arith.cmpf olt, %a, %c : f32
    %ext_2 = arith.extui %olt : i1 to i8
    %sub = arith.subi %ext, %ext_2 : i8
    linalg.yield %sub : i8
  } -> tensor<33x32xi8>
  return %r : tensor<33x32xi8>
}

// In f64.
func.func @right_wide(%x: tensor<33x32xf32>) -> tensor<33x32xi8> {
  %e = tensor.empty() : tensor<33x32xi8>
  %r = linalg.generic #each ins(%x : tensor<33x32xf32>) outs(%e : tensor<33x32xi8>) {
  ^bb0(%a: f32, %o: i8):
    %wide = arith.extf %a : f32 to f64
    %c = arith.constant 0.0 : f64
    %ogt = arith.cmpf ogt, %wide, %c : f64
    %olt = arith.cmpf olt, %wide, %c : f64
    %c_2 = arith.constant -1 : i8
    %c_3 = arith.constant 0 : i8
    %sel = arith.select %olt, %c_2, %c_3 : i8
    %c_4 = arith.constant 1 : i8
    %sel_2 = arith.select %ogt, %c_4, %sel : i8
    linalg.yield %sel_2 : i8
  } -> tensor<33x32xi8>
  return %r : tensor<33x32xi8>
}

// 0 below 1e-6. Shows there.
func.func @wrong_dead_zone(%x: tensor<33x32xf32>) -> tensor<33x32xi8> {
  %e = tensor.empty() : tensor<33x32xi8>
  %r = linalg.generic #each ins(%x : tensor<33x32xf32>) outs(%e : tensor<33x32xi8>) {
  ^bb0(%a: f32, %o: i8):
    %c = arith.constant 1.0e-6 : f32
    %ogt = arith.cmpf ogt, %a, %c : f32
    %c_2 = arith.constant -1.0e-6 : f32
    %olt = arith.cmpf olt, %a, %c_2 : f32
    %c_3 = arith.constant -1 : i8
    %c_4 = arith.constant 0 : i8
    %sel = arith.select %olt, %c_3, %c_4 : i8
    %c_5 = arith.constant 1 : i8
    %sel_2 = arith.select %ogt, %c_5, %sel : i8
    linalg.yield %sel_2 : i8
  } -> tensor<33x32xi8>
  return %r : tensor<33x32xi8>
}

// Of the value in f16. Shows below 3e-8.
func.func @wrong_f16(%x: tensor<33x32xf32>) -> tensor<33x32xi8> {
  %e = tensor.empty() : tensor<33x32xi8>
  %r = linalg.generic #each ins(%x : tensor<33x32xf32>) outs(%e : tensor<33x32xi8>) {
  ^bb0(%a: f32, %o: i8):
    %cut = arith.truncf %a : f32 to f16
    %c = arith.constant 0.0 : f16
    %ogt = arith.cmpf ogt, %cut, %c : f16
    %olt = arith.cmpf olt, %cut, %c : f16
    %c_2 = arith.constant -1 : i8
    %c_3 = arith.constant 0 : i8
    %sel = arith.select %olt, %c_2, %c_3 : i8
    %c_4 = arith.constant 1 : i8
    %sel_2 = arith.select %ogt, %c_4, %sel : i8
    linalg.yield %sel_2 : i8
  } -> tensor<33x32xi8>
  return %r : tensor<33x32xi8>
}

// x / (|x| + 1e-30) to the nearest integer. Shows below 1e-30, and at infinity.
func.func @wrong_quotient(%x: tensor<33x32xf32>) -> tensor<33x32xi8> {
  %e = tensor.empty() : tensor<33x32xi8>
  %r = linalg.generic #each ins(%x : tensor<33x32xf32>) outs(%e : tensor<33x32xi8>) {
  ^bb0(%a: f32, %o: i8):
    %abs = math.absf %a : f32
    %c = arith.constant 1.0e-30 : f32
    %add = arith.addf %abs, %c : f32
    %div = arith.divf %a, %add : f32
    %roundeven = math.roundeven %div : f32
    %uno = arith.cmpf uno, %roundeven, %roundeven : f32
    %c_2 = arith.constant 0.0 : f32
    %sel = arith.select %uno, %c_2, %roundeven : f32
    %int = arith.fptosi %sel : f32 to i8
    linalg.yield %int : i8
  } -> tensor<33x32xi8>
  return %r : tensor<33x32xi8>
}

// 2^30 x bounded to [-1, 1] and cut to an integer. Shows below 9e-10.
func.func @wrong_scaled(%x: tensor<33x32xf32>) -> tensor<33x32xi8> {
  %e = tensor.empty() : tensor<33x32xi8>
  %r = linalg.generic #each ins(%x : tensor<33x32xf32>) outs(%e : tensor<33x32xi8>) {
  ^bb0(%a: f32, %o: i8):
    %uno = arith.cmpf uno, %a, %a : f32
    %c = arith.constant 0.0 : f32
    %c_2 = arith.constant 1073741800.0 : f32
    %mul = arith.mulf %a, %c_2 : f32
    %c_3 = arith.constant -1.0 : f32
    %oge = arith.cmpf oge, %mul, %c_3 : f32
    %sel = arith.select %oge, %mul, %c_3 : f32
    %c_4 = arith.constant 1.0 : f32
    %ole = arith.cmpf ole, %sel, %c_4 : f32
    %sel_2 = arith.select %ole, %sel, %c_4 : f32
    %sel_3 = arith.select %uno, %c, %sel_2 : f32
    %int = arith.fptosi %sel_3 : f32 to i8
    linalg.yield %int : i8
  } -> tensor<33x32xi8>
  return %r : tensor<33x32xi8>
}

// Of x * |x|. Shows below 1e-23 or so, where the square vanishes.
func.func @wrong_square(%x: tensor<33x32xf32>) -> tensor<33x32xi8> {
  %e = tensor.empty() : tensor<33x32xi8>
  %r = linalg.generic #each ins(%x : tensor<33x32xf32>) outs(%e : tensor<33x32xi8>) {
  ^bb0(%a: f32, %o: i8):
    %abs = math.absf %a : f32
    %mul = arith.mulf %a, %abs : f32
    %c = arith.constant 0.0 : f32
    %ogt = arith.cmpf ogt, %mul, %c : f32
    %olt = arith.cmpf olt, %mul, %c : f32
    %c_2 = arith.constant -1 : i8
    %c_3 = arith.constant 0 : i8
    %sel = arith.select %olt, %c_2, %c_3 : i8
    %c_4 = arith.constant 1 : i8
    %sel_2 = arith.select %ogt, %c_4, %sel : i8
    linalg.yield %sel_2 : i8
  } -> tensor<33x32xi8>
  return %r : tensor<33x32xi8>
}

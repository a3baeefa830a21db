// log(exp(x) + exp(y)), f32. Where both are the same infinity, that infinity.

#each = {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
  iterator_types = ["parallel", "parallel"]}

func.func @kernel(%x: tensor<30x30xf32>, %y: tensor<30x30xf32>) -> tensor<30x30xf32> {
  %e = tensor.empty() : tensor<30x30xf32>
  %r = linalg.generic #each ins(%x, %y : tensor<30x30xf32>, tensor<30x30xf32>) outs(%e : tensor<30x30xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %max = arith.maximumf %a, %b : f32
    %min = arith.minimumf %a, %b : f32
    %sub = arith.subf %min, %max : f32
    %exp = math.exp %sub : f32
    %log1p = math.log1p %exp : f32
    %add = arith.addf %max, %log1p : f32
    %abs = math.absf %max : f32
    %c = arith.constant 0x7F800000 : f32
    %oeq = arith.cmpf oeq, %abs, %c : f32
    %sel = arith.select %oeq, %max, %add : f32
    linalg.yield %sel : f32
  } -> tensor<30x30xf32>
  return %r : tensor<30x30xf32>
}

// x + log 2 where both are equal.
func.func @right_equal(%x: tensor<30x30xf32>, %y: tensor<30x30xf32>) -> tensor<30x30xf32> {
  %e = tensor.empty() : tensor<30x30xf32>
  %r = linalg.generic #each ins(%x, %y : tensor<30x30xf32>, tensor<30x30xf32>) outs(%e : tensor<30x30xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %max = arith.maximumf %a, %b : f32
    %sub = arith.subf %a, %b : f32
    %abs = math.absf %sub : f32
    %neg = arith.negf %abs : f32
    %exp = math.exp %neg : f32
    %log1p = math.log1p %exp : f32
    %add = arith.addf %max, %log1p : f32
    %oeq = arith.cmpf oeq, %a, %b : f32
    %c = arith.constant 0.6931472 : f32
    %add_2 = arith.addf %a, %c : f32
    %sel = arith.select %oeq, %add_2, %add : f32
    linalg.yield %sel : f32
  } -> tensor<30x30xf32>
  return %r : tensor<30x30xf32>
}

// The difference and its exp in f64.
func.func @right_wide(%x: tensor<30x30xf32>, %y: tensor<30x30xf32>) -> tensor<30x30xf32> {
  %e = tensor.empty() : tensor<30x30xf32>
  %r = linalg.generic #each ins(%x, %y : tensor<30x30xf32>, tensor<30x30xf32>) outs(%e : tensor<30x30xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %max = arith.maximumf %a, %b : f32
    %min = arith.minimumf %a, %b : f32
    %wide = arith.extf %min : f32 to f64
    %wide_2 = arith.extf %max : f32 to f64
    %sub = arith.subf %wide, %wide_2 : f64
    %wide_3 = arith.extf %max : f32 to f64
    %exp = math.exp %sub : f64
    %log1p = math.log1p %exp : f64
    %add = arith.addf %wide_3, %log1p : f64
    %cut = arith.truncf %add : f64 to f32
    %abs = math.absf %max : f32
    %c = arith.constant 0x7F800000 : f32
    %oeq = arith.cmpf oeq, %abs, %c : f32
    %sel = arith.select %oeq, %max, %cut : f32
    linalg.yield %sel : f32
  } -> tensor<30x30xf32>
  return %r : tensor<30x30xf32>
}

// No check. Shows where both are the same infinity: NaN.
func.func @wrong_unguarded(%x: tensor<30x30xf32>, %y: tensor<30x30xf32>) -> tensor<30x30xf32> {
  %e = tensor.empty() : tensor<30x30xf32>
  %r = linalg.generic #each ins(%x, %y : tensor<30x30xf32>, tensor<30x30xf32>) outs(%e : tensor<30x30xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %max = arith.maximumf %a, %b : f32
    %min = arith.minimumf %a, %b : f32
    %sub = arith.subf %min, %max : f32
    %exp = math.exp %sub : f32
    %log1p = math.log1p %exp : f32
    %add = arith.addf %max, %log1p : f32
    linalg.yield %add : f32
  } -> tensor<30x30xf32>
  return %r : tensor<30x30xf32>
}

// The check for -infinity alone. Shows where both are infinity: NaN.
func.func @wrong_negative_guard(%x: tensor<30x30xf32>, %y: tensor<30x30xf32>) -> tensor<30x30xf32> {
  %e = tensor.empty() : tensor<30x30xf32>
  %r = linalg.generic #each ins(%x, %y : tensor<30x30xf32>, tensor<30x30xf32>) outs(%e : tensor<30x30xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %max = arith.maximumf %a, %b : f32
    %min = arith.minimumf %a, %b : f32
    %sub = arith.subf %min, %max : f32
    %exp = math.exp %sub : f32
    %log1p = math.log1p %exp : f32
    %add = arith.addf %max, %log1p : f32
    %c = arith.constant 0xFF800000 : f32
    %oeq = arith.cmpf oeq, %max, %c : f32
    %sel = arith.select %oeq, %max, %add : f32
    linalg.yield %sel : f32
  } -> tensor<30x30xf32>
  return %r : tensor<30x30xf32>
}

// Maximum and minimum numbers. Shows where one is NaN: the other plus log 2.
func.func @wrong_nan_lost(%x: tensor<30x30xf32>, %y: tensor<30x30xf32>) -> tensor<30x30xf32> {
  %e = tensor.empty() : tensor<30x30xf32>
  %r = linalg.generic #each ins(%x, %y : tensor<30x30xf32>, tensor<30x30xf32>) outs(%e : tensor<30x30xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %maxnum = arith.maxnumf %a, %b : f32
    %minnum = arith.minnumf %a, %b : f32
    %sub = arith.subf %minnum, %maxnum : f32
    %exp = math.exp %sub : f32
    %log1p = math.log1p %exp : f32
    %add = arith.addf %maxnum, %log1p : f32
    %abs = math.absf %maxnum : f32
    %c = arith.constant 0x7F800000 : f32
    %oeq = arith.cmpf oeq, %abs, %c : f32
    %sel = arith.select %oeq, %maxnum, %add : f32
    linalg.yield %sel : f32
  } -> tensor<30x30xf32>
  return %r : tensor<30x30xf32>
}

// log(exp(x) + exp(y)). Shows above 88.7 (infinity) and where both are below -88.
func.func @wrong_plain(%x: tensor<30x30xf32>, %y: tensor<30x30xf32>) -> tensor<30x30xf32> {
  %e = tensor.empty() : tensor<30x30xf32>
  %r = linalg.generic #each ins(%x, %y : tensor<30x30xf32>, tensor<30x30xf32>) outs(%e : tensor<30x30xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %exp = math.exp %a : f32
    %exp_2 = math.exp %b : f32
    %add = arith.addf %exp, %exp_2 : f32
    %log = math.log %add : f32
    linalg.yield %log : f32
  } -> tensor<30x30xf32>
  return %r : tensor<30x30xf32>
}

// Bounds both at -1e30. Shows where both are -infinity: -1e30.
func.func @wrong_floor(%x: tensor<30x30xf32>, %y: tensor<30x30xf32>) -> tensor<30x30xf32> {
  %e = tensor.empty() : tensor<30x30xf32>
  %r = linalg.generic #each ins(%x, %y : tensor<30x30xf32>, tensor<30x30xf32>) outs(%e : tensor<30x30xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %c = arith.constant -1.0e30 : f32
    %max = arith.maximumf %a, %c : f32
    %max_2 = arith.maximumf %b, %c : f32
    %max_3 = arith.maximumf %max, %max_2 : f32
    %min = arith.minimumf %max, %max_2 : f32
    %sub = arith.subf %min, %max_3 : f32
    %exp = math.exp %sub : f32
    %log1p = math.log1p %exp : f32
    %add = arith.addf %max_3, %log1p : f32
    %abs = math.absf %max_3 : f32
    %c_2 = arith.constant 0x7F800000 : f32
    %oeq = arith.cmpf oeq, %abs, %c_2 : f32
    %sel = arith.select %oeq, %max_3, %add : f32
    linalg.yield %sel : f32
  } -> tensor<30x30xf32>
  return %r : tensor<30x30xf32>
}

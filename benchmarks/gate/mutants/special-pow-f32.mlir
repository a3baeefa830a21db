// |x| to the power y, f32: 1 where y is 0 or |x| is 1, whatever the other is, NaN included.

#each = {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
  iterator_types = ["parallel", "parallel"]}

func.func @kernel(%x: tensor<24x32xf32>, %y: tensor<24x32xf32>) -> tensor<24x32xf32> {
  %e = tensor.empty() : tensor<24x32xf32>
  %r = linalg.generic #each ins(%x, %y : tensor<24x32xf32>, tensor<24x32xf32>) outs(%e : tensor<24x32xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %abs = math.absf %a : f32
    %pow = math.powf %abs, %b : f32
    linalg.yield %pow : f32
  } -> tensor<24x32xf32>
  return %r : tensor<24x32xf32>
}

// In f64.
func.func @right_wide(%x: tensor<24x32xf32>, %y: tensor<24x32xf32>) -> tensor<24x32xf32> {
  %e = tensor.empty() : tensor<24x32xf32>
  %r = linalg.generic #each ins(%x, %y : tensor<24x32xf32>, tensor<24x32xf32>) outs(%e : tensor<24x32xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %abs = math.absf %a : f32
    %wide = arith.extf %abs : f32 to f64
    %wide_2 = arith.extf %b : f32 to f64
    %pow = math.powf %wide, %wide_2 : f64
    %cut = arith.truncf %pow : f64 to f32
    linalg.yield %cut : f32
  } -> tensor<24x32xf32>
  return %r : tensor<24x32xf32>
}

// exp2 of y log2 |x| in f64, with the two cases of 1 apart.
func.func @right_guarded(%x: tensor<24x32xf32>, %y: tensor<24x32xf32>) -> tensor<24x32xf32> {
  %e = tensor.empty() : tensor<24x32xf32>
  %r = linalg.generic #each ins(%x, %y : tensor<24x32xf32>, tensor<24x32xf32>) outs(%e : tensor<24x32xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %abs = math.absf %a : f32
    %wide = arith.extf %b : f32 to f64
    %wide_2 = arith.extf %abs : f32 to f64
    %log2 = math.log2 %wide_2 : f64
    %mul = arith.mulf %wide, %log2 : f64
    %exp2 = math.exp2 %mul : f64
    %cut = arith.truncf %exp2 : f64 to f32
    %c = arith.constant 0.0 : f32
    %oeq = arith.cmpf oeq, %b, %c : f32
    %c_2 = arith.constant 1.0 : f32
    %oeq_2 = arith.cmpf oeq, %abs, %c_2 : f32
    %or = arith.ori %oeq, %oeq_2 : i1
    %sel = arith.select %or, %c_2, %cut : f32
    linalg.yield %sel : f32
  } -> tensor<24x32xf32>
  return %r : tensor<24x32xf32>
}

// exp2(y log2 |x|). Shows for 0^0, infinity^0, 1^infinity: NaN, and NaN^0.
func.func @wrong_plain(%x: tensor<24x32xf32>, %y: tensor<24x32xf32>) -> tensor<24x32xf32> {
  %e = tensor.empty() : tensor<24x32xf32>
  %r = linalg.generic #each ins(%x, %y : tensor<24x32xf32>, tensor<24x32xf32>) outs(%e : tensor<24x32xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %wide = arith.extf %b : f32 to f64
    %abs = math.absf %a : f32
    %wide_2 = arith.extf %abs : f32 to f64
    %log2 = math.log2 %wide_2 : f64
    %mul = arith.mulf %wide, %log2 : f64
    %exp2 = math.exp2 %mul : f64
    %cut = arith.truncf %exp2 : f64 to f32
    linalg.yield %cut : f32
  } -> tensor<24x32xf32>
  return %r : tensor<24x32xf32>
}

// The check for y = 0 alone. Shows for 1^infinity and 1^NaN.
func.func @wrong_zero_guard(%x: tensor<24x32xf32>, %y: tensor<24x32xf32>) -> tensor<24x32xf32> {
  %e = tensor.empty() : tensor<24x32xf32>
  %r = linalg.generic #each ins(%x, %y : tensor<24x32xf32>, tensor<24x32xf32>) outs(%e : tensor<24x32xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %c = arith.constant 0.0 : f32
    %oeq = arith.cmpf oeq, %b, %c : f32
    %c_2 = arith.constant 1.0 : f32
    %wide = arith.extf %b : f32 to f64
    %abs = math.absf %a : f32
    %wide_2 = arith.extf %abs : f32 to f64
    %log2 = math.log2 %wide_2 : f64
    %mul = arith.mulf %wide, %log2 : f64
    %exp2 = math.exp2 %mul : f64
    %cut = arith.truncf %exp2 : f64 to f32
    %sel = arith.select %oeq, %c_2, %cut : f32
    linalg.yield %sel : f32
  } -> tensor<24x32xf32>
  return %r : tensor<24x32xf32>
}

// 0 for a base of 0, 1 for a base of 1, whatever y. Shows for 0^-1, 0^0, infinity^0, NaN^0.
func.func @wrong_base_guard(%x: tensor<24x32xf32>, %y: tensor<24x32xf32>) -> tensor<24x32xf32> {
  %e = tensor.empty() : tensor<24x32xf32>
  %r = linalg.generic #each ins(%x, %y : tensor<24x32xf32>, tensor<24x32xf32>) outs(%e : tensor<24x32xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %abs = math.absf %a : f32
    %c = arith.constant 1.0 : f32
    %oeq = arith.cmpf oeq, %abs, %c : f32
    %wide = arith.extf %b : f32 to f64
    %abs_2 = math.absf %a : f32
    %wide_2 = arith.extf %abs_2 : f32 to f64
    %log2 = math.log2 %wide_2 : f64
    %mul = arith.mulf %wide, %log2 : f64
    %exp2 = math.exp2 %mul : f64
    %cut = arith.truncf %exp2 : f64 to f32
    %sel = arith.select %oeq, %c, %cut : f32
    %c_2 = arith.constant 0.0 : f32
    %oeq_2 = arith.cmpf oeq, %abs, %c_2 : f32
    %sel_2 = arith.select %oeq_2, %c_2, %sel : f32
    linalg.yield %sel_2 : f32
  } -> tensor<24x32xf32>
  return %r : tensor<24x32xf32>
}

// NaN where either is NaN. Shows for NaN^0 and 1^NaN.
func.func @wrong_nan_first(%x: tensor<24x32xf32>, %y: tensor<24x32xf32>) -> tensor<24x32xf32> {
  %e = tensor.empty() : tensor<24x32xf32>
  %r = linalg.generic #each ins(%x, %y : tensor<24x32xf32>, tensor<24x32xf32>) outs(%e : tensor<24x32xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %uno = arith.cmpf uno, %a, %b : f32
    %c = arith.constant 0x7FC00000 : f32
    %abs = math.absf %a : f32
    %pow = math.powf %abs, %b : f32
    %sel = arith.select %uno, %c, %pow : f32
    linalg.yield %sel : f32
  } -> tensor<24x32xf32>
  return %r : tensor<24x32xf32>
}

// Infinite powers bounded by 1e4. Shows for powers of infinity of bases within 0.01 of 1.
func.func @wrong_integer_bound(%x: tensor<24x32xf32>, %y: tensor<24x32xf32>) -> tensor<24x32xf32> {
  %e = tensor.empty() : tensor<24x32xf32>
  %r = linalg.generic #each ins(%x, %y : tensor<24x32xf32>, tensor<24x32xf32>) outs(%e : tensor<24x32xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %abs = math.absf %a : f32
    %uno = arith.cmpf uno, %b, %b : f32
    %c = arith.constant -10000.0 : f32
    %max = arith.maximumf %b, %c : f32
    %c_2 = arith.constant 10000.0 : f32
    %min = arith.minimumf %max, %c_2 : f32
    %sel = arith.select %uno, %b, %min : f32
    %pow = math.powf %abs, %sel : f32
    linalg.yield %pow : f32
  } -> tensor<24x32xf32>
  return %r : tensor<24x32xf32>
}

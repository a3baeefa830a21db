// floor of each element, f32. From 2^23 on every value is its own floor.

#each = {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
  iterator_types = ["parallel", "parallel"]}

func.func @kernel(%x: tensor<31x33xf32>) -> tensor<31x33xf32> {
  %e = tensor.empty() : tensor<31x33xf32>
  %r = linalg.generic #each ins(%x : tensor<31x33xf32>) outs(%e : tensor<31x33xf32>) {
  ^bb0(%a: f32, %o: f32):
    %floor = math.floor %a : f32
    linalg.yield %floor : f32
  } -> tensor<31x33xf32>
  return %r : tensor<31x33xf32>
}

// trunc, and 1 less where that is above.
func.func @right_trunc(%x: tensor<31x33xf32>) -> tensor<31x33xf32> {
  %e = tensor.empty() : tensor<31x33xf32>
  %r = linalg.generic #each ins(%x : tensor<31x33xf32>) outs(%e : tensor<31x33xf32>) {
  ^bb0(%a: f32, %o: f32):
    %trunc = math.trunc %a : f32
    %ogt = arith.cmpf ogt, %trunc, %a : f32
    %c = arith.constant 1.0 : f32
    %sub = arith.subf %trunc, %c : f32
    %sel = arith.select %ogt, %sub, %trunc : f32
    linalg.yield %sel : f32
  } -> tensor<31x33xf32>
  return %r : tensor<31x33xf32>
}

// Through i32 below 2^31, else the value itself.
func.func @right_guarded(%x: tensor<31x33xf32>) -> tensor<31x33xf32> {
  %e = tensor.empty() : tensor<31x33xf32>
  %r = linalg.generic #each ins(%x : tensor<31x33xf32>) outs(%e : tensor<31x33xf32>) {
  ^bb0(%a: f32, %o: f32):
    %c = arith.constant -2147483600.0 : f32
    %oge = arith.cmpf oge, %a, %c : f32
    %sel = arith.select %oge, %a, %c : f32
    %c_2 = arith.constant 2147483500.0 : f32
    %ole = arith.cmpf ole, %sel, %c_2 : f32
    %sel_2 = arith.select %ole, %sel, %c_2 : f32
    %int = arith.fptosi %sel_2 : f32 to i32
    %flt = arith.sitofp %int : i32 to f32
    %abs = math.absf %a : f32
    %c_3 = arith.constant 2147483600.0 : f32
    %olt = arith.cmpf olt, %abs, %c_3 : f32
    %ogt = arith.cmpf ogt, %flt, %a : f32
    %c_4 = arith.constant 1.0 : f32
    %sub = arith.subf %flt, %c_4 : f32
    %sel_3 = arith.select %ogt, %sub, %flt : f32
    %sel_4 = arith.select %olt, %sel_3, %a : f32
    linalg.yield %sel_4 : f32
  } -> tensor<31x33xf32>
  return %r : tensor<31x33xf32>
}

// -ceil(-x).
func.func @right_negated_ceil(%x: tensor<31x33xf32>) -> tensor<31x33xf32> {
  %e = tensor.empty() : tensor<31x33xf32>
  %r = linalg.generic #each ins(%x : tensor<31x33xf32>) outs(%e : tensor<31x33xf32>) {
  ^bb0(%a: f32, %o: f32):
    %neg = arith.negf %a : f32
    %ceil = math.ceil %neg : f32
    %neg_2 = arith.negf %ceil : f32
    linalg.yield %neg_2 : f32
  } -> tensor<31x33xf32>
  return %r : tensor<31x33xf32>
}

// Through i32, bounded. Shows beyond 2^31.
func.func @wrong_i32(%x: tensor<31x33xf32>) -> tensor<31x33xf32> {
  %e = tensor.empty() : tensor<31x33xf32>
  %r = linalg.generic #each ins(%x : tensor<31x33xf32>) outs(%e : tensor<31x33xf32>) {
  ^bb0(%a: f32, %o: f32):
    %c = arith.constant -2147483600.0 : f32
    %oge = arith.cmpf oge, %a, %c : f32
    %sel = arith.select %oge, %a, %c : f32
    %c_2 = arith.constant 2147483500.0 : f32
    %ole = arith.cmpf ole, %sel, %c_2 : f32
    %sel_2 = arith.select %ole, %sel, %c_2 : f32
    %int = arith.fptosi %sel_2 : f32 to i32
    %flt = arith.sitofp %int : i32 to f32
    %ogt = arith.cmpf ogt, %flt, %sel_2 : f32
    %c_3 = arith.constant 1.0 : f32
    %sub = arith.subf %flt, %c_3 : f32
    %sel_3 = arith.select %ogt, %sub, %flt : f32
    %uno = arith.cmpf uno, %a, %a : f32
    %sel_4 = arith.select %uno, %a, %sel_3 : f32
    linalg.yield %sel_4 : f32
  } -> tensor<31x33xf32>
  return %r : tensor<31x33xf32>
}

// Through i32 and its low 16 bits. Shows beyond 32767: wraps.
func.func @wrong_i16(%x: tensor<31x33xf32>) -> tensor<31x33xf32> {
  %e = tensor.empty() : tensor<31x33xf32>
  %r = linalg.generic #each ins(%x : tensor<31x33xf32>) outs(%e : tensor<31x33xf32>) {
  ^bb0(%a: f32, %o: f32):
    %c = arith.constant -2147483600.0 : f32
    %oge = arith.cmpf oge, %a, %c : f32
    %sel = arith.select %oge, %a, %c : f32
    %c_2 = arith.constant 2147483500.0 : f32
    %ole = arith.cmpf ole, %sel, %c_2 : f32
    %sel_2 = arith.select %ole, %sel, %c_2 : f32
    %int = arith.fptosi %sel_2 : f32 to i32
    %low = arith.trunci %int : i32 to i16
    %flt = arith.sitofp %low : i16 to f32
    %trunc = math.trunc %sel_2 : f32
    %ogt = arith.cmpf ogt, %trunc, %sel_2 : f32
    %c_3 = arith.constant 1.0 : f32
    %sub = arith.subf %flt, %c_3 : f32
    %sel_3 = arith.select %ogt, %sub, %flt : f32
    %uno = arith.cmpf uno, %a, %a : f32
    %sel_4 = arith.select %uno, %a, %sel_3 : f32
    linalg.yield %sel_4 : f32
  } -> tensor<31x33xf32>
  return %r : tensor<31x33xf32>
}

// Adds 32768, converts, takes it away, in f64. Shows below -32768 (1 too large) and just below 0.
func.func @wrong_offset(%x: tensor<31x33xf32>) -> tensor<31x33xf32> {
  %e = tensor.empty() : tensor<31x33xf32>
  %r = linalg.generic #each ins(%x : tensor<31x33xf32>) outs(%e : tensor<31x33xf32>) {
  ^bb0(%a: f32, %o: f32):
    %c = arith.constant -2147483600.0 : f32
    %oge = arith.cmpf oge, %a, %c : f32
    %sel = arith.select %oge, %a, %c : f32
    %c_2 = arith.constant 2147483500.0 : f32
    %ole = arith.cmpf ole, %sel, %c_2 : f32
    %sel_2 = arith.select %ole, %sel, %c_2 : f32
    %wide = arith.extf %sel_2 : f32 to f64
    %c_3 = arith.constant 32768.0 : f64
    %add = arith.addf %wide, %c_3 : f64
    %int = arith.fptosi %add : f64 to i64
    %abs = math.absf %a : f32
    %c_4 = arith.constant 8388608.0 : f32
    %olt = arith.cmpf olt, %abs, %c_4 : f32
    %c_5 = arith.constant 32768 : i64
    %sub = arith.subi %int, %c_5 : i64
    %flt = arith.sitofp %sub : i64 to f32
    %sel_3 = arith.select %olt, %flt, %a : f32
    linalg.yield %sel_3 : f32
  } -> tensor<31x33xf32>
  return %r : tensor<31x33xf32>
}

// Adds and takes away 2^23 below it, 0 from there on. Shows above 8.4e6.
func.func @wrong_zero(%x: tensor<31x33xf32>) -> tensor<31x33xf32> {
  %e = tensor.empty() : tensor<31x33xf32>
  %r = linalg.generic #each ins(%x : tensor<31x33xf32>) outs(%e : tensor<31x33xf32>) {
  ^bb0(%a: f32, %o: f32):
    %abs = math.absf %a : f32
    %c = arith.constant 8388608.0 : f32
    %add = arith.addf %abs, %c : f32
    %sub = arith.subf %add, %c : f32
    %sgn = math.copysign %sub, %a : f32
    %ogt = arith.cmpf ogt, %sgn, %a : f32
    %c_2 = arith.constant 1.0 : f32
    %sub_2 = arith.subf %sgn, %c_2 : f32
    %sel = arith.select %ogt, %sub_2, %sgn : f32
    %olt = arith.cmpf olt, %abs, %c : f32
    %c_3 = arith.constant 0.0 : f32
    %sel_2 = arith.select %olt, %sel, %c_3 : f32
    %uno = arith.cmpf uno, %a, %a : f32
    %sel_3 = arith.select %uno, %a, %sel_2 : f32
    linalg.yield %sel_3 : f32
  } -> tensor<31x33xf32>
  return %r : tensor<31x33xf32>
}

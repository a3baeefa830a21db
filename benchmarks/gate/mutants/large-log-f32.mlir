// log |x|, f32: -infinity at 0, infinity at infinity.

#each = {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
  iterator_types = ["parallel"]}

func.func @kernel(%x: tensor<1024xf32>) -> tensor<1024xf32> {
  %e = tensor.empty() : tensor<1024xf32>
  %r = linalg.generic #each ins(%x : tensor<1024xf32>) outs(%e : tensor<1024xf32>) {
  ^bb0(%a: f32, %o: f32):
    %abs = math.absf %a : f32
    %log = math.log %abs : f32
    linalg.yield %log : f32
  } -> tensor<1024xf32>
  return %r : tensor<1024xf32>
}

// In f64.
func.func @right_wide(%x: tensor<1024xf32>) -> tensor<1024xf32> {
  %e = tensor.empty() : tensor<1024xf32>
  %r = linalg.generic #each ins(%x : tensor<1024xf32>) outs(%e : tensor<1024xf32>) {
  ^bb0(%a: f32, %o: f32):
    %abs = math.absf %a : f32
    %wide = arith.extf %abs : f32 to f64
    %log = math.log %wide : f64
    %cut = arith.truncf %log : f64 to f32
    linalg.yield %cut : f32
  } -> tensor<1024xf32>
  return %r : tensor<1024xf32>
}

// By log2.
func.func @right_base2(%x: tensor<1024xf32>) -> tensor<1024xf32> {
  %e = tensor.empty() : tensor<1024xf32>
  %r = linalg.generic #each ins(%x : tensor<1024xf32>) outs(%e : tensor<1024xf32>) {
  ^bb0(%a: f32, %o: f32):
    %abs = math.absf %a : f32
    %log2 = math.log2 %abs : f32
    %c = arith.constant 0.6931472 : f32
    %mul = arith.mulf %log2, %c : f32
    linalg.yield %mul : f32
  } -> tensor<1024xf32>
  return %r : tensor<1024xf32>
}

// The same by linalg.map.
func.func @right_map(%x: tensor<1024xf32>) -> tensor<1024xf32> {
  %e = tensor.empty() : tensor<1024xf32>
  %r = linalg.map ins(%x : tensor<1024xf32>) outs(%e : tensor<1024xf32>)
  (%a: f32, %o: f32) {
    %abs = math.absf %a : f32
    %log = math.log %abs : f32
    linalg.yield %log : f32
  }
  return %r : tensor<1024xf32>
}

// Half the log of the square. Shows above 1.8e19 and below 1e-19.
func.func @wrong_square(%x: tensor<1024xf32>) -> tensor<1024xf32> {
  %e = tensor.empty() : tensor<1024xf32>
  %r = linalg.generic #each ins(%x : tensor<1024xf32>) outs(%e : tensor<1024xf32>) {
  ^bb0(%a: f32, %o: f32):
    %mul = arith.mulf %a, %a : f32
    %log = math.log %mul : f32
    %c = arith.constant 0.5 : f32
    %mul_2 = arith.mulf %log, %c : f32
    linalg.yield %mul_2 : f32
  } -> tensor<1024xf32>
  return %r : tensor<1024xf32>
}

// Bounds the magnitude by 65504. Shows above.
func.func @wrong_bound_f16(%x: tensor<1024xf32>) -> tensor<1024xf32> {
  %e = tensor.empty() : tensor<1024xf32>
  %r = linalg.generic #each ins(%x : tensor<1024xf32>) outs(%e : tensor<1024xf32>) {
  ^bb0(%a: f32, %o: f32):
    %abs = math.absf %a : f32
    %c = arith.constant 65504.0 : f32
    %min = arith.minimumf %abs, %c : f32
    %log = math.log %min : f32
    linalg.yield %log : f32
  } -> tensor<1024xf32>
  return %r : tensor<1024xf32>
}

// At least log(1e-10), but for 0. Shows below 1e-10.
func.func @wrong_floor(%x: tensor<1024xf32>) -> tensor<1024xf32> {
  %e = tensor.empty() : tensor<1024xf32>
  %r = linalg.generic #each ins(%x : tensor<1024xf32>) outs(%e : tensor<1024xf32>) {
  ^bb0(%a: f32, %o: f32):
    %abs = math.absf %a : f32
    %c = arith.constant 0.0 : f32
    %oeq = arith.cmpf oeq, %abs, %c : f32
    %log = math.log %abs : f32
    %c_2 = arith.constant 1.0e-10 : f32
    %max = arith.maximumf %abs, %c_2 : f32
    %log_2 = math.log %max : f32
    %sel = arith.select %oeq, %log, %log_2 : f32
    linalg.yield %sel : f32
  } -> tensor<1024xf32>
  return %r : tensor<1024xf32>
}

// Exponent and mantissa from the bits, no check for the top exponent. Shows for infinity and NaN.
func.func @wrong_bits(%x: tensor<1024xf32>) -> tensor<1024xf32> {
  %e = tensor.empty() : tensor<1024xf32>
  %r = linalg.generic #each ins(%x : tensor<1024xf32>) outs(%e : tensor<1024xf32>) {
  ^bb0(%a: f32, %o: f32):
    %abs = math.absf %a : f32
    %bits = arith.bitcast %abs : f32 to i32
    %c = arith.constant 23 : i32
    %shrs = arith.shrsi %bits, %c : i32
    %c_2 = arith.constant 127 : i32
    %sub = arith.subi %shrs, %c_2 : i32
    %c_3 = arith.constant 8388607 : i32
    %and = arith.andi %bits, %c_3 : i32
    %c_4 = arith.constant 1065353216 : i32
    %or = arith.ori %and, %c_4 : i32
    %bits_2 = arith.bitcast %or : i32 to f32
    %flt = arith.sitofp %sub : i32 to f32
    %c_5 = arith.constant 0.6931472 : f32
    %mul = arith.mulf %flt, %c_5 : f32
    %log = math.log %bits_2 : f32
    %add = arith.addf %mul, %log : f32
    %c_6 = arith.constant 1.1754944e-38 : f32
    %olt = arith.cmpf olt, %abs, %c_6 : f32
    %log_2 = math.log %abs : f32
    %sel = arith.select %olt, %log_2, %add : f32
    linalg.yield %sel : f32
  } -> tensor<1024xf32>
  return %r : tensor<1024xf32>
}

// Above 2^23 takes the value through i32, bounded. Shows above 2.1e9.
func.func @wrong_integer(%x: tensor<1024xf32>) -> tensor<1024xf32> {
  %e = tensor.empty() : tensor<1024xf32>
  %r = linalg.generic #each ins(%x : tensor<1024xf32>) outs(%e : tensor<1024xf32>) {
  ^bb0(%a: f32, %o: f32):
    %abs = math.absf %a : f32
    %c = arith.constant 0.0 : f32
    %oge = arith.cmpf oge, %abs, %c : f32
    %sel = arith.select %oge, %abs, %c : f32
    %c_2 = arith.constant 2147483500.0 : f32
    %ole = arith.cmpf ole, %sel, %c_2 : f32
    %sel_2 = arith.select %ole, %sel, %c_2 : f32
    %int = arith.fptosi %sel_2 : f32 to i32
    %flt = arith.sitofp %int : i32 to f32
    %c_3 = arith.constant 8388608.0 : f32
    %ogt = arith.cmpf ogt, %abs, %c_3 : f32
    %log = math.log %flt : f32
    %log_2 = math.log %abs : f32
    %sel_3 = arith.select %ogt, %log, %log_2 : f32
    linalg.yield %sel_3 : f32
  } -> tensor<1024xf32>
  return %r : tensor<1024xf32>
}

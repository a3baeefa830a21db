// sqrt |x|, f32.

#each = {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
  iterator_types = ["parallel"]}

func.func @kernel(%x: tensor<1024xf32>) -> tensor<1024xf32> {
  %e = tensor.empty() : tensor<1024xf32>
  %r = linalg.generic #each ins(%x : tensor<1024xf32>) outs(%e : tensor<1024xf32>) {
  ^bb0(%a: f32, %o: f32):
    %abs = math.absf %a : f32
    %sqrt = math.sqrt %abs : f32
    linalg.yield %sqrt : f32
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
    %sqrt = math.sqrt %wide : f64
    %cut = arith.truncf %sqrt : f64 to f32
    linalg.yield %cut : f32
  } -> tensor<1024xf32>
  return %r : tensor<1024xf32>
}

// A start from the bits, three steps for 1/sqrt in f64, the ends passed through.
func.func @right_magic(%x: tensor<1024xf32>) -> tensor<1024xf32> {
  %e = tensor.empty() : tensor<1024xf32>
  %r = linalg.generic #each ins(%x : tensor<1024xf32>) outs(%e : tensor<1024xf32>) {
  ^bb0(%a: f32, %o: f32):
    %abs = math.absf %a : f32
    %bits = arith.bitcast %abs : f32 to i32
    %c = arith.constant 1 : i32
    %shru = arith.shrui %bits, %c : i32
    %c_2 = arith.constant 1597463007 : i32
    %sub = arith.subi %c_2, %shru : i32
    %bits_2 = arith.bitcast %sub : i32 to f32
    %wide = arith.extf %bits_2 : f32 to f64
    %wide_2 = arith.extf %abs : f32 to f64
    %c_3 = arith.constant -0.5 : f64
    %mul = arith.mulf %wide_2, %c_3 : f64
    %zero = arith.constant 0 : index
    %steps = arith.constant 4 : index
    %one = arith.constant 1 : index
    %run = scf.for %k = %zero to %steps step %one iter_args(%cur = %wide) -> (f64) {
      %mul_2 = arith.mulf %mul, %cur : f64
      %mul_3 = arith.mulf %mul_2, %cur : f64
      %c_4 = arith.constant 1.5 : f64
      %add = arith.addf %mul_3, %c_4 : f64
      %mul_4 = arith.mulf %cur, %add : f64
      scf.yield %mul_4 : f64
    }
    %mul_5 = arith.mulf %wide_2, %run : f64
    %cut = arith.truncf %mul_5 : f64 to f32
    %c_5 = arith.constant 1.1754944e-38 : f32
    %ult = arith.cmpf ult, %abs, %c_5 : f32
    %sqrt = math.sqrt %abs : f32
    %c_6 = arith.constant 0x7F800000 : f32
    %oeq = arith.cmpf oeq, %abs, %c_6 : f32
    %sel = arith.select %oeq, %abs, %cut : f32
    %sel_2 = arith.select %ult, %sqrt, %sel : f32
    linalg.yield %sel_2 : f32
  } -> tensor<1024xf32>
  return %r : tensor<1024xf32>
}

// Nine Newton steps from (1 + |x|) / 2. Shows above 1e4 and below 1e-5 or so.
func.func @wrong_newton(%x: tensor<1024xf32>) -> tensor<1024xf32> {
  %e = tensor.empty() : tensor<1024xf32>
  %r = linalg.generic #each ins(%x : tensor<1024xf32>) outs(%e : tensor<1024xf32>) {
  ^bb0(%a: f32, %o: f32):
    %abs = math.absf %a : f32
    %c = arith.constant 0.5 : f32
    %mul = arith.mulf %abs, %c : f32
    %add = arith.addf %mul, %c : f32
    %zero = arith.constant 0 : index
    %steps = arith.constant 9 : index
    %one = arith.constant 1 : index
    %run = scf.for %k = %zero to %steps step %one iter_args(%cur = %add) -> (f32) {
      %div = arith.divf %abs, %cur : f32
      %add_2 = arith.addf %cur, %div : f32
      %c_2 = arith.constant 0.5 : f32
      %mul_2 = arith.mulf %add_2, %c_2 : f32
      scf.yield %mul_2 : f32
    }
    %c_3 = arith.constant 0.0 : f32
    %oeq = arith.cmpf oeq, %abs, %c_3 : f32
    %sel = arith.select %oeq, %abs, %run : f32
    linalg.yield %sel : f32
  } -> tensor<1024xf32>
  return %r : tensor<1024xf32>
}

// |x| * rsqrt|x| with a check for 0, none for infinity. Shows there: NaN.
func.func @wrong_reciprocal(%x: tensor<1024xf32>) -> tensor<1024xf32> {
  %e = tensor.empty() : tensor<1024xf32>
  %r = linalg.generic #each ins(%x : tensor<1024xf32>) outs(%e : tensor<1024xf32>) {
  ^bb0(%a: f32, %o: f32):
    %abs = math.absf %a : f32
    %rsqrt = math.rsqrt %abs : f32
    %mul = arith.mulf %abs, %rsqrt : f32
    %c = arith.constant 0.0 : f32
    %oeq = arith.cmpf oeq, %abs, %c : f32
    %sel = arith.select %oeq, %abs, %mul : f32
    linalg.yield %sel : f32
  } -> tensor<1024xf32>
  return %r : tensor<1024xf32>
}

// sqrt(x^2) by sqrt(sqrt(x^2)). Shows above 1.8e19 and below 1e-19.
func.func @wrong_fourth_power(%x: tensor<1024xf32>) -> tensor<1024xf32> {
  %e = tensor.empty() : tensor<1024xf32>
  %r = linalg.generic #each ins(%x : tensor<1024xf32>) outs(%e : tensor<1024xf32>) {
  ^bb0(%a: f32, %o: f32):
    %mul = arith.mulf %a, %a : f32
    %sqrt = math.sqrt %mul : f32
    %sqrt_2 = math.sqrt %sqrt : f32
    linalg.yield %sqrt_2 : f32
  } -> tensor<1024xf32>
  return %r : tensor<1024xf32>
}

// Steps for 1/sqrt from 0.25. Shows above 48: they diverge.
func.func @wrong_constant_start(%x: tensor<1024xf32>) -> tensor<1024xf32> {
  %e = tensor.empty() : tensor<1024xf32>
  %r = linalg.generic #each ins(%x : tensor<1024xf32>) outs(%e : tensor<1024xf32>) {
  ^bb0(%a: f32, %o: f32):
    %abs = math.absf %a : f32
    %c = arith.constant -0.5 : f32
    %mul = arith.mulf %abs, %c : f32
    %c_2 = arith.constant 0.25 : f32
    %zero = arith.constant 0 : index
    %steps = arith.constant 24 : index
    %one = arith.constant 1 : index
    %run = scf.for %k = %zero to %steps step %one iter_args(%cur = %c_2) -> (f32) {
      %mul_2 = arith.mulf %mul, %cur : f32
      %mul_3 = arith.mulf %mul_2, %cur : f32
      %c_3 = arith.constant 1.5 : f32
      %add = arith.addf %mul_3, %c_3 : f32
      %mul_4 = arith.mulf %cur, %add : f32
      scf.yield %mul_4 : f32
    }
    %mul_5 = arith.mulf %abs, %run : f32
    %c_4 = arith.constant 0.0 : f32
    %oeq = arith.cmpf oeq, %abs, %c_4 : f32
    %sel = arith.select %oeq, %abs, %mul_5 : f32
    linalg.yield %sel : f32
  } -> tensor<1024xf32>
  return %r : tensor<1024xf32>
}

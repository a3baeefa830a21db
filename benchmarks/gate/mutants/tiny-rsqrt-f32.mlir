// 1 / sqrt |x|, f32, and 0 where x is 0.

#each = {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
  iterator_types = ["parallel", "parallel"]}

func.func @kernel(%x: tensor<30x30xf32>) -> tensor<30x30xf32> {
  %e = tensor.empty() : tensor<30x30xf32>
  %r = linalg.generic #each ins(%x : tensor<30x30xf32>) outs(%e : tensor<30x30xf32>) {
  ^bb0(%a: f32, %o: f32):
    %abs = math.absf %a : f32
    %rsqrt = math.rsqrt %abs : f32
    %c = arith.constant 0.0 : f32
    %oeq = arith.cmpf oeq, %abs, %c : f32
    %sel = arith.select %oeq, %abs, %rsqrt : f32
    linalg.yield %sel : f32
  } -> tensor<30x30xf32>
  return %r : tensor<30x30xf32>
}

// 1 / sqrt.
func.func @right_divide(%x: tensor<30x30xf32>) -> tensor<30x30xf32> {
  %e = tensor.empty() : tensor<30x30xf32>
  %r = linalg.generic #each ins(%x : tensor<30x30xf32>) outs(%e : tensor<30x30xf32>) {
  ^bb0(%a: f32, %o: f32):
    %abs = math.absf %a : f32
    %sqrt = math.sqrt %abs : f32
    %c = arith.constant 1.0 : f32
    %div = arith.divf %c, %sqrt : f32
    %c_2 = arith.constant 0.0 : f32
    %oeq = arith.cmpf oeq, %abs, %c_2 : f32
    %sel = arith.select %oeq, %abs, %div : f32
    linalg.yield %sel : f32
  } -> tensor<30x30xf32>
  return %r : tensor<30x30xf32>
}

// In f64.
func.func @right_wide(%x: tensor<30x30xf32>) -> tensor<30x30xf32> {
  %e = tensor.empty() : tensor<30x30xf32>
  %r = linalg.generic #each ins(%x : tensor<30x30xf32>) outs(%e : tensor<30x30xf32>) {
  ^bb0(%a: f32, %o: f32):
    %abs = math.absf %a : f32
    %wide = arith.extf %abs : f32 to f64
    %sqrt = math.sqrt %wide : f64
    %c = arith.constant 1.0 : f64
    %div = arith.divf %c, %sqrt : f64
    %cut = arith.truncf %div : f64 to f32
    %c_2 = arith.constant 0.0 : f32
    %oeq = arith.cmpf oeq, %abs, %c_2 : f32
    %sel = arith.select %oeq, %abs, %cut : f32
    linalg.yield %sel : f32
  } -> tensor<30x30xf32>
  return %r : tensor<30x30xf32>
}

// 1e-12 added below the root. Shows below 1e-6.
func.func @wrong_eps(%x: tensor<30x30xf32>) -> tensor<30x30xf32> {
  %e = tensor.empty() : tensor<30x30xf32>
  %r = linalg.generic #each ins(%x : tensor<30x30xf32>) outs(%e : tensor<30x30xf32>) {
  ^bb0(%a: f32, %o: f32):
    %abs = math.absf %a : f32
    %c = arith.constant 1.0e-12 : f32
    %add = arith.addf %abs, %c : f32
    %rsqrt = math.rsqrt %add : f32
    %c_2 = arith.constant 0.0 : f32
    %oeq = arith.cmpf oeq, %abs, %c_2 : f32
    %sel = arith.select %oeq, %abs, %rsqrt : f32
    linalg.yield %sel : f32
  } -> tensor<30x30xf32>
  return %r : tensor<30x30xf32>
}

// At least 1e-20 below the root. Shows below 1e-20.
func.func @wrong_floor(%x: tensor<30x30xf32>) -> tensor<30x30xf32> {
  %e = tensor.empty() : tensor<30x30xf32>
  %r = linalg.generic #each ins(%x : tensor<30x30xf32>) outs(%e : tensor<30x30xf32>) {
  ^bb0(%a: f32, %o: f32):
    %abs = math.absf %a : f32
    %c = arith.constant 1.0e-20 : f32
    %max = arith.maximumf %abs, %c : f32
    %rsqrt = math.rsqrt %max : f32
    %c_2 = arith.constant 0.0 : f32
    %oeq = arith.cmpf oeq, %abs, %c_2 : f32
    %sel = arith.select %oeq, %abs, %rsqrt : f32
    linalg.yield %sel : f32
  } -> tensor<30x30xf32>
  return %r : tensor<30x30xf32>
}

// 0 below 1e-30 too. Shows there: 1e15 and more is due.
func.func @wrong_dead_zone(%x: tensor<30x30xf32>) -> tensor<30x30xf32> {
  %e = tensor.empty() : tensor<30x30xf32>
  %r = linalg.generic #each ins(%x : tensor<30x30xf32>) outs(%e : tensor<30x30xf32>) {
  ^bb0(%a: f32, %o: f32):
    %abs = math.absf %a : f32
    %c = arith.constant 1.0e-30 : f32
    %olt = arith.cmpf olt, %abs, %c : f32
    %c_2 = arith.constant 0.0 : f32
    %rsqrt = math.rsqrt %abs : f32
    %sel = arith.select %olt, %c_2, %rsqrt : f32
    linalg.yield %sel : f32
  } -> tensor<30x30xf32>
  return %r : tensor<30x30xf32>
}

// |x| * rsqrt(|x|^3). Shows below 1e-13 and above 7e12: infinity and 0.
func.func @wrong_cubed(%x: tensor<30x30xf32>) -> tensor<30x30xf32> {
  %e = tensor.empty() : tensor<30x30xf32>
  %r = linalg.generic #each ins(%x : tensor<30x30xf32>) outs(%e : tensor<30x30xf32>) {
  ^bb0(%a: f32, %o: f32):
    %abs = math.absf %a : f32
    %mul = arith.mulf %abs, %abs : f32
    %mul_2 = arith.mulf %mul, %abs : f32
    %rsqrt = math.rsqrt %mul_2 : f32
    %mul_3 = arith.mulf %abs, %rsqrt : f32
    %c = arith.constant 0.0 : f32
    %oeq = arith.cmpf oeq, %abs, %c : f32
    %sel = arith.select %oeq, %abs, %mul_3 : f32
    linalg.yield %sel : f32
  } -> tensor<30x30xf32>
  return %r : tensor<30x30xf32>
}

// 1 / (sqrt + 1e-9). Shows below 1e-6 and more and more.
func.func @wrong_eps_after(%x: tensor<30x30xf32>) -> tensor<30x30xf32> {
  %e = tensor.empty() : tensor<30x30xf32>
  %r = linalg.generic #each ins(%x : tensor<30x30xf32>) outs(%e : tensor<30x30xf32>) {
  ^bb0(%a: f32, %o: f32):
    %abs = math.absf %a : f32
    %sqrt = math.sqrt %abs : f32
    %c = arith.constant 1.0e-9 : f32
    %add = arith.addf %sqrt, %c : f32
    %c_2 = arith.constant 1.0 : f32
    %div = arith.divf %c_2, %add : f32
    %c_3 = arith.constant 0.0 : f32
    %oeq = arith.cmpf oeq, %abs, %c_3 : f32
    %sel = arith.select %oeq, %abs, %div : f32
    linalg.yield %sel : f32
  } -> tensor<30x30xf32>
  return %r : tensor<30x30xf32>
}

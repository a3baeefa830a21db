// x where |x| is above |t|, else 0, f32: no tolerance at the threshold.

#each = {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
  iterator_types = ["parallel"]}

func.func @kernel(%x: tensor<700xf32>, %y: tensor<700xf32>) -> tensor<700xf32> {
  %e = tensor.empty() : tensor<700xf32>
  %r = linalg.generic #each ins(%x, %y : tensor<700xf32>, tensor<700xf32>) outs(%e : tensor<700xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %abs = math.absf %a : f32
    %abs_2 = math.absf %b : f32
    %ogt = arith.cmpf ogt, %abs, %abs_2 : f32
    %c = arith.constant 0.0 : f32
    %sel = arith.select %ogt, %a, %c : f32
    linalg.yield %sel : f32
  } -> tensor<700xf32>
  return %r : tensor<700xf32>
}

// The comparison turned round.
func.func @right_swapped(%x: tensor<700xf32>, %y: tensor<700xf32>) -> tensor<700xf32> {
  %e = tensor.empty() : tensor<700xf32>
  %r = linalg.generic #each ins(%x, %y : tensor<700xf32>, tensor<700xf32>) outs(%e : tensor<700xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %abs = math.absf %b : f32
    %abs_2 = math.absf %a : f32
    %olt = arith.cmpf olt, %abs, %abs_2 : f32
    %c = arith.constant 0.0 : f32
    %sel = arith.select %olt, %a, %c : f32
    linalg.yield %sel : f32
  } -> tensor<700xf32>
  return %r : tensor<700xf32>
}

// In f64.
func.func @right_wide(%x: tensor<700xf32>, %y: tensor<700xf32>) -> tensor<700xf32> {
  %e = tensor.empty() : tensor<700xf32>
  %r = linalg.generic #each ins(%x, %y : tensor<700xf32>, tensor<700xf32>) outs(%e : tensor<700xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %wide = arith.extf %a : f32 to f64
    %abs = math.absf %wide : f64
    %wide_2 = arith.extf %b : f32 to f64
    %abs_2 = math.absf %wide_2 : f64
    %ogt = arith.cmpf ogt, %abs, %abs_2 : f64
    %c = arith.constant 0.0 : f32
    %sel = arith.select %ogt, %a, %c : f32
    linalg.yield %sel : f32
  } -> tensor<700xf32>
  return %r : tensor<700xf32>
}

// Compares the squares. Shows where both are below 1e-22 or above 1.8e19.
func.func @wrong_squares(%x: tensor<700xf32>, %y: tensor<700xf32>) -> tensor<700xf32> {
  %e = tensor.empty() : tensor<700xf32>
  %r = linalg.generic #each ins(%x, %y : tensor<700xf32>, tensor<700xf32>) outs(%e : tensor<700xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %mul = arith.mulf %a, %a : f32
    %mul_2 = arith.mulf %b, %b : f32
    %ogt = arith.cmpf ogt, %mul, %mul_2 : f32
    %c = arith.constant 0.0 : f32
    %sel = arith.select %ogt, %a, %c : f32
    linalg.yield %sel : f32
  } -> tensor<700xf32>
  return %r : tensor<700xf32>
}

// |x| above |t| + 1e-9. Shows where both are below 1e-2 and close, or t is 0 and x tiny.
func.func @wrong_tolerance(%x: tensor<700xf32>, %y: tensor<700xf32>) -> tensor<700xf32> {
  %e = tensor.empty() : tensor<700xf32>
  %r = linalg.generic #each ins(%x, %y : tensor<700xf32>, tensor<700xf32>) outs(%e : tensor<700xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %abs = math.absf %a : f32
    %abs_2 = math.absf %b : f32
    %c = arith.constant 1.0e-9 : f32
    %add = arith.addf %abs_2, %c : f32
    %ogt = arith.cmpf ogt, %abs, %add : f32
    %c_2 = arith.constant 0.0 : f32
    %sel = arith.select %ogt, %a, %c_2 : f32
    linalg.yield %sel : f32
  } -> tensor<700xf32>
  return %r : tensor<700xf32>
}

// A threshold of at least 1e-6. Shows for x below 1e-6.
func.func @wrong_floor(%x: tensor<700xf32>, %y: tensor<700xf32>) -> tensor<700xf32> {
  %e = tensor.empty() : tensor<700xf32>
  %r = linalg.generic #each ins(%x, %y : tensor<700xf32>, tensor<700xf32>) outs(%e : tensor<700xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %abs = math.absf %a : f32
    %abs_2 = math.absf %b : f32
    %c = arith.constant 1.0e-6 : f32
    %max = arith.maximumf %abs_2, %c : f32
    %ogt = arith.cmpf ogt, %abs, %max : f32
    %c_2 = arith.constant 0.0 : f32
    %sel = arith.select %ogt, %a, %c_2 : f32
    linalg.yield %sel : f32
  } -> tensor<700xf32>
  return %r : tensor<700xf32>
}

// |x| / (|t| + 1e-30) above 1. Shows where both are below 1e-23.
func.func @wrong_quotient(%x: tensor<700xf32>, %y: tensor<700xf32>) -> tensor<700xf32> {
  %e = tensor.empty() : tensor<700xf32>
  %r = linalg.generic #each ins(%x, %y : tensor<700xf32>, tensor<700xf32>) outs(%e : tensor<700xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %abs = math.absf %a : f32
    %abs_2 = math.absf %b : f32
    %c = arith.constant 1.0e-30 : f32
    %add = arith.addf %abs_2, %c : f32
    %div = arith.divf %abs, %add : f32
    %c_2 = arith.constant 1.0 : f32
    %ogt = arith.cmpf ogt, %div, %c_2 : f32
    %c_3 = arith.constant 0.0 : f32
    %sel = arith.select %ogt, %a, %c_3 : f32
    linalg.yield %sel : f32
  } -> tensor<700xf32>
  return %r : tensor<700xf32>
}

// Compares in f16. Shows where both are close, below 6e-8, or above 65504.
func.func @wrong_f16(%x: tensor<700xf32>, %y: tensor<700xf32>) -> tensor<700xf32> {
  %e = tensor.empty() : tensor<700xf32>
  %r = linalg.generic #each ins(%x, %y : tensor<700xf32>, tensor<700xf32>) outs(%e : tensor<700xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %cut = arith.truncf %a : f32 to f16
    %abs = math.absf %cut : f16
    %cut_2 = arith.truncf %b : f32 to f16
    %abs_2 = math.absf %cut_2 : f16
    %ogt = arith.cmpf ogt, %abs, %abs_2 : f16
    %c = arith.constant 0.0 : f32
    %sel = arith.select %ogt, %a, %c : f32
    linalg.yield %sel : f32
  } -> tensor<700xf32>
  return %r : tensor<700xf32>
}

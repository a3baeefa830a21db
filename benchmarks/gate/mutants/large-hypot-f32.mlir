// sqrt(x^2 + y^2), f32, scaled by the larger magnitude, so that neither square
// overflows or vanishes. Zero and infinite magnitudes pass through.

#each = {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
  iterator_types = ["parallel"]}

func.func @kernel(%x: tensor<768xf32>, %y: tensor<768xf32>) -> tensor<768xf32> {
  %e = tensor.empty() : tensor<768xf32>
  %r = linalg.generic #each ins(%x, %y : tensor<768xf32>, tensor<768xf32>) outs(%e : tensor<768xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %abs = math.absf %a : f32
    %abs_2 = math.absf %b : f32
    %max = arith.maximumf %abs, %abs_2 : f32
    %min = arith.minimumf %abs, %abs_2 : f32
    %div = arith.divf %min, %max : f32
    %mul = arith.mulf %div, %div : f32
    %c = arith.constant 1.0 : f32
    %add = arith.addf %mul, %c : f32
    %sqrt = math.sqrt %add : f32
    %mul_2 = arith.mulf %max, %sqrt : f32
    %c_2 = arith.constant 0.0 : f32
    %oeq = arith.cmpf oeq, %max, %c_2 : f32
    %sel = arith.select %oeq, %max, %mul_2 : f32
    %c_3 = arith.constant 0x7F800000 : f32
    %oeq_2 = arith.cmpf oeq, %max, %c_3 : f32
    %sel_2 = arith.select %oeq_2, %max, %sel : f32
    linalg.yield %sel_2 : f32
  } -> tensor<768xf32>
  return %r : tensor<768xf32>
}

// In f64, where the squares fit.
func.func @right_wide(%x: tensor<768xf32>, %y: tensor<768xf32>) -> tensor<768xf32> {
  %e = tensor.empty() : tensor<768xf32>
  %r = linalg.generic #each ins(%x, %y : tensor<768xf32>, tensor<768xf32>) outs(%e : tensor<768xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %wide = arith.extf %a : f32 to f64
    %wide_2 = arith.extf %b : f32 to f64
    %mul = arith.mulf %wide, %wide : f64
    %mul_2 = arith.mulf %wide_2, %wide_2 : f64
    %add = arith.addf %mul, %mul_2 : f64
    %sqrt = math.sqrt %add : f64
    %cut = arith.truncf %sqrt : f64 to f32
    linalg.yield %cut : f32
  } -> tensor<768xf32>
  return %r : tensor<768xf32>
}

// Scaled by a power of two where need be.
func.func @right_power_of_two(%x: tensor<768xf32>, %y: tensor<768xf32>) -> tensor<768xf32> {
  %e = tensor.empty() : tensor<768xf32>
  %r = linalg.generic #each ins(%x, %y : tensor<768xf32>, tensor<768xf32>) outs(%e : tensor<768xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %abs = math.absf %a : f32
    %abs_2 = math.absf %b : f32
    %max = arith.maximumf %abs, %abs_2 : f32
    %min = arith.minimumf %abs, %abs_2 : f32
    %c = arith.constant 1.0e15 : f32
    %ogt = arith.cmpf ogt, %max, %c : f32
    %c_2 = arith.constant 8.4703295e-22 : f32
    %c_3 = arith.constant 1.0e-15 : f32
    %olt = arith.cmpf olt, %max, %c_3 : f32
    %c_4 = arith.constant 1.1805916e21 : f32
    %c_5 = arith.constant 1.0 : f32
    %sel = arith.select %olt, %c_4, %c_5 : f32
    %sel_2 = arith.select %ogt, %c_2, %sel : f32
    %mul = arith.mulf %a, %sel_2 : f32
    %mul_2 = arith.mulf %b, %sel_2 : f32
    %mul_3 = arith.mulf %mul, %mul : f32
    %mul_4 = arith.mulf %mul_2, %mul_2 : f32
    %add = arith.addf %mul_3, %mul_4 : f32
    %sqrt = math.sqrt %add : f32
    %div = arith.divf %sqrt, %sel_2 : f32
    linalg.yield %div : f32
  } -> tensor<768xf32>
  return %r : tensor<768xf32>
}

// No scaling. Shows above 1.8e19 (infinity) and below 1e-19 (0, or few digits).
func.func @wrong_plain(%x: tensor<768xf32>, %y: tensor<768xf32>) -> tensor<768xf32> {
  %e = tensor.empty() : tensor<768xf32>
  %r = linalg.generic #each ins(%x, %y : tensor<768xf32>, tensor<768xf32>) outs(%e : tensor<768xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %mul = arith.mulf %a, %a : f32
    %mul_2 = arith.mulf %b, %b : f32
    %add = arith.addf %mul, %mul_2 : f32
    %sqrt = math.sqrt %add : f32
    linalg.yield %sqrt : f32
  } -> tensor<768xf32>
  return %r : tensor<768xf32>
}

// Scaled by the smaller magnitude. Shows where they are 1.8e19 apart: infinity.
func.func @wrong_by_smaller(%x: tensor<768xf32>, %y: tensor<768xf32>) -> tensor<768xf32> {
  %e = tensor.empty() : tensor<768xf32>
  %r = linalg.generic #each ins(%x, %y : tensor<768xf32>, tensor<768xf32>) outs(%e : tensor<768xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %abs = math.absf %a : f32
    %abs_2 = math.absf %b : f32
    %max = arith.maximumf %abs, %abs_2 : f32
    %min = arith.minimumf %abs, %abs_2 : f32
    %div = arith.divf %max, %min : f32
    %c = arith.constant 0.0 : f32
    %oeq = arith.cmpf oeq, %min, %c : f32
    %mul = arith.mulf %div, %div : f32
    %c_2 = arith.constant 1.0 : f32
    %add = arith.addf %mul, %c_2 : f32
    %sqrt = math.sqrt %add : f32
    %mul_2 = arith.mulf %min, %sqrt : f32
    %sel = arith.select %oeq, %max, %mul_2 : f32
    %oeq_2 = arith.cmpf oeq, %max, %c : f32
    %sel_2 = arith.select %oeq_2, %max, %sel : f32
    %c_3 = arith.constant 0x7F800000 : f32
    %oeq_3 = arith.cmpf oeq, %max, %c_3 : f32
    %sel_3 = arith.select %oeq_3, %max, %sel_2 : f32
    linalg.yield %sel_3 : f32
  } -> tensor<768xf32>
  return %r : tensor<768xf32>
}

// Scales large ones only. Shows where both are below 1e-19.
func.func @wrong_large_only(%x: tensor<768xf32>, %y: tensor<768xf32>) -> tensor<768xf32> {
  %e = tensor.empty() : tensor<768xf32>
  %r = linalg.generic #each ins(%x, %y : tensor<768xf32>, tensor<768xf32>) outs(%e : tensor<768xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %abs = math.absf %a : f32
    %abs_2 = math.absf %b : f32
    %max = arith.maximumf %abs, %abs_2 : f32
    %min = arith.minimumf %abs, %abs_2 : f32
    %c = arith.constant 1.0e15 : f32
    %ogt = arith.cmpf ogt, %max, %c : f32
    %c_2 = arith.constant 8.4703295e-22 : f32
    %c_3 = arith.constant 1.0 : f32
    %sel = arith.select %ogt, %c_2, %c_3 : f32
    %mul = arith.mulf %a, %sel : f32
    %mul_2 = arith.mulf %b, %sel : f32
    %mul_3 = arith.mulf %mul, %mul : f32
    %mul_4 = arith.mulf %mul_2, %mul_2 : f32
    %add = arith.addf %mul_3, %mul_4 : f32
    %sqrt = math.sqrt %add : f32
    %div = arith.divf %sqrt, %sel : f32
    linalg.yield %div : f32
  } -> tensor<768xf32>
  return %r : tensor<768xf32>
}

// Begins to scale at 1e24. Shows from 1.8e19 to 1e24 only: infinity.
func.func @wrong_late(%x: tensor<768xf32>, %y: tensor<768xf32>) -> tensor<768xf32> {
  %e = tensor.empty() : tensor<768xf32>
  %r = linalg.generic #each ins(%x, %y : tensor<768xf32>, tensor<768xf32>) outs(%e : tensor<768xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %abs = math.absf %a : f32
    %abs_2 = math.absf %b : f32
    %max = arith.maximumf %abs, %abs_2 : f32
    %min = arith.minimumf %abs, %abs_2 : f32
    %c = arith.constant 1.0e24 : f32
    %ogt = arith.cmpf ogt, %max, %c : f32
    %c_2 = arith.constant 8.4703295e-22 : f32
    %c_3 = arith.constant 1.0e-15 : f32
    %olt = arith.cmpf olt, %max, %c_3 : f32
    %c_4 = arith.constant 1.1805916e21 : f32
    %c_5 = arith.constant 1.0 : f32
    %sel = arith.select %olt, %c_4, %c_5 : f32
    %sel_2 = arith.select %ogt, %c_2, %sel : f32
    %mul = arith.mulf %a, %sel_2 : f32
    %mul_2 = arith.mulf %b, %sel_2 : f32
    %mul_3 = arith.mulf %mul, %mul : f32
    %mul_4 = arith.mulf %mul_2, %mul_2 : f32
    %add = arith.addf %mul_3, %mul_4 : f32
    %sqrt = math.sqrt %add : f32
    %div = arith.divf %sqrt, %sel_2 : f32
    linalg.yield %div : f32
  } -> tensor<768xf32>
  return %r : tensor<768xf32>
}

// x / 2 + y / 2, f32: fits wherever x and y do.

#each = {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
  iterator_types = ["parallel", "parallel"]}

func.func @kernel(%x: tensor<29x31xf32>, %y: tensor<29x31xf32>) -> tensor<29x31xf32> {
  %e = tensor.empty() : tensor<29x31xf32>
  %r = linalg.generic #each ins(%x, %y : tensor<29x31xf32>, tensor<29x31xf32>) outs(%e : tensor<29x31xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %c = arith.constant 0.5 : f32
    %mul = arith.mulf %a, %c : f32
    %mul_2 = arith.mulf %b, %c : f32
    %add = arith.addf %mul, %mul_2 : f32
    linalg.yield %add : f32
  } -> tensor<29x31xf32>
  return %r : tensor<29x31xf32>
}

// In f64.
func.func @right_wide(%x: tensor<29x31xf32>, %y: tensor<29x31xf32>) -> tensor<29x31xf32> {
  %e = tensor.empty() : tensor<29x31xf32>
  %r = linalg.generic #each ins(%x, %y : tensor<29x31xf32>, tensor<29x31xf32>) outs(%e : tensor<29x31xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %wide = arith.extf %a : f32 to f64
    %wide_2 = arith.extf %b : f32 to f64
    %add = arith.addf %wide, %wide_2 : f64
    %c = arith.constant 0.5 : f64
    %mul = arith.mulf %add, %c : f64
    %cut = arith.truncf %mul : f64 to f32
    linalg.yield %cut : f32
  } -> tensor<29x31xf32>
  return %r : tensor<29x31xf32>
}

// Fused.
func.func @right_fused(%x: tensor<29x31xf32>, %y: tensor<29x31xf32>) -> tensor<29x31xf32> {
  %e = tensor.empty() : tensor<29x31xf32>
  %r = linalg.generic #each ins(%x, %y : tensor<29x31xf32>, tensor<29x31xf32>) outs(%e : tensor<29x31xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %c = arith.constant 0.5 : f32
    %mul = arith.mulf %b, %c : f32
    %fma = math.fma %a, %c, %mul : f32
    linalg.yield %fma : f32
  } -> tensor<29x31xf32>
  return %r : tensor<29x31xf32>
}

// By the signs: a sum, or a difference added.
func.func @right_larger_first(%x: tensor<29x31xf32>, %y: tensor<29x31xf32>) -> tensor<29x31xf32> {
  %e = tensor.empty() : tensor<29x31xf32>
  %r = linalg.generic #each ins(%x, %y : tensor<29x31xf32>, tensor<29x31xf32>) outs(%e : tensor<29x31xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %c = arith.constant 1.0e-19 : f32
    %mul = arith.mulf %a, %c : f32
    %mul_2 = arith.mulf %b, %c : f32
    %mul_3 = arith.mulf %mul, %mul_2 : f32
    %c_2 = arith.constant 0.0 : f32
    %olt = arith.cmpf olt, %mul_3, %c_2 : f32
    %add = arith.addf %a, %b : f32
    %c_3 = arith.constant 0.5 : f32
    %mul_4 = arith.mulf %add, %c_3 : f32
    %mul_5 = arith.mulf %a, %c_3 : f32
    %mul_6 = arith.mulf %b, %c_3 : f32
    %add_2 = arith.addf %mul_5, %mul_6 : f32
    %sel = arith.select %olt, %mul_4, %add_2 : f32
    linalg.yield %sel : f32
  } -> tensor<29x31xf32>
  return %r : tensor<29x31xf32>
}

// (x + y) / 2. Shows where both are of one sign and the sum above 3.4e38: infinity.
func.func @wrong_sum_first(%x: tensor<29x31xf32>, %y: tensor<29x31xf32>) -> tensor<29x31xf32> {
  %e = tensor.empty() : tensor<29x31xf32>
  %r = linalg.generic #each ins(%x, %y : tensor<29x31xf32>, tensor<29x31xf32>) outs(%e : tensor<29x31xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %add = arith.addf %a, %b : f32
    %c = arith.constant 0.5 : f32
    %mul = arith.mulf %add, %c : f32
    linalg.yield %mul : f32
  } -> tensor<29x31xf32>
  return %r : tensor<29x31xf32>
}

// x + (y - x) / 2. Shows where they are of opposite signs and 3.4e38 apart.
func.func @wrong_from_x(%x: tensor<29x31xf32>, %y: tensor<29x31xf32>) -> tensor<29x31xf32> {
  %e = tensor.empty() : tensor<29x31xf32>
  %r = linalg.generic #each ins(%x, %y : tensor<29x31xf32>, tensor<29x31xf32>) outs(%e : tensor<29x31xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %sub = arith.subf %b, %a : f32
    %c = arith.constant 0.5 : f32
    %mul = arith.mulf %sub, %c : f32
    %add = arith.addf %a, %mul : f32
    linalg.yield %add : f32
  } -> tensor<29x31xf32>
  return %r : tensor<29x31xf32>
}

// (x + y) / 2, and the larger magnitude where that is infinite. Shows where x + y overflows.
func.func @wrong_guarded(%x: tensor<29x31xf32>, %y: tensor<29x31xf32>) -> tensor<29x31xf32> {
  %e = tensor.empty() : tensor<29x31xf32>
  %r = linalg.generic #each ins(%x, %y : tensor<29x31xf32>, tensor<29x31xf32>) outs(%e : tensor<29x31xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %add = arith.addf %a, %b : f32
    %c = arith.constant 0.5 : f32
    %mul = arith.mulf %add, %c : f32
    %abs = math.absf %a : f32
    %abs_2 = math.absf %b : f32
    %ogt = arith.cmpf ogt, %abs, %abs_2 : f32
    %sel = arith.select %ogt, %a, %b : f32
    %abs_3 = math.absf %mul : f32
    %c_2 = arith.constant 0x7F800000 : f32
    %oeq = arith.cmpf oeq, %abs_3, %c_2 : f32
    %sel_2 = arith.select %oeq, %sel, %mul : f32
    linalg.yield %sel_2 : f32
  } -> tensor<29x31xf32>
  return %r : tensor<29x31xf32>
}

// Bounds both by 1e30. Shows above.
func.func @wrong_bound(%x: tensor<29x31xf32>, %y: tensor<29x31xf32>) -> tensor<29x31xf32> {
  %e = tensor.empty() : tensor<29x31xf32>
  %r = linalg.generic #each ins(%x, %y : tensor<29x31xf32>, tensor<29x31xf32>) outs(%e : tensor<29x31xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %c = arith.constant -1.0e30 : f32
    %max = arith.maximumf %a, %c : f32
    %c_2 = arith.constant 1.0e30 : f32
    %min = arith.minimumf %max, %c_2 : f32
    %c_3 = arith.constant 0.5 : f32
    %mul = arith.mulf %min, %c_3 : f32
    %max_2 = arith.maximumf %b, %c : f32
    %min_2 = arith.minimumf %max_2, %c_2 : f32
    %mul_2 = arith.mulf %min_2, %c_3 : f32
    %add = arith.addf %mul, %mul_2 : f32
    linalg.yield %add : f32
  } -> tensor<29x31xf32>
  return %r : tensor<29x31xf32>
}

// y + x * 0, f32: y where x is finite, NaN where it is not.

#each = {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
  iterator_types = ["parallel"]}

func.func @kernel(%x: tensor<1000xf32>, %y: tensor<1000xf32>) -> tensor<1000xf32> {
  %e = tensor.empty() : tensor<1000xf32>
  %r = linalg.generic #each ins(%x, %y : tensor<1000xf32>, tensor<1000xf32>) outs(%e : tensor<1000xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %c = arith.constant 0.0 : f32
    %mul = arith.mulf %a, %c : f32
    %add = arith.addf %b, %mul : f32
    linalg.yield %add : f32
  } -> tensor<1000xf32>
  return %r : tensor<1000xf32>
}

// y + (x - x).
func.func @right_difference(%x: tensor<1000xf32>, %y: tensor<1000xf32>) -> tensor<1000xf32> {
  %e = tensor.empty() : tensor<1000xf32>
  %r = linalg.generic #each ins(%x, %y : tensor<1000xf32>, tensor<1000xf32>) outs(%e : tensor<1000xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %sub = arith.subf %a, %a : f32
    %add = arith.addf %b, %sub : f32
    linalg.yield %add : f32
  } -> tensor<1000xf32>
  return %r : tensor<1000xf32>
}

// By a check of |x|.
func.func @right_select(%x: tensor<1000xf32>, %y: tensor<1000xf32>) -> tensor<1000xf32> {
  %e = tensor.empty() : tensor<1000xf32>
  %r = linalg.generic #each ins(%x, %y : tensor<1000xf32>, tensor<1000xf32>) outs(%e : tensor<1000xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %abs = math.absf %a : f32
    %c = arith.constant 0x7F800000 : f32
    %olt = arith.cmpf olt, %abs, %c : f32
    %c_2 = arith.constant 0x7FC00000 : f32
    %sel = arith.select %olt, %b, %c_2 : f32
    linalg.yield %sel : f32
  } -> tensor<1000xf32>
  return %r : tensor<1000xf32>
}

// Fused.
func.func @right_fused(%x: tensor<1000xf32>, %y: tensor<1000xf32>) -> tensor<1000xf32> {
  %e = tensor.empty() : tensor<1000xf32>
  %r = linalg.generic #each ins(%x, %y : tensor<1000xf32>, tensor<1000xf32>) outs(%e : tensor<1000xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %c = arith.constant 0.0 : f32
    %fma = math.fma %a, %c, %b : f32
    linalg.yield %fma : f32
  } -> tensor<1000xf32>
  return %r : tensor<1000xf32>
}

// x * 0 folded to 0. Shows where x is infinite or NaN.
func.func @wrong_folded(%x: tensor<1000xf32>, %y: tensor<1000xf32>) -> tensor<1000xf32> {
  %e = tensor.empty() : tensor<1000xf32>
  %r = linalg.generic #each ins(%x, %y : tensor<1000xf32>, tensor<1000xf32>) outs(%e : tensor<1000xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %c = arith.constant 0.0 : f32
    %add = arith.addf %b, %c : f32
    linalg.yield %add : f32
  } -> tensor<1000xf32>
  return %r : tensor<1000xf32>
}

// NaN where x is NaN. Shows where x is infinite.
func.func @wrong_nan_only(%x: tensor<1000xf32>, %y: tensor<1000xf32>) -> tensor<1000xf32> {
  %e = tensor.empty() : tensor<1000xf32>
  %r = linalg.generic #each ins(%x, %y : tensor<1000xf32>, tensor<1000xf32>) outs(%e : tensor<1000xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %uno = arith.cmpf uno, %a, %a : f32
    %sel = arith.select %uno, %a, %b : f32
    linalg.yield %sel : f32
  } -> tensor<1000xf32>
  return %r : tensor<1000xf32>
}

// x * 1e-38 in place of x * 0. Shows where x is infinite, and where x is 1e30 times y.
func.func @wrong_tiny(%x: tensor<1000xf32>, %y: tensor<1000xf32>) -> tensor<1000xf32> {
  %e = tensor.empty() : tensor<1000xf32>
  %r = linalg.generic #each ins(%x, %y : tensor<1000xf32>, tensor<1000xf32>) outs(%e : tensor<1000xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %c = arith.constant 1.1754944e-38 : f32
    %mul = arith.mulf %a, %c : f32
    %add = arith.addf %b, %mul : f32
    linalg.yield %add : f32
  } -> tensor<1000xf32>
  return %r : tensor<1000xf32>
}

// y + (2x - 2x). Shows where |x| is above 1.7e38: NaN.
func.func @wrong_doubled(%x: tensor<1000xf32>, %y: tensor<1000xf32>) -> tensor<1000xf32> {
  %e = tensor.empty() : tensor<1000xf32>
  %r = linalg.generic #each ins(%x, %y : tensor<1000xf32>, tensor<1000xf32>) outs(%e : tensor<1000xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %add = arith.addf %a, %a : f32
    %sub = arith.subf %add, %add : f32
    %add_2 = arith.addf %b, %sub : f32
    linalg.yield %add_2 : f32
  } -> tensor<1000xf32>
  return %r : tensor<1000xf32>
}

// y + x^2 * 0. Shows where |x| is above 1.8e19: NaN.
func.func @wrong_square(%x: tensor<1000xf32>, %y: tensor<1000xf32>) -> tensor<1000xf32> {
  %e = tensor.empty() : tensor<1000xf32>
  %r = linalg.generic #each ins(%x, %y : tensor<1000xf32>, tensor<1000xf32>) outs(%e : tensor<1000xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %mul = arith.mulf %a, %a : f32
    %c = arith.constant 0.0 : f32
    %mul_2 = arith.mulf %mul, %c : f32
    %add = arith.addf %b, %mul_2 : f32
    linalg.yield %add : f32
  } -> tensor<1000xf32>
  return %r : tensor<1000xf32>
}

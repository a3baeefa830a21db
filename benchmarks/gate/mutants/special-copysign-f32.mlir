// The magnitude of y with the sign of x, f32: the sign of a zero x counts.

#each = {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
  iterator_types = ["parallel"]}

func.func @kernel(%x: tensor<840xf32>, %y: tensor<840xf32>) -> tensor<840xf32> {
  %e = tensor.empty() : tensor<840xf32>
  %r = linalg.generic #each ins(%x, %y : tensor<840xf32>, tensor<840xf32>) outs(%e : tensor<840xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %sgn = math.copysign %b, %a : f32
    linalg.yield %sgn : f32
  } -> tensor<840xf32>
  return %r : tensor<840xf32>
}

// By the bits.
func.func @right_bits(%x: tensor<840xf32>, %y: tensor<840xf32>) -> tensor<840xf32> {
  %e = tensor.empty() : tensor<840xf32>
  %r = linalg.generic #each ins(%x, %y : tensor<840xf32>, tensor<840xf32>) outs(%e : tensor<840xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %bits = arith.bitcast %a : f32 to i32
    %c = arith.constant -2147483648 : i32
    %and = arith.andi %bits, %c : i32
    %bits_2 = arith.bitcast %b : f32 to i32
    %c_2 = arith.constant 2147483647 : i32
    %and_2 = arith.andi %bits_2, %c_2 : i32
    %or = arith.ori %and, %and_2 : i32
    %bits_3 = arith.bitcast %or : i32 to f32
    linalg.yield %bits_3 : f32
  } -> tensor<840xf32>
  return %r : tensor<840xf32>
}

// A selection by the sign bit as an integer.
func.func @right_sign_bit(%x: tensor<840xf32>, %y: tensor<840xf32>) -> tensor<840xf32> {
  %e = tensor.empty() : tensor<840xf32>
  %r = linalg.generic #each ins(%x, %y : tensor<840xf32>, tensor<840xf32>) outs(%e : tensor<840xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %abs = math.absf %b : f32
    %bits = arith.bitcast %a : f32 to i32
    %c = arith.constant 0 : i32
    %slt = arith.cmpi slt, %bits, %c : i32
    %neg = arith.negf %abs : f32
    %sel = arith.select %slt, %neg, %abs : f32
    linalg.yield %sel : f32
  } -> tensor<840xf32>
  return %r : tensor<840xf32>
}

// The same as one whole tensor.
func.func @right_whole(%x: tensor<840xf32>, %y: tensor<840xf32>) -> tensor<840xf32> {
  %sgn = math.copysign %y, %x : tensor<840xf32>
  return %sgn : tensor<840xf32>
}

// Negative where x is below 0. Shows for x = -0.
func.func @wrong_compare(%x: tensor<840xf32>, %y: tensor<840xf32>) -> tensor<840xf32> {
  %e = tensor.empty() : tensor<840xf32>
  %r = linalg.generic #each ins(%x, %y : tensor<840xf32>, tensor<840xf32>) outs(%e : tensor<840xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %abs = math.absf %b : f32
    %c = arith.constant 0.0 : f32
    %olt = arith.cmpf olt, %a, %c : f32
    %neg = arith.negf %abs : f32
    %sel = arith.select %olt, %neg, %abs : f32
    linalg.yield %sel : f32
  } -> tensor<840xf32>
  return %r : tensor<840xf32>
}

// The sign of x + 0. Shows for x = -0.
func.func @wrong_plus_zero(%x: tensor<840xf32>, %y: tensor<840xf32>) -> tensor<840xf32> {
  %e = tensor.empty() : tensor<840xf32>
  %r = linalg.generic #each ins(%x, %y : tensor<840xf32>, tensor<840xf32>) outs(%e : tensor<840xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %c = arith.constant 0.0 : f32
    %add = arith.addf %a, %c : f32
    %sgn = math.copysign %b, %add : f32
    linalg.yield %sgn : f32
  } -> tensor<840xf32>
  return %r : tensor<840xf32>
}

// Negative where 1 / x is below 0. Shows for x = -infinity (and right for -0).
func.func @wrong_reciprocal(%x: tensor<840xf32>, %y: tensor<840xf32>) -> tensor<840xf32> {
  %e = tensor.empty() : tensor<840xf32>
  %r = linalg.generic #each ins(%x, %y : tensor<840xf32>, tensor<840xf32>) outs(%e : tensor<840xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %abs = math.absf %b : f32
    %c = arith.constant 1.0 : f32
    %div = arith.divf %c, %a : f32
    %c_2 = arith.constant 0.0 : f32
    %olt = arith.cmpf olt, %div, %c_2 : f32
    %neg = arith.negf %abs : f32
    %sel = arith.select %olt, %neg, %abs : f32
    linalg.yield %sel : f32
  } -> tensor<840xf32>
  return %r : tensor<840xf32>
}

// The sign of x * |x| by a comparison. Shows for x from -1e-23 to -0.
func.func @wrong_square(%x: tensor<840xf32>, %y: tensor<840xf32>) -> tensor<840xf32> {
  %e = tensor.empty() : tensor<840xf32>
  %r = linalg.generic #each ins(%x, %y : tensor<840xf32>, tensor<840xf32>) outs(%e : tensor<840xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %abs = math.absf %b : f32
    %abs_2 = math.absf %a : f32
    %mul = arith.mulf %a, %abs_2 : f32
    %c = arith.constant 0.0 : f32
    %olt = arith.cmpf olt, %mul, %c : f32
    %neg = arith.negf %abs : f32
    %sel = arith.select %olt, %neg, %abs : f32
    linalg.yield %sel : f32
  } -> tensor<840xf32>
  return %r : tensor<840xf32>
}

// Positive where |x| is below 1e-30. Shows for x from -1e-30 to -0.
func.func @wrong_dead_zone(%x: tensor<840xf32>, %y: tensor<840xf32>) -> tensor<840xf32> {
  %e = tensor.empty() : tensor<840xf32>
  %r = linalg.generic #each ins(%x, %y : tensor<840xf32>, tensor<840xf32>) outs(%e : tensor<840xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %abs = math.absf %b : f32
    %c = arith.constant -1.0e-30 : f32
    %olt = arith.cmpf olt, %a, %c : f32
    %neg = arith.negf %abs : f32
    %sel = arith.select %olt, %neg, %abs : f32
    linalg.yield %sel : f32
  } -> tensor<840xf32>
  return %r : tensor<840xf32>
}

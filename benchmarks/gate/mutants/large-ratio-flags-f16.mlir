// (x / y) * z, f16, with leave to reassociate and to use reciprocals: any order of the
// factors is right, overflow or lost digits between them included.

#each = {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
  iterator_types = ["parallel"]}

func.func @kernel(%x: tensor<640xf16>, %y: tensor<640xf16>, %z: tensor<640xf16>) -> tensor<640xf16> {
  %e = tensor.empty() : tensor<640xf16>
  %r = linalg.generic #each ins(%x, %y, %z : tensor<640xf16>, tensor<640xf16>, tensor<640xf16>) outs(%e : tensor<640xf16>) {
  ^bb0(%a: f16, %b: f16, %c: f16, %o: f16):
    %div = arith.divf %a, %b fastmath<reassoc,arcp> : f16
    %mul = arith.mulf %div, %c fastmath<reassoc,arcp> : f16
    linalg.yield %mul : f16
  } -> tensor<640xf16>
  return %r : tensor<640xf16>
}

// (x * z) / y.
func.func @right_product_first(%x: tensor<640xf16>, %y: tensor<640xf16>, %z: tensor<640xf16>) -> tensor<640xf16> {
  %e = tensor.empty() : tensor<640xf16>
  %r = linalg.generic #each ins(%x, %y, %z : tensor<640xf16>, tensor<640xf16>, tensor<640xf16>) outs(%e : tensor<640xf16>) {
  ^bb0(%a: f16, %b: f16, %c: f16, %o: f16):
    %mul = arith.mulf %a, %c fastmath<reassoc,arcp> : f16
    %div = arith.divf %mul, %b fastmath<reassoc,arcp> : f16
    linalg.yield %div : f16
  } -> tensor<640xf16>
  return %r : tensor<640xf16>
}

// x * (z / y).
func.func @right_other_quotient(%x: tensor<640xf16>, %y: tensor<640xf16>, %z: tensor<640xf16>) -> tensor<640xf16> {
  %e = tensor.empty() : tensor<640xf16>
  %r = linalg.generic #each ins(%x, %y, %z : tensor<640xf16>, tensor<640xf16>, tensor<640xf16>) outs(%e : tensor<640xf16>) {
  ^bb0(%a: f16, %b: f16, %c: f16, %o: f16):
    %div = arith.divf %c, %b fastmath<reassoc,arcp> : f16
    %mul = arith.mulf %a, %div fastmath<reassoc,arcp> : f16
    linalg.yield %mul : f16
  } -> tensor<640xf16>
  return %r : tensor<640xf16>
}

// x * (1 / y) * z.
func.func @right_reciprocal(%x: tensor<640xf16>, %y: tensor<640xf16>, %z: tensor<640xf16>) -> tensor<640xf16> {
  %e = tensor.empty() : tensor<640xf16>
  %r = linalg.generic #each ins(%x, %y, %z : tensor<640xf16>, tensor<640xf16>, tensor<640xf16>) outs(%e : tensor<640xf16>) {
  ^bb0(%a: f16, %b: f16, %c: f16, %o: f16):
    %c_2 = arith.constant 1.0 : f16
    %div = arith.divf %c_2, %b fastmath<reassoc,arcp> : f16
    %mul = arith.mulf %a, %div fastmath<reassoc,arcp> : f16
    %mul_2 = arith.mulf %mul, %c fastmath<reassoc,arcp> : f16
    linalg.yield %mul_2 : f16
  } -> tensor<640xf16>
  return %r : tensor<640xf16>
}

// x * z * (1 / y), the flags gone from the operations.
func.func @right_plain(%x: tensor<640xf16>, %y: tensor<640xf16>, %z: tensor<640xf16>) -> tensor<640xf16> {
  %e = tensor.empty() : tensor<640xf16>
  %r = linalg.generic #each ins(%x, %y, %z : tensor<640xf16>, tensor<640xf16>, tensor<640xf16>) outs(%e : tensor<640xf16>) {
  ^bb0(%a: f16, %b: f16, %c: f16, %o: f16):
    %mul = arith.mulf %a, %c : f16
    %c_2 = arith.constant 1.0 : f16
    %div = arith.divf %c_2, %b : f16
    %mul_2 = arith.mulf %mul, %div : f16
    linalg.yield %mul_2 : f16
  } -> tensor<640xf16>
  return %r : tensor<640xf16>
}

// Bounds the result by 65504. Shows above: infinity is due.
func.func @wrong_saturates(%x: tensor<640xf16>, %y: tensor<640xf16>, %z: tensor<640xf16>) -> tensor<640xf16> {
  %e = tensor.empty() : tensor<640xf16>
  %r = linalg.generic #each ins(%x, %y, %z : tensor<640xf16>, tensor<640xf16>, tensor<640xf16>) outs(%e : tensor<640xf16>) {
  ^bb0(%a: f16, %b: f16, %c: f16, %o: f16):
    %div = arith.divf %a, %b fastmath<reassoc,arcp> : f16
    %mul = arith.mulf %div, %c fastmath<reassoc,arcp> : f16
    %c_2 = arith.constant -65500.0 : f16
    %max = arith.maximumf %mul, %c_2 : f16
    %c_3 = arith.constant 65500.0 : f16
    %min = arith.minimumf %max, %c_3 : f16
    linalg.yield %min : f16
  } -> tensor<640xf16>
  return %r : tensor<640xf16>
}

// A divisor of at least 0.001, but for 0. Shows for smaller y.
func.func @wrong_divisor_floor(%x: tensor<640xf16>, %y: tensor<640xf16>, %z: tensor<640xf16>) -> tensor<640xf16> {
  %e = tensor.empty() : tensor<640xf16>
  %r = linalg.generic #each ins(%x, %y, %z : tensor<640xf16>, tensor<640xf16>, tensor<640xf16>) outs(%e : tensor<640xf16>) {
  ^bb0(%a: f16, %b: f16, %c: f16, %o: f16):
    %abs = math.absf %b : f16
    %c_2 = arith.constant 0.001 : f16
    %max = arith.maximumf %abs, %c_2 : f16
    %sgn = math.copysign %max, %b : f16
    %c_3 = arith.constant 0.0 : f16
    %oeq = arith.cmpf oeq, %abs, %c_3 : f16
    %sel = arith.select %oeq, %b, %sgn : f16
    %div = arith.divf %a, %sel : f16
    %mul = arith.mulf %div, %c : f16
    linalg.yield %mul : f16
  } -> tensor<640xf16>
  return %r : tensor<640xf16>
}

// Quotients below 2^-10 are taken for 0, normal numbers too. Shows there.
func.func @wrong_flush(%x: tensor<640xf16>, %y: tensor<640xf16>, %z: tensor<640xf16>) -> tensor<640xf16> {
  %e = tensor.empty() : tensor<640xf16>
  %r = linalg.generic #each ins(%x, %y, %z : tensor<640xf16>, tensor<640xf16>, tensor<640xf16>) outs(%e : tensor<640xf16>) {
  ^bb0(%a: f16, %b: f16, %c: f16, %o: f16):
    %div = arith.divf %a, %b : f16
    %abs = math.absf %div : f16
    %c_2 = arith.constant 9.77e-4 : f16
    %olt = arith.cmpf olt, %abs, %c_2 : f16
    %c_3 = arith.constant 0.0 : f16
    %sel = arith.select %olt, %c_3, %div : f16
    %mul = arith.mulf %sel, %c : f16
    linalg.yield %mul : f16
  } -> tensor<640xf16>
  return %r : tensor<640xf16>
}

// x * y / (y * y) * z. Shows for y above 256 and below 0.008.
func.func @wrong_squared_divisor(%x: tensor<640xf16>, %y: tensor<640xf16>, %z: tensor<640xf16>) -> tensor<640xf16> {
  %e = tensor.empty() : tensor<640xf16>
  %r = linalg.generic #each ins(%x, %y, %z : tensor<640xf16>, tensor<640xf16>, tensor<640xf16>) outs(%e : tensor<640xf16>) {
  ^bb0(%a: f16, %b: f16, %c: f16, %o: f16):
    %mul = arith.mulf %a, %b : f16
    %mul_2 = arith.mulf %b, %b : f16
    %div = arith.divf %mul, %mul_2 : f16
    %mul_3 = arith.mulf %div, %c : f16
    linalg.yield %mul_3 : f16
  } -> tensor<640xf16>
  return %r : tensor<640xf16>
}

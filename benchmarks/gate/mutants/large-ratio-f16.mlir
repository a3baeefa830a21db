// (x / y) * z, f16, where x * z, z / y or y / z may not fit.

#each = {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
  iterator_types = ["parallel"]}

func.func @kernel(%x: tensor<640xf16>, %y: tensor<640xf16>, %z: tensor<640xf16>) -> tensor<640xf16> {
  %e = tensor.empty() : tensor<640xf16>
  %r = linalg.generic #each ins(%x, %y, %z : tensor<640xf16>, tensor<640xf16>, tensor<640xf16>) outs(%e : tensor<640xf16>) {
  ^bb0(%a: f16, %b: f16, %c: f16, %o: f16):
    %div = arith.divf %a, %b : f16
    %mul = arith.mulf %div, %c : f16
    linalg.yield %mul : f16
  } -> tensor<640xf16>
  return %r : tensor<640xf16>
}

// In f32.
func.func @right_f32(%x: tensor<640xf16>, %y: tensor<640xf16>, %z: tensor<640xf16>) -> tensor<640xf16> {
  %e = tensor.empty() : tensor<640xf16>
  %r = linalg.generic #each ins(%x, %y, %z : tensor<640xf16>, tensor<640xf16>, tensor<640xf16>) outs(%e : tensor<640xf16>) {
  ^bb0(%a: f16, %b: f16, %c: f16, %o: f16):
    %wide = arith.extf %a : f16 to f32
    %wide_2 = arith.extf %b : f16 to f32
    %div = arith.divf %wide, %wide_2 : f32
    %wide_3 = arith.extf %c : f16 to f32
    %mul = arith.mulf %div, %wide_3 : f32
    %cut = arith.truncf %mul : f32 to f16
    linalg.yield %cut : f16
  } -> tensor<640xf16>
  return %r : tensor<640xf16>
}

// The product first, in f32, where it fits.
func.func @right_f32_product(%x: tensor<640xf16>, %y: tensor<640xf16>, %z: tensor<640xf16>) -> tensor<640xf16> {
  %e = tensor.empty() : tensor<640xf16>
  %r = linalg.generic #each ins(%x, %y, %z : tensor<640xf16>, tensor<640xf16>, tensor<640xf16>) outs(%e : tensor<640xf16>) {
  ^bb0(%a: f16, %b: f16, %c: f16, %o: f16):
    %wide = arith.extf %a : f16 to f32
    %wide_2 = arith.extf %b : f16 to f32
    %wide_3 = arith.extf %c : f16 to f32
    %mul = arith.mulf %wide, %wide_3 : f32
    %div = arith.divf %mul, %wide_2 : f32
    %cut = arith.truncf %div : f32 to f16
    linalg.yield %cut : f16
  } -> tensor<640xf16>
  return %r : tensor<640xf16>
}

// Both terms of the quotient negated.
func.func @right_signs(%x: tensor<640xf16>, %y: tensor<640xf16>, %z: tensor<640xf16>) -> tensor<640xf16> {
  %e = tensor.empty() : tensor<640xf16>
  %r = linalg.generic #each ins(%x, %y, %z : tensor<640xf16>, tensor<640xf16>, tensor<640xf16>) outs(%e : tensor<640xf16>) {
  ^bb0(%a: f16, %b: f16, %c: f16, %o: f16):
    %neg = arith.negf %a : f16
    %neg_2 = arith.negf %b : f16
    %div = arith.divf %neg, %neg_2 : f16
    %mul = arith.mulf %div, %c : f16
    linalg.yield %mul : f16
  } -> tensor<640xf16>
  return %r : tensor<640xf16>
}

// (x * z) / y. Shows where x * z is above 65504 or below 6e-5.
func.func @wrong_product_first(%x: tensor<640xf16>, %y: tensor<640xf16>, %z: tensor<640xf16>) -> tensor<640xf16> {
  %e = tensor.empty() : tensor<640xf16>
  %r = linalg.generic #each ins(%x, %y, %z : tensor<640xf16>, tensor<640xf16>, tensor<640xf16>) outs(%e : tensor<640xf16>) {
  ^bb0(%a: f16, %b: f16, %c: f16, %o: f16):
    %mul = arith.mulf %a, %c : f16
    %div = arith.divf %mul, %b : f16
    linalg.yield %div : f16
  } -> tensor<640xf16>
  return %r : tensor<640xf16>
}

// x * (z / y). Shows where z / y is above 65504 or below 6e-5.
func.func @wrong_other_quotient(%x: tensor<640xf16>, %y: tensor<640xf16>, %z: tensor<640xf16>) -> tensor<640xf16> {
  %e = tensor.empty() : tensor<640xf16>
  %r = linalg.generic #each ins(%x, %y, %z : tensor<640xf16>, tensor<640xf16>, tensor<640xf16>) outs(%e : tensor<640xf16>) {
  ^bb0(%a: f16, %b: f16, %c: f16, %o: f16):
    %div = arith.divf %c, %b : f16
    %mul = arith.mulf %a, %div : f16
    linalg.yield %mul : f16
  } -> tensor<640xf16>
  return %r : tensor<640xf16>
}

// x * (1 / y) * z. Shows for y above 16384: 1 / y has few digits there.
func.func @wrong_reciprocal(%x: tensor<640xf16>, %y: tensor<640xf16>, %z: tensor<640xf16>) -> tensor<640xf16> {
  %e = tensor.empty() : tensor<640xf16>
  %r = linalg.generic #each ins(%x, %y, %z : tensor<640xf16>, tensor<640xf16>, tensor<640xf16>) outs(%e : tensor<640xf16>) {
  ^bb0(%a: f16, %b: f16, %c: f16, %o: f16):
    %c_2 = arith.constant 1.0 : f16
    %div = arith.divf %c_2, %b : f16
    %mul = arith.mulf %a, %div : f16
    %mul_2 = arith.mulf %mul, %c : f16
    linalg.yield %mul_2 : f16
  } -> tensor<640xf16>
  return %r : tensor<640xf16>
}

// x / (y / z). Shows where y / z is below 6e-5 or above 65504.
func.func @wrong_two_quotients(%x: tensor<640xf16>, %y: tensor<640xf16>, %z: tensor<640xf16>) -> tensor<640xf16> {
  %e = tensor.empty() : tensor<640xf16>
  %r = linalg.generic #each ins(%x, %y, %z : tensor<640xf16>, tensor<640xf16>, tensor<640xf16>) outs(%e : tensor<640xf16>) {
  ^bb0(%a: f16, %b: f16, %c: f16, %o: f16):
    %div = arith.divf %b, %c : f16
    %div_2 = arith.divf %a, %div : f16
    linalg.yield %div_2 : f16
  } -> tensor<640xf16>
  return %r : tensor<640xf16>
}

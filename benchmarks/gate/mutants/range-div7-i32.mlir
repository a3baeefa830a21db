// x / 7 of i32, rounded towards zero.

#each = {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
  iterator_types = ["parallel"]}

func.func @kernel(%x: tensor<1024xi32>) -> tensor<1024xi32> {
  %e = tensor.empty() : tensor<1024xi32>
  %r = linalg.generic #each ins(%x : tensor<1024xi32>) outs(%e : tensor<1024xi32>) {
  ^bb0(%a: i32, %o: i32):
    %c7 = arith.constant 7 : i32
    %div = arith.divsi %a, %c7 : i32
    linalg.yield %div : i32
  } -> tensor<1024xi32>
  return %r : tensor<1024xi32>
}

// Multiply-high by the signed reciprocal of 32 bits, with the addition of x that it needs.
func.func @right_multiply(%x: tensor<1024xi32>) -> tensor<1024xi32> {
  %e = tensor.empty() : tensor<1024xi32>
  %r = linalg.generic #each ins(%x : tensor<1024xi32>) outs(%e : tensor<1024xi32>) {
  ^bb0(%a: i32, %o: i32):
    %ext = arith.extsi %a : i32 to i64
    %cm1840700269 = arith.constant -1840700269 : i64
    %mul = arith.muli %ext, %cm1840700269 : i64
    %c32 = arith.constant 32 : i64
    %sar = arith.shrsi %mul, %c32 : i64
    %cut = arith.trunci %sar : i64 to i32
    %add = arith.addi %cut, %a : i32
    %c2 = arith.constant 2 : i32
    %sar_2 = arith.shrsi %add, %c2 : i32
    %c31 = arith.constant 31 : i32
    %shr = arith.shrui %a, %c31 : i32
    %add_2 = arith.addi %sar_2, %shr : i32
    linalg.yield %add_2 : i32
  } -> tensor<1024xi32>
  return %r : tensor<1024xi32>
}

// The quotient in f64 never rounds up to an integer.
func.func @right_f64(%x: tensor<1024xi32>) -> tensor<1024xi32> {
  %e = tensor.empty() : tensor<1024xi32>
  %r = linalg.generic #each ins(%x : tensor<1024xi32>) outs(%e : tensor<1024xi32>) {
  ^bb0(%a: i32, %o: i32):
    %float = arith.sitofp %a : i32 to f64
    %f = arith.constant 7.0 : f64
    %div = arith.divf %float, %f : f64
    %int = arith.fptosi %div : f64 to i32
    linalg.yield %int : i32
  } -> tensor<1024xi32>
  return %r : tensor<1024xi32>
}

// Divides the magnitude as unsigned.
func.func @right_magnitude(%x: tensor<1024xi32>) -> tensor<1024xi32> {
  %e = tensor.empty() : tensor<1024xi32>
  %r = linalg.generic #each ins(%x : tensor<1024xi32>) outs(%e : tensor<1024xi32>) {
  ^bb0(%a: i32, %o: i32):
    %abs = math.absi %a : i32
    %c7 = arith.constant 7 : i32
    %div = arith.divui %abs, %c7 : i32
    %c0 = arith.constant 0 : i32
    %slt = arith.cmpi slt, %a, %c0 : i32
    %sub = arith.subi %c0, %div : i32
    %sel = arith.select %slt, %sub, %div : i32
    linalg.yield %sel : i32
  } -> tensor<1024xi32>
  return %r : tensor<1024xi32>
}

// Multiplies the magnitude by 2^32 / 7 rounded up. Shows only for magnitudes above 1.43e9, 6 modulo 7.
func.func @wrong_short_multiply(%x: tensor<1024xi32>) -> tensor<1024xi32> {
  %e = tensor.empty() : tensor<1024xi32>
  %r = linalg.generic #each ins(%x : tensor<1024xi32>) outs(%e : tensor<1024xi32>) {
  ^bb0(%a: i32, %o: i32):
    %abs = math.absi %a : i32
    %ext = arith.extui %abs : i32 to i64
    %c613566757 = arith.constant 613566757 : i64
    %mul = arith.muli %ext, %c613566757 : i64
    %c32 = arith.constant 32 : i64
    %shr = arith.shrui %mul, %c32 : i64
    %cut = arith.trunci %shr : i64 to i32
    %c0 = arith.constant 0 : i32
    %slt = arith.cmpi slt, %a, %c0 : i32
    %sub = arith.subi %c0, %cut : i32
    %sel = arith.select %slt, %sub, %cut : i32
    linalg.yield %sel : i32
  } -> tensor<1024xi32>
  return %r : tensor<1024xi32>
}

// Multiplies the magnitude by 65536 / 7 rounded up. Shows for magnitudes above 13100.
func.func @wrong_u16_multiply(%x: tensor<1024xi32>) -> tensor<1024xi32> {
  %e = tensor.empty() : tensor<1024xi32>
  %r = linalg.generic #each ins(%x : tensor<1024xi32>) outs(%e : tensor<1024xi32>) {
  ^bb0(%a: i32, %o: i32):
    %abs = math.absi %a : i32
    %ext = arith.extui %abs : i32 to i64
    %c9363 = arith.constant 9363 : i64
    %mul = arith.muli %ext, %c9363 : i64
    %c16 = arith.constant 16 : i64
    %shr = arith.shrui %mul, %c16 : i64
    %cut = arith.trunci %shr : i64 to i32
    %c0 = arith.constant 0 : i32
    %slt = arith.cmpi slt, %a, %c0 : i32
    %sub = arith.subi %c0, %cut : i32
    %sel = arith.select %slt, %sub, %cut : i32
    linalg.yield %sel : i32
  } -> tensor<1024xi32>
  return %r : tensor<1024xi32>
}

// Divides in f32. Shows beyond 2^24.
func.func @wrong_f32(%x: tensor<1024xi32>) -> tensor<1024xi32> {
  %e = tensor.empty() : tensor<1024xi32>
  %r = linalg.generic #each ins(%x : tensor<1024xi32>) outs(%e : tensor<1024xi32>) {
  ^bb0(%a: i32, %o: i32):
    %float = arith.sitofp %a : i32 to f32
    %f = arith.constant 7.0 : f32
    %div = arith.divf %float, %f : f32
    %int = arith.fptosi %div : f32 to i32
    linalg.yield %int : i32
  } -> tensor<1024xi32>
  return %r : tensor<1024xi32>
}

// Divides the magnitude as signed. Shows only for x = -2^31.
func.func @wrong_signed_magnitude(%x: tensor<1024xi32>) -> tensor<1024xi32> {
  %e = tensor.empty() : tensor<1024xi32>
  %r = linalg.generic #each ins(%x : tensor<1024xi32>) outs(%e : tensor<1024xi32>) {
  ^bb0(%a: i32, %o: i32):
    %abs = math.absi %a : i32
    %c7 = arith.constant 7 : i32
    %div = arith.divsi %abs, %c7 : i32
    %c0 = arith.constant 0 : i32
    %slt = arith.cmpi slt, %a, %c0 : i32
    %sub = arith.subi %c0, %div : i32
    %sel = arith.select %slt, %sub, %div : i32
    linalg.yield %sel : i32
  } -> tensor<1024xi32>
  return %r : tensor<1024xi32>
}

// Divides in i16. Shows beyond 32767.
func.func @wrong_i16(%x: tensor<1024xi32>) -> tensor<1024xi32> {
  %e = tensor.empty() : tensor<1024xi32>
  %r = linalg.generic #each ins(%x : tensor<1024xi32>) outs(%e : tensor<1024xi32>) {
  ^bb0(%a: i32, %o: i32):
    %cut = arith.trunci %a : i32 to i16
    %c7 = arith.constant 7 : i16
    %div = arith.divsi %cut, %c7 : i16
    %ext = arith.extsi %div : i16 to i32
    linalg.yield %ext : i32
  } -> tensor<1024xi32>
  return %r : tensor<1024xi32>
}

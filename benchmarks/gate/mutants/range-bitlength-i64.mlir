// Number of bits of the magnitude of i64: 0 for 0, 64 for -2^63.

#each = {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
  iterator_types = ["parallel"]}

func.func @kernel(%x: tensor<512xi64>) -> tensor<512xi64> {
  %e = tensor.empty() : tensor<512xi64>
  %r = linalg.generic #each ins(%x : tensor<512xi64>) outs(%e : tensor<512xi64>) {
  ^bb0(%a: i64, %o: i64):
    %abs = math.absi %a : i64
    %ctlz = math.ctlz %abs : i64
    %c64 = arith.constant 64 : i64
    %sub = arith.subi %c64, %ctlz : i64
    linalg.yield %sub : i64
  } -> tensor<512xi64>
  return %r : tensor<512xi64>
}

// The high word first, then the low one.
func.func @right_halves(%x: tensor<512xi64>) -> tensor<512xi64> {
  %e = tensor.empty() : tensor<512xi64>
  %r = linalg.generic #each ins(%x : tensor<512xi64>) outs(%e : tensor<512xi64>) {
  ^bb0(%a: i64, %o: i64):
    %abs = math.absi %a : i64
    %c32 = arith.constant 32 : i64
    %shr = arith.shrui %abs, %c32 : i64
    %cut = arith.trunci %shr : i64 to i32
    %cut_2 = arith.trunci %abs : i64 to i32
    %c0 = arith.constant 0 : i32
    %ne = arith.cmpi ne, %cut, %c0 : i32
    %ctlz = math.ctlz %cut : i32
    %c64 = arith.constant 64 : i32
    %sub = arith.subi %c64, %ctlz : i32
    %ctlz_2 = math.ctlz %cut_2 : i32
    %c32_2 = arith.constant 32 : i32
    %sub_2 = arith.subi %c32_2, %ctlz_2 : i32
    %sel = arith.select %ne, %sub, %sub_2 : i32
    %ext = arith.extui %sel : i32 to i64
    linalg.yield %ext : i64
  } -> tensor<512xi64>
  return %r : tensor<512xi64>
}

// Fills all bits below the highest one and counts.
func.func @right_smear(%x: tensor<512xi64>) -> tensor<512xi64> {
  %e = tensor.empty() : tensor<512xi64>
  %r = linalg.generic #each ins(%x : tensor<512xi64>) outs(%e : tensor<512xi64>) {
  ^bb0(%a: i64, %o: i64):
    %abs = math.absi %a : i64
    %c1 = arith.constant 1 : i64
    %shr = arith.shrui %abs, %c1 : i64
    %or = arith.ori %abs, %shr : i64
    %c2 = arith.constant 2 : i64
    %shr_2 = arith.shrui %or, %c2 : i64
    %or_2 = arith.ori %or, %shr_2 : i64
    %c4 = arith.constant 4 : i64
    %shr_3 = arith.shrui %or_2, %c4 : i64
    %or_3 = arith.ori %or_2, %shr_3 : i64
    %c8 = arith.constant 8 : i64
    %shr_4 = arith.shrui %or_3, %c8 : i64
    %or_4 = arith.ori %or_3, %shr_4 : i64
    %c16 = arith.constant 16 : i64
    %shr_5 = arith.shrui %or_4, %c16 : i64
    %or_5 = arith.ori %or_4, %shr_5 : i64
    %c32 = arith.constant 32 : i64
    %shr_6 = arith.shrui %or_5, %c32 : i64
    %or_6 = arith.ori %or_5, %shr_6 : i64
    %ctpop = math.ctpop %or_6 : i64
    linalg.yield %ctpop : i64
  } -> tensor<512xi64>
  return %r : tensor<512xi64>
}

// Looks at the low word alone. Shows from 2^32.
func.func @wrong_low_word(%x: tensor<512xi64>) -> tensor<512xi64> {
  %e = tensor.empty() : tensor<512xi64>
  %r = linalg.generic #each ins(%x : tensor<512xi64>) outs(%e : tensor<512xi64>) {
  ^bb0(%a: i64, %o: i64):
    %abs = math.absi %a : i64
    %cut = arith.trunci %abs : i64 to i32
    %ctlz = math.ctlz %cut : i32
    %c32 = arith.constant 32 : i32
    %sub = arith.subi %c32, %ctlz : i32
    %ext = arith.extui %sub : i32 to i64
    linalg.yield %ext : i64
  } -> tensor<512xi64>
  return %r : tensor<512xi64>
}

// Reads the exponent of the f64. Shows only where the magnitude rounds up to a power of two, as 2^63 - 1.
func.func @wrong_f64_exponent(%x: tensor<512xi64>) -> tensor<512xi64> {
  %e = tensor.empty() : tensor<512xi64>
  %r = linalg.generic #each ins(%x : tensor<512xi64>) outs(%e : tensor<512xi64>) {
  ^bb0(%a: i64, %o: i64):
    %abs = math.absi %a : i64
    %float = arith.uitofp %abs : i64 to f64
    %bitcast = arith.bitcast %float : f64 to i64
    %c52 = arith.constant 52 : i64
    %shr = arith.shrui %bitcast, %c52 : i64
    %c1022 = arith.constant 1022 : i64
    %sub = arith.subi %shr, %c1022 : i64
    %c0 = arith.constant 0 : i64
    %eq = arith.cmpi eq, %abs, %c0 : i64
    %sel = arith.select %eq, %c0, %sub : i64
    linalg.yield %sel : i64
  } -> tensor<512xi64>
  return %r : tensor<512xi64>
}

// Reads the exponent of the f32. Shows only where the magnitude rounds up to a power of two, as 2^25 - 1.
func.func @wrong_f32_exponent(%x: tensor<512xi64>) -> tensor<512xi64> {
  %e = tensor.empty() : tensor<512xi64>
  %r = linalg.generic #each ins(%x : tensor<512xi64>) outs(%e : tensor<512xi64>) {
  ^bb0(%a: i64, %o: i64):
    %abs = math.absi %a : i64
    %float = arith.uitofp %abs : i64 to f32
    %bitcast = arith.bitcast %float : f32 to i32
    %c23 = arith.constant 23 : i32
    %shr = arith.shrui %bitcast, %c23 : i32
    %c126 = arith.constant 126 : i32
    %sub = arith.subi %shr, %c126 : i32
    %ext = arith.extui %sub : i32 to i64
    %c0 = arith.constant 0 : i64
    %eq = arith.cmpi eq, %abs, %c0 : i64
    %sel = arith.select %eq, %c0, %ext : i64
    linalg.yield %sel : i64
  } -> tensor<512xi64>
  return %r : tensor<512xi64>
}

// The magnitude saturates at 2^63 - 1. Shows only for -2^63: 63 for 64.
func.func @wrong_saturate(%x: tensor<512xi64>) -> tensor<512xi64> {
  %e = tensor.empty() : tensor<512xi64>
  %r = linalg.generic #each ins(%x : tensor<512xi64>) outs(%e : tensor<512xi64>) {
  ^bb0(%a: i64, %o: i64):
    %abs = math.absi %a : i64
    %c0 = arith.constant 0 : i64
    %slt = arith.cmpi slt, %abs, %c0 : i64
    %c9223372036854775807 = arith.constant 9223372036854775807 : i64
    %sel = arith.select %slt, %c9223372036854775807, %abs : i64
    %ctlz = math.ctlz %sel : i64
    %c64 = arith.constant 64 : i64
    %sub = arith.subi %c64, %ctlz : i64
    linalg.yield %sub : i64
  } -> tensor<512xi64>
  return %r : tensor<512xi64>
}

// x * y + x in i64, wrapping.

#each = {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
  iterator_types = ["parallel"]}

func.func @kernel(%x: tensor<512xi64>, %y: tensor<512xi64>) -> tensor<512xi64> {
  %e = tensor.empty() : tensor<512xi64>
  %r = linalg.generic #each ins(%x, %y : tensor<512xi64>, tensor<512xi64>) outs(%e : tensor<512xi64>) {
  ^bb0(%a: i64, %b: i64, %o: i64):
    %mul = arith.muli %a, %b : i64
    %add = arith.addi %mul, %a : i64
    linalg.yield %add : i64
  } -> tensor<512xi64>
  return %r : tensor<512xi64>
}

// x * (y + 1) wraps to the same bits.
func.func @right_factored(%x: tensor<512xi64>, %y: tensor<512xi64>) -> tensor<512xi64> {
  %e = tensor.empty() : tensor<512xi64>
  %r = linalg.generic #each ins(%x, %y : tensor<512xi64>, tensor<512xi64>) outs(%e : tensor<512xi64>) {
  ^bb0(%a: i64, %b: i64, %o: i64):
    %c1 = arith.constant 1 : i64
    %add = arith.addi %b, %c1 : i64
    %mul = arith.muli %a, %add : i64
    linalg.yield %mul : i64
  } -> tensor<512xi64>
  return %r : tensor<512xi64>
}

// Unsigned halves of 32 bits. The product of the high halves falls out.
func.func @right_limbs(%x: tensor<512xi64>, %y: tensor<512xi64>) -> tensor<512xi64> {
  %e = tensor.empty() : tensor<512xi64>
  %r = linalg.generic #each ins(%x, %y : tensor<512xi64>, tensor<512xi64>) outs(%e : tensor<512xi64>) {
  ^bb0(%a: i64, %b: i64, %o: i64):
    %c4294967295 = arith.constant 4294967295 : i64
    %and = arith.andi %a, %c4294967295 : i64
    %and_2 = arith.andi %b, %c4294967295 : i64
    %mul = arith.muli %and, %and_2 : i64
    %c32 = arith.constant 32 : i64
    %shr = arith.shrui %b, %c32 : i64
    %mul_2 = arith.muli %and, %shr : i64
    %shr_2 = arith.shrui %a, %c32 : i64
    %mul_3 = arith.muli %shr_2, %and_2 : i64
    %add = arith.addi %mul_2, %mul_3 : i64
    %shl = arith.shli %add, %c32 : i64
    %add_2 = arith.addi %mul, %shl : i64
    %add_3 = arith.addi %add_2, %a : i64
    linalg.yield %add_3 : i64
  } -> tensor<512xi64>
  return %r : tensor<512xi64>
}

// The low word of the unsigned product of 128 bits.
func.func @right_extended(%x: tensor<512xi64>, %y: tensor<512xi64>) -> tensor<512xi64> {
  %e = tensor.empty() : tensor<512xi64>
  %r = linalg.generic #each ins(%x, %y : tensor<512xi64>, tensor<512xi64>) outs(%e : tensor<512xi64>) {
  ^bb0(%a: i64, %b: i64, %o: i64):
    %lo, %hi = arith.mului_extended %a, %b : i64
    %add = arith.addi %lo, %a : i64
    linalg.yield %add : i64
  } -> tensor<512xi64>
  return %r : tensor<512xi64>
}

// Multiplies in i32. Shows when |x * y| passes 2^31.
func.func @wrong_i32(%x: tensor<512xi64>, %y: tensor<512xi64>) -> tensor<512xi64> {
  %e = tensor.empty() : tensor<512xi64>
  %r = linalg.generic #each ins(%x, %y : tensor<512xi64>, tensor<512xi64>) outs(%e : tensor<512xi64>) {
  ^bb0(%a: i64, %b: i64, %o: i64):
    %cut = arith.trunci %a : i64 to i32
    %cut_2 = arith.trunci %b : i64 to i32
    %mul = arith.muli %cut, %cut_2 : i32
    %ext = arith.extsi %mul : i32 to i64
    %add = arith.addi %ext, %a : i64
    linalg.yield %add : i64
  } -> tensor<512xi64>
  return %r : tensor<512xi64>
}

// Multiplies the low words as signed numbers of 32 bits. Shows for x or y beyond 2^31.
func.func @wrong_low_words(%x: tensor<512xi64>, %y: tensor<512xi64>) -> tensor<512xi64> {
  %e = tensor.empty() : tensor<512xi64>
  %r = linalg.generic #each ins(%x, %y : tensor<512xi64>, tensor<512xi64>) outs(%e : tensor<512xi64>) {
  ^bb0(%a: i64, %b: i64, %o: i64):
    %cut = arith.trunci %a : i64 to i32
    %ext = arith.extsi %cut : i32 to i64
    %cut_2 = arith.trunci %b : i64 to i32
    %ext_2 = arith.extsi %cut_2 : i32 to i64
    %mul = arith.muli %ext, %ext_2 : i64
    %add = arith.addi %mul, %a : i64
    linalg.yield %add : i64
  } -> tensor<512xi64>
  return %r : tensor<512xi64>
}

// Multiplies in f64. Shows when |x * y| passes 2^53.
func.func @wrong_f64(%x: tensor<512xi64>, %y: tensor<512xi64>) -> tensor<512xi64> {
  %e = tensor.empty() : tensor<512xi64>
  %r = linalg.generic #each ins(%x, %y : tensor<512xi64>, tensor<512xi64>) outs(%e : tensor<512xi64>) {
  ^bb0(%a: i64, %b: i64, %o: i64):
    %float = arith.sitofp %a : i64 to f64
    %float_2 = arith.sitofp %b : i64 to f64
    %mul = arith.mulf %float, %float_2 : f64
    %f = arith.constant 9223372036854774784.0 : f64
    %min = arith.minimumf %mul, %f : f64
    %f_2 = arith.constant -9223372036854775808.0 : f64
    %max = arith.maximumf %min, %f_2 : f64
    %int = arith.fptosi %max : f64 to i64
    %add = arith.addi %int, %a : i64
    linalg.yield %add : i64
  } -> tensor<512xi64>
  return %r : tensor<512xi64>
}

// Signed halves, with one of the two cross products forgotten. Shows for x beyond 2^31.
func.func @wrong_one_cross(%x: tensor<512xi64>, %y: tensor<512xi64>) -> tensor<512xi64> {
  %e = tensor.empty() : tensor<512xi64>
  %r = linalg.generic #each ins(%x, %y : tensor<512xi64>, tensor<512xi64>) outs(%e : tensor<512xi64>) {
  ^bb0(%a: i64, %b: i64, %o: i64):
    %cut = arith.trunci %a : i64 to i32
    %ext = arith.extsi %cut : i32 to i64
    %cut_2 = arith.trunci %b : i64 to i32
    %ext_2 = arith.extsi %cut_2 : i32 to i64
    %mul = arith.muli %ext, %ext_2 : i64
    %sub = arith.subi %b, %ext_2 : i64
    %c32 = arith.constant 32 : i64
    %sar = arith.shrsi %sub, %c32 : i64
    %mul_2 = arith.muli %ext, %sar : i64
    %shl = arith.shli %mul_2, %c32 : i64
    %add = arith.addi %mul, %shl : i64
    %add_2 = arith.addi %add, %a : i64
    linalg.yield %add_2 : i64
  } -> tensor<512xi64>
  return %r : tensor<512xi64>
}

// The product saturates. Shows when it leaves i64.
func.func @wrong_saturate(%x: tensor<512xi64>, %y: tensor<512xi64>) -> tensor<512xi64> {
  %e = tensor.empty() : tensor<512xi64>
  %r = linalg.generic #each ins(%x, %y : tensor<512xi64>, tensor<512xi64>) outs(%e : tensor<512xi64>) {
  ^bb0(%a: i64, %b: i64, %o: i64):
    %lo, %hi = arith.mulsi_extended %a, %b : i64
    %c63 = arith.constant 63 : i64
    %sar = arith.shrsi %lo, %c63 : i64
    %ne = arith.cmpi ne, %hi, %sar : i64
    %c0 = arith.constant 0 : i64
    %slt = arith.cmpi slt, %hi, %c0 : i64
    %cm9223372036854775808 = arith.constant -9223372036854775808 : i64
    %c9223372036854775807 = arith.constant 9223372036854775807 : i64
    %sel = arith.select %slt, %cm9223372036854775808, %c9223372036854775807 : i64
    %sel_2 = arith.select %ne, %sel, %lo : i64
    %add = arith.addi %sel_2, %a : i64
    linalg.yield %add : i64
  } -> tensor<512xi64>
  return %r : tensor<512xi64>
}

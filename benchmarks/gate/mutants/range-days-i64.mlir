// Days from seconds: t / 86400 of i64, rounded down.

#each = {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
  iterator_types = ["parallel"]}

func.func @kernel(%t: tensor<512xi64>) -> tensor<512xi64> {
  %e = tensor.empty() : tensor<512xi64>
  %r = linalg.generic #each ins(%t : tensor<512xi64>) outs(%e : tensor<512xi64>) {
  ^bb0(%a: i64, %o: i64):
    %c86400 = arith.constant 86400 : i64
    %div = arith.divsi %a, %c86400 : i64
    %mul = arith.muli %div, %c86400 : i64
    %sub = arith.subi %a, %mul : i64
    %c0 = arith.constant 0 : i64
    %slt = arith.cmpi slt, %sub, %c0 : i64
    %ext = arith.extui %slt : i1 to i64
    %sub_2 = arith.subi %div, %ext : i64
    linalg.yield %sub_2 : i64
  } -> tensor<512xi64>
  return %r : tensor<512xi64>
}

// 86400 = 128 * 675: a shift, then the division.
func.func @right_shift(%t: tensor<512xi64>) -> tensor<512xi64> {
  %e = tensor.empty() : tensor<512xi64>
  %r = linalg.generic #each ins(%t : tensor<512xi64>) outs(%e : tensor<512xi64>) {
  ^bb0(%a: i64, %o: i64):
    %c7 = arith.constant 7 : i64
    %sar = arith.shrsi %a, %c7 : i64
    %c675 = arith.constant 675 : i64
    %div = arith.divsi %sar, %c675 : i64
    %mul = arith.muli %div, %c675 : i64
    %sub = arith.subi %sar, %mul : i64
    %c0 = arith.constant 0 : i64
    %slt = arith.cmpi slt, %sub, %c0 : i64
    %ext = arith.extui %slt : i1 to i64
    %sub_2 = arith.subi %div, %ext : i64
    linalg.yield %sub_2 : i64
  } -> tensor<512xi64>
  return %r : tensor<512xi64>
}

// The operation for it.
func.func @right_floordiv(%t: tensor<512xi64>) -> tensor<512xi64> {
  %e = tensor.empty() : tensor<512xi64>
  %r = linalg.generic #each ins(%t : tensor<512xi64>) outs(%e : tensor<512xi64>) {
  ^bb0(%a: i64, %o: i64):
    %c86400 = arith.constant 86400 : i64
    %div = arith.floordivsi %a, %c86400 : i64
    linalg.yield %div : i64
  } -> tensor<512xi64>
  return %r : tensor<512xi64>
}

// Takes off the remainder, raised to [0, 86400) by hand, and divides exactly.
func.func @right_remainder(%t: tensor<512xi64>) -> tensor<512xi64> {
  %e = tensor.empty() : tensor<512xi64>
  %r = linalg.generic #each ins(%t : tensor<512xi64>) outs(%e : tensor<512xi64>) {
  ^bb0(%a: i64, %o: i64):
    %c0 = arith.constant 0 : i64
    %slt = arith.cmpi slt, %a, %c0 : i64
    %cm1 = arith.constant -1 : i64
    %sub = arith.subi %cm1, %a : i64
    %c86400 = arith.constant 86400 : i64
    %div = arith.divsi %sub, %c86400 : i64
    %sub_2 = arith.subi %cm1, %div : i64
    %div_2 = arith.divsi %a, %c86400 : i64
    %sel = arith.select %slt, %sub_2, %div_2 : i64
    linalg.yield %sel : i64
  } -> tensor<512xi64>
  return %r : tensor<512xi64>
}

// Seconds in i32. Shows from 2^31, in 2038.
func.func @wrong_i32(%t: tensor<512xi64>) -> tensor<512xi64> {
  %e = tensor.empty() : tensor<512xi64>
  %r = linalg.generic #each ins(%t : tensor<512xi64>) outs(%e : tensor<512xi64>) {
  ^bb0(%a: i64, %o: i64):
    %cut = arith.trunci %a : i64 to i32
    %c86400 = arith.constant 86400 : i32
    %div = arith.divsi %cut, %c86400 : i32
    %mul = arith.muli %div, %c86400 : i32
    %sub = arith.subi %cut, %mul : i32
    %c0 = arith.constant 0 : i32
    %slt = arith.cmpi slt, %sub, %c0 : i32
    %ext = arith.extui %slt : i1 to i32
    %sub_2 = arith.subi %div, %ext : i32
    %ext_2 = arith.extsi %sub_2 : i32 to i64
    linalg.yield %ext_2 : i64
  } -> tensor<512xi64>
  return %r : tensor<512xi64>
}

// Divides in f64. Shows only where the quotient rounds up: times beyond 2^53 or so, just before midnight.
func.func @wrong_f64(%t: tensor<512xi64>) -> tensor<512xi64> {
  %e = tensor.empty() : tensor<512xi64>
  %r = linalg.generic #each ins(%t : tensor<512xi64>) outs(%e : tensor<512xi64>) {
  ^bb0(%a: i64, %o: i64):
    %float = arith.sitofp %a : i64 to f64
    %f = arith.constant 86400.0 : f64
    %div = arith.divf %float, %f : f64
    %floor = math.floor %div : f64
    %int = arith.fptosi %floor : f64 to i64
    linalg.yield %int : i64
  } -> tensor<512xi64>
  return %r : tensor<512xi64>
}

// Moves t up by 2^31 days to divide positive numbers. Shows for t below -1.86e14, and at the upper end of i64.
func.func @wrong_bias(%t: tensor<512xi64>) -> tensor<512xi64> {
  %e = tensor.empty() : tensor<512xi64>
  %r = linalg.generic #each ins(%t : tensor<512xi64>) outs(%e : tensor<512xi64>) {
  ^bb0(%a: i64, %o: i64):
    %c185542587187200 = arith.constant 185542587187200 : i64
    %add = arith.addi %a, %c185542587187200 : i64
    %c86400 = arith.constant 86400 : i64
    %div = arith.divsi %add, %c86400 : i64
    %c2147483648 = arith.constant 2147483648 : i64
    %sub = arith.subi %div, %c2147483648 : i64
    linalg.yield %sub : i64
  } -> tensor<512xi64>
  return %r : tensor<512xi64>
}

// Shifts by 7 and goes on in i32. Shows beyond 2^38 seconds.
func.func @wrong_shift_i32(%t: tensor<512xi64>) -> tensor<512xi64> {
  %e = tensor.empty() : tensor<512xi64>
  %r = linalg.generic #each ins(%t : tensor<512xi64>) outs(%e : tensor<512xi64>) {
  ^bb0(%a: i64, %o: i64):
    %c7 = arith.constant 7 : i64
    %sar = arith.shrsi %a, %c7 : i64
    %cut = arith.trunci %sar : i64 to i32
    %c675 = arith.constant 675 : i32
    %div = arith.divsi %cut, %c675 : i32
    %mul = arith.muli %div, %c675 : i32
    %sub = arith.subi %cut, %mul : i32
    %c0 = arith.constant 0 : i32
    %slt = arith.cmpi slt, %sub, %c0 : i32
    %ext = arith.extui %slt : i1 to i32
    %sub_2 = arith.subi %div, %ext : i32
    %ext_2 = arith.extsi %sub_2 : i32 to i64
    linalg.yield %ext_2 : i64
  } -> tensor<512xi64>
  return %r : tensor<512xi64>
}

// Multiplies by 2^47 / 86400 rounded up and shifts. Shows at negative midnights, and where it overflows: beyond 5.66e9.
func.func @wrong_multiply(%t: tensor<512xi64>) -> tensor<512xi64> {
  %e = tensor.empty() : tensor<512xi64>
  %r = linalg.generic #each ins(%t : tensor<512xi64>) outs(%e : tensor<512xi64>) {
  ^bb0(%a: i64, %o: i64):
    %c1628906116 = arith.constant 1628906116 : i64
    %mul = arith.muli %a, %c1628906116 : i64
    %c47 = arith.constant 47 : i64
    %sar = arith.shrsi %mul, %c47 : i64
    linalg.yield %sar : i64
  } -> tensor<512xi64>
  return %r : tensor<512xi64>
}

// x * x * y + 31 * x - y in i32, wrapping.

#each = {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
  iterator_types = ["parallel"]}

func.func @kernel(%x: tensor<1024xi32>, %y: tensor<1024xi32>) -> tensor<1024xi32> {
  %e = tensor.empty() : tensor<1024xi32>
  %r = linalg.generic #each ins(%x, %y : tensor<1024xi32>, tensor<1024xi32>) outs(%e : tensor<1024xi32>) {
  ^bb0(%a: i32, %b: i32, %o: i32):
    %mul = arith.muli %a, %a : i32
    %mul_2 = arith.muli %mul, %b : i32
    %c31 = arith.constant 31 : i32
    %mul_3 = arith.muli %a, %c31 : i32
    %add = arith.addi %mul_2, %mul_3 : i32
    %sub = arith.subi %add, %b : i32
    linalg.yield %sub : i32
  } -> tensor<1024xi32>
  return %r : tensor<1024xi32>
}

// 31 * x is 32 * x - x.
func.func @right_shift(%x: tensor<1024xi32>, %y: tensor<1024xi32>) -> tensor<1024xi32> {
  %e = tensor.empty() : tensor<1024xi32>
  %r = linalg.generic #each ins(%x, %y : tensor<1024xi32>, tensor<1024xi32>) outs(%e : tensor<1024xi32>) {
  ^bb0(%a: i32, %b: i32, %o: i32):
    %mul = arith.muli %a, %a : i32
    %mul_2 = arith.muli %mul, %b : i32
    %c5 = arith.constant 5 : i32
    %shl = arith.shli %a, %c5 : i32
    %sub = arith.subi %shl, %a : i32
    %add = arith.addi %mul_2, %sub : i32
    %sub_2 = arith.subi %add, %b : i32
    linalg.yield %sub_2 : i32
  } -> tensor<1024xi32>
  return %r : tensor<1024xi32>
}

// Factored, and wraps to the same bits.
func.func @right_horner(%x: tensor<1024xi32>, %y: tensor<1024xi32>) -> tensor<1024xi32> {
  %e = tensor.empty() : tensor<1024xi32>
  %r = linalg.generic #each ins(%x, %y : tensor<1024xi32>, tensor<1024xi32>) outs(%e : tensor<1024xi32>) {
  ^bb0(%a: i32, %b: i32, %o: i32):
    %mul = arith.muli %a, %b : i32
    %c31 = arith.constant 31 : i32
    %add = arith.addi %mul, %c31 : i32
    %mul_2 = arith.muli %a, %add : i32
    %sub = arith.subi %mul_2, %b : i32
    linalg.yield %sub : i32
  } -> tensor<1024xi32>
  return %r : tensor<1024xi32>
}

// In i64, cut to 32 bits at the end. Whether y is widened with its sign does not matter.
func.func @right_i64(%x: tensor<1024xi32>, %y: tensor<1024xi32>) -> tensor<1024xi32> {
  %e = tensor.empty() : tensor<1024xi32>
  %r = linalg.generic #each ins(%x, %y : tensor<1024xi32>, tensor<1024xi32>) outs(%e : tensor<1024xi32>) {
  ^bb0(%a: i32, %b: i32, %o: i32):
    %ext = arith.extsi %a : i32 to i64
    %ext_2 = arith.extui %b : i32 to i64
    %mul = arith.muli %ext, %ext : i64
    %mul_2 = arith.muli %mul, %ext_2 : i64
    %c31 = arith.constant 31 : i64
    %mul_3 = arith.muli %ext, %c31 : i64
    %add = arith.addi %mul_2, %mul_3 : i64
    %sub = arith.subi %add, %ext_2 : i64
    %cut = arith.trunci %sub : i64 to i32
    linalg.yield %cut : i32
  } -> tensor<1024xi32>
  return %r : tensor<1024xi32>
}

// x * x saturates. Shows for x beyond 46340.
func.func @wrong_saturate_square(%x: tensor<1024xi32>, %y: tensor<1024xi32>) -> tensor<1024xi32> {
  %e = tensor.empty() : tensor<1024xi32>
  %r = linalg.generic #each ins(%x, %y : tensor<1024xi32>, tensor<1024xi32>) outs(%e : tensor<1024xi32>) {
  ^bb0(%a: i32, %b: i32, %o: i32):
    %ext = arith.extsi %a : i32 to i64
    %mul = arith.muli %ext, %ext : i64
    %c2147483647 = arith.constant 2147483647 : i64
    %min = arith.minsi %mul, %c2147483647 : i64
    %cut = arith.trunci %min : i64 to i32
    %mul_2 = arith.muli %cut, %b : i32
    %c31 = arith.constant 31 : i32
    %mul_3 = arith.muli %a, %c31 : i32
    %add = arith.addi %mul_2, %mul_3 : i32
    %sub = arith.subi %add, %b : i32
    linalg.yield %sub : i32
  } -> tensor<1024xi32>
  return %r : tensor<1024xi32>
}

// The first product in f64. Shows when |x * x * y| passes 2^53.
func.func @wrong_f64(%x: tensor<1024xi32>, %y: tensor<1024xi32>) -> tensor<1024xi32> {
  %e = tensor.empty() : tensor<1024xi32>
  %r = linalg.generic #each ins(%x, %y : tensor<1024xi32>, tensor<1024xi32>) outs(%e : tensor<1024xi32>) {
  ^bb0(%a: i32, %b: i32, %o: i32):
    %float = arith.sitofp %a : i32 to f64
    %mul = arith.mulf %float, %float : f64
    %float_2 = arith.sitofp %b : i32 to f64
    %mul_2 = arith.mulf %mul, %float_2 : f64
    %f = arith.constant 9223372036854774784.0 : f64
    %min = arith.minimumf %mul_2, %f : f64
    %f_2 = arith.constant -9223372036854775808.0 : f64
    %max = arith.maximumf %min, %f_2 : f64
    %int = arith.fptosi %max : f64 to i64
    %cut = arith.trunci %int : i64 to i32
    %c31 = arith.constant 31 : i32
    %mul_3 = arith.muli %a, %c31 : i32
    %add = arith.addi %cut, %mul_3 : i32
    %sub = arith.subi %add, %b : i32
    linalg.yield %sub : i32
  } -> tensor<1024xi32>
  return %r : tensor<1024xi32>
}

// All in f32. Shows when a term passes 2^24.
func.func @wrong_f32(%x: tensor<1024xi32>, %y: tensor<1024xi32>) -> tensor<1024xi32> {
  %e = tensor.empty() : tensor<1024xi32>
  %r = linalg.generic #each ins(%x, %y : tensor<1024xi32>, tensor<1024xi32>) outs(%e : tensor<1024xi32>) {
  ^bb0(%a: i32, %b: i32, %o: i32):
    %float = arith.sitofp %a : i32 to f32
    %mul = arith.mulf %float, %float : f32
    %float_2 = arith.sitofp %b : i32 to f32
    %mul_2 = arith.mulf %mul, %float_2 : f32
    %f = arith.constant 31.0 : f32
    %mul_3 = arith.mulf %float, %f : f32
    %add = arith.addf %mul_2, %mul_3 : f32
    %sub = arith.subf %add, %float_2 : f32
    %f_2 = arith.constant 2147483520.0 : f32
    %min = arith.minimumf %sub, %f_2 : f32
    %f_3 = arith.constant -2147483648.0 : f32
    %max = arith.maximumf %min, %f_3 : f32
    %int = arith.fptosi %max : f32 to i32
    linalg.yield %int : i32
  } -> tensor<1024xi32>
  return %r : tensor<1024xi32>
}

// Multiplies by the low 24 bits of x. Shows for x beyond 2^23.
func.func @wrong_mul24(%x: tensor<1024xi32>, %y: tensor<1024xi32>) -> tensor<1024xi32> {
  %e = tensor.empty() : tensor<1024xi32>
  %r = linalg.generic #each ins(%x, %y : tensor<1024xi32>, tensor<1024xi32>) outs(%e : tensor<1024xi32>) {
  ^bb0(%a: i32, %b: i32, %o: i32):
    %c8 = arith.constant 8 : i32
    %shl = arith.shli %a, %c8 : i32
    %sar = arith.shrsi %shl, %c8 : i32
    %mul = arith.muli %sar, %sar : i32
    %mul_2 = arith.muli %mul, %b : i32
    %c31 = arith.constant 31 : i32
    %mul_3 = arith.muli %a, %c31 : i32
    %add = arith.addi %mul_2, %mul_3 : i32
    %sub = arith.subi %add, %b : i32
    linalg.yield %sub : i32
  } -> tensor<1024xi32>
  return %r : tensor<1024xi32>
}

// The last subtraction saturates. Shows when it alone overflows.
func.func @wrong_saturate_last(%x: tensor<1024xi32>, %y: tensor<1024xi32>) -> tensor<1024xi32> {
  %e = tensor.empty() : tensor<1024xi32>
  %r = linalg.generic #each ins(%x, %y : tensor<1024xi32>, tensor<1024xi32>) outs(%e : tensor<1024xi32>) {
  ^bb0(%a: i32, %b: i32, %o: i32):
    %mul = arith.muli %a, %a : i32
    %mul_2 = arith.muli %mul, %b : i32
    %c31 = arith.constant 31 : i32
    %mul_3 = arith.muli %a, %c31 : i32
    %add = arith.addi %mul_2, %mul_3 : i32
    %ext = arith.extsi %add : i32 to i64
    %ext_2 = arith.extsi %b : i32 to i64
    %sub = arith.subi %ext, %ext_2 : i64
    %c2147483647 = arith.constant 2147483647 : i64
    %min = arith.minsi %sub, %c2147483647 : i64
    %cm2147483648 = arith.constant -2147483648 : i64
    %max = arith.maxsi %min, %cm2147483648 : i64
    %cut = arith.trunci %max : i64 to i32
    linalg.yield %cut : i32
  } -> tensor<1024xi32>
  return %r : tensor<1024xi32>
}

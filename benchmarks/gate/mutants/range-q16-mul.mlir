// Q16.16 product of i32: (x * y) >> 16, cut to 32 bits.

#each = {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
  iterator_types = ["parallel"]}

func.func @kernel(%x: tensor<1024xi32>, %y: tensor<1024xi32>) -> tensor<1024xi32> {
  %e = tensor.empty() : tensor<1024xi32>
  %r = linalg.generic #each ins(%x, %y : tensor<1024xi32>, tensor<1024xi32>) outs(%e : tensor<1024xi32>) {
  ^bb0(%a: i32, %b: i32, %o: i32):
    %ext = arith.extsi %a : i32 to i64
    %ext_2 = arith.extsi %b : i32 to i64
    %mul = arith.muli %ext, %ext_2 : i64
    %c16 = arith.constant 16 : i64
    %sar = arith.shrsi %mul, %c16 : i64
    %cut = arith.trunci %sar : i64 to i32
    linalg.yield %cut : i32
  } -> tensor<1024xi32>
  return %r : tensor<1024xi32>
}

// The shift may be logical, as the high bits are cut off.
func.func @right_logical(%x: tensor<1024xi32>, %y: tensor<1024xi32>) -> tensor<1024xi32> {
  %e = tensor.empty() : tensor<1024xi32>
  %r = linalg.generic #each ins(%x, %y : tensor<1024xi32>, tensor<1024xi32>) outs(%e : tensor<1024xi32>) {
  ^bb0(%a: i32, %b: i32, %o: i32):
    %ext = arith.extsi %a : i32 to i64
    %ext_2 = arith.extsi %b : i32 to i64
    %mul = arith.muli %ext, %ext_2 : i64
    %c16 = arith.constant 16 : i64
    %shr = arith.shrui %mul, %c16 : i64
    %cut = arith.trunci %shr : i64 to i32
    linalg.yield %cut : i32
  } -> tensor<1024xi32>
  return %r : tensor<1024xi32>
}

// Four products of halves in i32. What wraps is cut off anyway.
func.func @right_halves(%x: tensor<1024xi32>, %y: tensor<1024xi32>) -> tensor<1024xi32> {
  %e = tensor.empty() : tensor<1024xi32>
  %r = linalg.generic #each ins(%x, %y : tensor<1024xi32>, tensor<1024xi32>) outs(%e : tensor<1024xi32>) {
  ^bb0(%a: i32, %b: i32, %o: i32):
    %c16 = arith.constant 16 : i32
    %sar = arith.shrsi %a, %c16 : i32
    %c65535 = arith.constant 65535 : i32
    %and = arith.andi %a, %c65535 : i32
    %sar_2 = arith.shrsi %b, %c16 : i32
    %and_2 = arith.andi %b, %c65535 : i32
    %mul = arith.muli %sar, %sar_2 : i32
    %shl = arith.shli %mul, %c16 : i32
    %mul_2 = arith.muli %sar, %and_2 : i32
    %add = arith.addi %shl, %mul_2 : i32
    %mul_3 = arith.muli %and, %sar_2 : i32
    %add_2 = arith.addi %add, %mul_3 : i32
    %mul_4 = arith.muli %and, %and_2 : i32
    %shr = arith.shrui %mul_4, %c16 : i32
    %add_3 = arith.addi %add_2, %shr : i32
    linalg.yield %add_3 : i32
  } -> tensor<1024xi32>
  return %r : tensor<1024xi32>
}

// The product in i32. Shows when |x * y| passes 2^31.
func.func @wrong_i32(%x: tensor<1024xi32>, %y: tensor<1024xi32>) -> tensor<1024xi32> {
  %e = tensor.empty() : tensor<1024xi32>
  %r = linalg.generic #each ins(%x, %y : tensor<1024xi32>, tensor<1024xi32>) outs(%e : tensor<1024xi32>) {
  ^bb0(%a: i32, %b: i32, %o: i32):
    %mul = arith.muli %a, %b : i32
    %c16 = arith.constant 16 : i32
    %sar = arith.shrsi %mul, %c16 : i32
    linalg.yield %sar : i32
  } -> tensor<1024xi32>
  return %r : tensor<1024xi32>
}

// Saturates at the ends of i32. Shows when |x * y| passes 2^47.
func.func @wrong_saturate(%x: tensor<1024xi32>, %y: tensor<1024xi32>) -> tensor<1024xi32> {
  %e = tensor.empty() : tensor<1024xi32>
  %r = linalg.generic #each ins(%x, %y : tensor<1024xi32>, tensor<1024xi32>) outs(%e : tensor<1024xi32>) {
  ^bb0(%a: i32, %b: i32, %o: i32):
    %ext = arith.extsi %a : i32 to i64
    %ext_2 = arith.extsi %b : i32 to i64
    %mul = arith.muli %ext, %ext_2 : i64
    %c16 = arith.constant 16 : i64
    %sar = arith.shrsi %mul, %c16 : i64
    %c2147483647 = arith.constant 2147483647 : i64
    %min = arith.minsi %sar, %c2147483647 : i64
    %cm2147483648 = arith.constant -2147483648 : i64
    %max = arith.maxsi %min, %cm2147483648 : i64
    %cut = arith.trunci %max : i64 to i32
    linalg.yield %cut : i32
  } -> tensor<1024xi32>
  return %r : tensor<1024xi32>
}

// In f32. Shows when |x * y| passes 2^24.
func.func @wrong_f32(%x: tensor<1024xi32>, %y: tensor<1024xi32>) -> tensor<1024xi32> {
  %e = tensor.empty() : tensor<1024xi32>
  %r = linalg.generic #each ins(%x, %y : tensor<1024xi32>, tensor<1024xi32>) outs(%e : tensor<1024xi32>) {
  ^bb0(%a: i32, %b: i32, %o: i32):
    %float = arith.sitofp %a : i32 to f32
    %float_2 = arith.sitofp %b : i32 to f32
    %mul = arith.mulf %float, %float_2 : f32
    %f = arith.constant 1.52587890625e-05 : f32
    %mul_2 = arith.mulf %mul, %f : f32
    %floor = math.floor %mul_2 : f32
    %int = arith.fptosi %floor : f32 to i64
    %cut = arith.trunci %int : i64 to i32
    linalg.yield %cut : i32
  } -> tensor<1024xi32>
  return %r : tensor<1024xi32>
}

// In f64. Shows only when |x * y| passes 2^53 and rounds up over a multiple of 65536.
func.func @wrong_f64(%x: tensor<1024xi32>, %y: tensor<1024xi32>) -> tensor<1024xi32> {
  %e = tensor.empty() : tensor<1024xi32>
  %r = linalg.generic #each ins(%x, %y : tensor<1024xi32>, tensor<1024xi32>) outs(%e : tensor<1024xi32>) {
  ^bb0(%a: i32, %b: i32, %o: i32):
    %float = arith.sitofp %a : i32 to f64
    %float_2 = arith.sitofp %b : i32 to f64
    %mul = arith.mulf %float, %float_2 : f64
    %f = arith.constant 1.52587890625e-05 : f64
    %mul_2 = arith.mulf %mul, %f : f64
    %floor = math.floor %mul_2 : f64
    %int = arith.fptosi %floor : f64 to i64
    %cut = arith.trunci %int : i64 to i32
    linalg.yield %cut : i32
  } -> tensor<1024xi32>
  return %r : tensor<1024xi32>
}

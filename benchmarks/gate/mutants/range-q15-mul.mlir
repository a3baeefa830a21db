// Q15 product of i16: (2 * x * y) >> 16, saturating.
// Only -32768 * -32768 leaves i16.

#each = {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
  iterator_types = ["parallel"]}

func.func @kernel(%x: tensor<1024xi16>, %y: tensor<1024xi16>) -> tensor<1024xi16> {
  %e = tensor.empty() : tensor<1024xi16>
  %r = linalg.generic #each ins(%x, %y : tensor<1024xi16>, tensor<1024xi16>) outs(%e : tensor<1024xi16>) {
  ^bb0(%a: i16, %b: i16, %o: i16):
    %ext = arith.extsi %a : i16 to i32
    %ext_2 = arith.extsi %b : i16 to i32
    %mul = arith.muli %ext, %ext_2 : i32
    %c15 = arith.constant 15 : i32
    %sar = arith.shrsi %mul, %c15 : i32
    %c32767 = arith.constant 32767 : i32
    %min = arith.minsi %sar, %c32767 : i32
    %cut = arith.trunci %min : i32 to i16
    linalg.yield %cut : i16
  } -> tensor<1024xi16>
  return %r : tensor<1024xi16>
}

// Doubles in i64 and clamps at both ends.
func.func @right_i64(%x: tensor<1024xi16>, %y: tensor<1024xi16>) -> tensor<1024xi16> {
  %e = tensor.empty() : tensor<1024xi16>
  %r = linalg.generic #each ins(%x, %y : tensor<1024xi16>, tensor<1024xi16>) outs(%e : tensor<1024xi16>) {
  ^bb0(%a: i16, %b: i16, %o: i16):
    %ext = arith.extsi %a : i16 to i64
    %ext_2 = arith.extsi %b : i16 to i64
    %mul = arith.muli %ext, %ext_2 : i64
    %c1 = arith.constant 1 : i64
    %shl = arith.shli %mul, %c1 : i64
    %c16 = arith.constant 16 : i64
    %sar = arith.shrsi %shl, %c16 : i64
    %c32767 = arith.constant 32767 : i64
    %min = arith.minsi %sar, %c32767 : i64
    %cm32768 = arith.constant -32768 : i64
    %max = arith.maxsi %min, %cm32768 : i64
    %cut = arith.trunci %max : i64 to i16
    linalg.yield %cut : i16
  } -> tensor<1024xi16>
  return %r : tensor<1024xi16>
}

// Clamps at -32767, which the product never passes.
func.func @right_symmetric(%x: tensor<1024xi16>, %y: tensor<1024xi16>) -> tensor<1024xi16> {
  %e = tensor.empty() : tensor<1024xi16>
  %r = linalg.generic #each ins(%x, %y : tensor<1024xi16>, tensor<1024xi16>) outs(%e : tensor<1024xi16>) {
  ^bb0(%a: i16, %b: i16, %o: i16):
    %ext = arith.extsi %a : i16 to i32
    %ext_2 = arith.extsi %b : i16 to i32
    %mul = arith.muli %ext, %ext_2 : i32
    %c15 = arith.constant 15 : i32
    %sar = arith.shrsi %mul, %c15 : i32
    %c32767 = arith.constant 32767 : i32
    %min = arith.minsi %sar, %c32767 : i32
    %cm32767 = arith.constant -32767 : i32
    %max = arith.maxsi %min, %cm32767 : i32
    %cut = arith.trunci %max : i32 to i16
    linalg.yield %cut : i16
  } -> tensor<1024xi16>
  return %r : tensor<1024xi16>
}

// Treats the one case by itself.
func.func @right_special(%x: tensor<1024xi16>, %y: tensor<1024xi16>) -> tensor<1024xi16> {
  %e = tensor.empty() : tensor<1024xi16>
  %r = linalg.generic #each ins(%x, %y : tensor<1024xi16>, tensor<1024xi16>) outs(%e : tensor<1024xi16>) {
  ^bb0(%a: i16, %b: i16, %o: i16):
    %cm32768 = arith.constant -32768 : i16
    %eq = arith.cmpi eq, %a, %cm32768 : i16
    %eq_2 = arith.cmpi eq, %b, %cm32768 : i16
    %and = arith.andi %eq, %eq_2 : i1
    %ext = arith.extsi %a : i16 to i32
    %ext_2 = arith.extsi %b : i16 to i32
    %mul = arith.muli %ext, %ext_2 : i32
    %c15 = arith.constant 15 : i32
    %sar = arith.shrsi %mul, %c15 : i32
    %cut = arith.trunci %sar : i32 to i16
    %c32767 = arith.constant 32767 : i16
    %sel = arith.select %and, %c32767, %cut : i16
    linalg.yield %sel : i16
  } -> tensor<1024xi16>
  return %r : tensor<1024xi16>
}

// Doubles in i32 and does not saturate. Shows only for x = y = -32768.
func.func @wrong_wrap(%x: tensor<1024xi16>, %y: tensor<1024xi16>) -> tensor<1024xi16> {
  %e = tensor.empty() : tensor<1024xi16>
  %r = linalg.generic #each ins(%x, %y : tensor<1024xi16>, tensor<1024xi16>) outs(%e : tensor<1024xi16>) {
  ^bb0(%a: i16, %b: i16, %o: i16):
    %ext = arith.extsi %a : i16 to i32
    %ext_2 = arith.extsi %b : i16 to i32
    %mul = arith.muli %ext, %ext_2 : i32
    %c1 = arith.constant 1 : i32
    %shl = arith.shli %mul, %c1 : i32
    %c16 = arith.constant 16 : i32
    %sar = arith.shrsi %shl, %c16 : i32
    %cut = arith.trunci %sar : i32 to i16
    linalg.yield %cut : i16
  } -> tensor<1024xi16>
  return %r : tensor<1024xi16>
}

// Saturates when x alone is -32768. Shows for x = -32768 with any other y.
func.func @wrong_one_test(%x: tensor<1024xi16>, %y: tensor<1024xi16>) -> tensor<1024xi16> {
  %e = tensor.empty() : tensor<1024xi16>
  %r = linalg.generic #each ins(%x, %y : tensor<1024xi16>, tensor<1024xi16>) outs(%e : tensor<1024xi16>) {
  ^bb0(%a: i16, %b: i16, %o: i16):
    %cm32768 = arith.constant -32768 : i16
    %eq = arith.cmpi eq, %a, %cm32768 : i16
    %ext = arith.extsi %a : i16 to i32
    %ext_2 = arith.extsi %b : i16 to i32
    %mul = arith.muli %ext, %ext_2 : i32
    %c15 = arith.constant 15 : i32
    %sar = arith.shrsi %mul, %c15 : i32
    %cut = arith.trunci %sar : i32 to i16
    %c32767 = arith.constant 32767 : i16
    %sel = arith.select %eq, %c32767, %cut : i16
    linalg.yield %sel : i16
  } -> tensor<1024xi16>
  return %r : tensor<1024xi16>
}

// Raises -32768 to -32767 before it multiplies. Shows when an input is -32768, by 1.
func.func @wrong_clamp_input(%x: tensor<1024xi16>, %y: tensor<1024xi16>) -> tensor<1024xi16> {
  %e = tensor.empty() : tensor<1024xi16>
  %r = linalg.generic #each ins(%x, %y : tensor<1024xi16>, tensor<1024xi16>) outs(%e : tensor<1024xi16>) {
  ^bb0(%a: i16, %b: i16, %o: i16):
    %cm32767 = arith.constant -32767 : i16
    %max = arith.maxsi %a, %cm32767 : i16
    %ext = arith.extsi %max : i16 to i32
    %max_2 = arith.maxsi %b, %cm32767 : i16
    %ext_2 = arith.extsi %max_2 : i16 to i32
    %mul = arith.muli %ext, %ext_2 : i32
    %c15 = arith.constant 15 : i32
    %sar = arith.shrsi %mul, %c15 : i32
    %cut = arith.trunci %sar : i32 to i16
    linalg.yield %cut : i16
  } -> tensor<1024xi16>
  return %r : tensor<1024xi16>
}

// The product in f32. Shows when it passes 2^24 and rounds up over a multiple of 32768.
func.func @wrong_f32(%x: tensor<1024xi16>, %y: tensor<1024xi16>) -> tensor<1024xi16> {
  %e = tensor.empty() : tensor<1024xi16>
  %r = linalg.generic #each ins(%x, %y : tensor<1024xi16>, tensor<1024xi16>) outs(%e : tensor<1024xi16>) {
  ^bb0(%a: i16, %b: i16, %o: i16):
    %float = arith.sitofp %a : i16 to f32
    %float_2 = arith.sitofp %b : i16 to f32
    %mul = arith.mulf %float, %float_2 : f32
    %f = arith.constant 3.0517578125e-05 : f32
    %mul_2 = arith.mulf %mul, %f : f32
    %floor = math.floor %mul_2 : f32
    %f_2 = arith.constant 32767.0 : f32
    %min = arith.minimumf %floor, %f_2 : f32
    %int = arith.fptosi %min : f32 to i32
    %cut = arith.trunci %int : i32 to i16
    linalg.yield %cut : i16
  } -> tensor<1024xi16>
  return %r : tensor<1024xi16>
}

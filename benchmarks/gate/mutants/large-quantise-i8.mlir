// f32 to i8: 16 x to the nearest integer, ties to even, bounded to [-128, 127].
// NaN gives -128.

#each = {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
  iterator_types = ["parallel"]}

func.func @kernel(%x: tensor<1024xf32>) -> tensor<1024xi8> {
  %e = tensor.empty() : tensor<1024xi8>
  %r = linalg.generic #each ins(%x : tensor<1024xf32>) outs(%e : tensor<1024xi8>) {
  ^bb0(%a: f32, %o: i8):
    %c = arith.constant 16.0 : f32
    %mul = arith.mulf %a, %c : f32
    %roundeven = math.roundeven %mul : f32
    %c_2 = arith.constant -128.0 : f32
    %oge = arith.cmpf oge, %roundeven, %c_2 : f32
    %sel = arith.select %oge, %roundeven, %c_2 : f32
    %c_3 = arith.constant 127.0 : f32
    %ole = arith.cmpf ole, %sel, %c_3 : f32
    %sel_2 = arith.select %ole, %sel, %c_3 : f32
    %int = arith.fptosi %sel_2 : f32 to i8
    linalg.yield %int : i8
  } -> tensor<1024xi8>
  return %r : tensor<1024xi8>
}

// Bounded, then rounded.
func.func @right_bound_first(%x: tensor<1024xf32>) -> tensor<1024xi8> {
  %e = tensor.empty() : tensor<1024xi8>
  %r = linalg.generic #each ins(%x : tensor<1024xf32>) outs(%e : tensor<1024xi8>) {
  ^bb0(%a: f32, %o: i8):
    %c = arith.constant 16.0 : f32
    %mul = arith.mulf %a, %c : f32
    %c_2 = arith.constant -128.0 : f32
    %oge = arith.cmpf oge, %mul, %c_2 : f32
    %sel = arith.select %oge, %mul, %c_2 : f32
    %c_3 = arith.constant 127.0 : f32
    %ole = arith.cmpf ole, %sel, %c_3 : f32
    %sel_2 = arith.select %ole, %sel, %c_3 : f32
    %roundeven = math.roundeven %sel_2 : f32
    %int = arith.fptosi %roundeven : f32 to i8
    linalg.yield %int : i8
  } -> tensor<1024xi8>
  return %r : tensor<1024xi8>
}

// Bounded, then rounded by adding 1.5 * 2^23 and read from the bits.
func.func @right_magic(%x: tensor<1024xf32>) -> tensor<1024xi8> {
  %e = tensor.empty() : tensor<1024xi8>
  %r = linalg.generic #each ins(%x : tensor<1024xf32>) outs(%e : tensor<1024xi8>) {
  ^bb0(%a: f32, %o: i8):
    %c = arith.constant 16.0 : f32
    %mul = arith.mulf %a, %c : f32
    %c_2 = arith.constant -128.0 : f32
    %oge = arith.cmpf oge, %mul, %c_2 : f32
    %sel = arith.select %oge, %mul, %c_2 : f32
    %c_3 = arith.constant 127.0 : f32
    %ole = arith.cmpf ole, %sel, %c_3 : f32
    %sel_2 = arith.select %ole, %sel, %c_3 : f32
    %c_4 = arith.constant 12582912.0 : f32
    %add = arith.addf %sel_2, %c_4 : f32
    %bits = arith.bitcast %add : f32 to i32
    %low = arith.trunci %bits : i32 to i8
    linalg.yield %low : i8
  } -> tensor<1024xi8>
  return %r : tensor<1024xi8>
}

// Bounded as i32, then as i8.
func.func @right_i32(%x: tensor<1024xf32>) -> tensor<1024xi8> {
  %e = tensor.empty() : tensor<1024xi8>
  %r = linalg.generic #each ins(%x : tensor<1024xf32>) outs(%e : tensor<1024xi8>) {
  ^bb0(%a: f32, %o: i8):
    %c = arith.constant 16.0 : f32
    %mul = arith.mulf %a, %c : f32
    %roundeven = math.roundeven %mul : f32
    %c_2 = arith.constant -2147483600.0 : f32
    %oge = arith.cmpf oge, %roundeven, %c_2 : f32
    %sel = arith.select %oge, %roundeven, %c_2 : f32
    %c_3 = arith.constant 2147483500.0 : f32
    %ole = arith.cmpf ole, %sel, %c_3 : f32
    %sel_2 = arith.select %ole, %sel, %c_3 : f32
    %int = arith.fptosi %sel_2 : f32 to i32
    %c_4 = arith.constant -128 : i32
    %maxs = arith.maxsi %int, %c_4 : i32
    %c_5 = arith.constant 127 : i32
    %mins = arith.minsi %maxs, %c_5 : i32
    %low = arith.trunci %mins : i32 to i8
    linalg.yield %low : i8
  } -> tensor<1024xi8>
  return %r : tensor<1024xi8>
}

// The low 16 bits of an i32, bounded to i8. Shows beyond 2048: wraps.
func.func @wrong_i16_wraps(%x: tensor<1024xf32>) -> tensor<1024xi8> {
  %e = tensor.empty() : tensor<1024xi8>
  %r = linalg.generic #each ins(%x : tensor<1024xf32>) outs(%e : tensor<1024xi8>) {
  ^bb0(%a: f32, %o: i8):
    %c = arith.constant 16.0 : f32
    %mul = arith.mulf %a, %c : f32
    %roundeven = math.roundeven %mul : f32
    %c_2 = arith.constant -2147483600.0 : f32
    %oge = arith.cmpf oge, %roundeven, %c_2 : f32
    %sel = arith.select %oge, %roundeven, %c_2 : f32
    %c_3 = arith.constant 2147483500.0 : f32
    %ole = arith.cmpf ole, %sel, %c_3 : f32
    %sel_2 = arith.select %ole, %sel, %c_3 : f32
    %int = arith.fptosi %sel_2 : f32 to i32
    %low = arith.trunci %int : i32 to i16
    %c_4 = arith.constant -128 : i16
    %maxs = arith.maxsi %low, %c_4 : i16
    %c_5 = arith.constant 127 : i16
    %mins = arith.minsi %maxs, %c_5 : i16
    %low_2 = arith.trunci %mins : i16 to i8
    linalg.yield %low_2 : i8
  } -> tensor<1024xi8>
  return %r : tensor<1024xi8>
}

// Adds 1.5 * 2^23 first and bounds the bits. Shows below -786432: 127.
func.func @wrong_magic_late(%x: tensor<1024xf32>) -> tensor<1024xi8> {
  %e = tensor.empty() : tensor<1024xi8>
  %r = linalg.generic #each ins(%x : tensor<1024xf32>) outs(%e : tensor<1024xi8>) {
  ^bb0(%a: f32, %o: i8):
    %c = arith.constant 16.0 : f32
    %mul = arith.mulf %a, %c : f32
    %c_2 = arith.constant -1000000000.0 : f32
    %oge = arith.cmpf oge, %mul, %c_2 : f32
    %sel = arith.select %oge, %mul, %c_2 : f32
    %c_3 = arith.constant 1000000000.0 : f32
    %ole = arith.cmpf ole, %sel, %c_3 : f32
    %sel_2 = arith.select %ole, %sel, %c_3 : f32
    %c_4 = arith.constant 12582912.0 : f32
    %add = arith.addf %sel_2, %c_4 : f32
    %bits = arith.bitcast %add : f32 to i32
    %c_5 = arith.constant 1262485504 : i32
    %sub = arith.subi %bits, %c_5 : i32
    %c_6 = arith.constant -128 : i32
    %maxs = arith.maxsi %sub, %c_6 : i32
    %c_7 = arith.constant 127 : i32
    %mins = arith.minsi %maxs, %c_7 : i32
    %low = arith.trunci %mins : i32 to i8
    linalg.yield %low : i8
  } -> tensor<1024xi8>
  return %r : tensor<1024xi8>
}

// No lower bound: the low 8 bits. Shows below -8.04.
func.func @wrong_one_bound(%x: tensor<1024xf32>) -> tensor<1024xi8> {
  %e = tensor.empty() : tensor<1024xi8>
  %r = linalg.generic #each ins(%x : tensor<1024xf32>) outs(%e : tensor<1024xi8>) {
  ^bb0(%a: f32, %o: i8):
    %c = arith.constant 16.0 : f32
    %mul = arith.mulf %a, %c : f32
    %roundeven = math.roundeven %mul : f32
    %c_2 = arith.constant -2147483600.0 : f32
    %oge = arith.cmpf oge, %roundeven, %c_2 : f32
    %sel = arith.select %oge, %roundeven, %c_2 : f32
    %c_3 = arith.constant 2147483500.0 : f32
    %ole = arith.cmpf ole, %sel, %c_3 : f32
    %sel_2 = arith.select %ole, %sel, %c_3 : f32
    %int = arith.fptosi %sel_2 : f32 to i32
    %c_4 = arith.constant 127 : i32
    %mins = arith.minsi %int, %c_4 : i32
    %low = arith.trunci %mins : i32 to i8
    linalg.yield %low : i8
  } -> tensor<1024xi8>
  return %r : tensor<1024xi8>
}

// The bounds by minimum and maximum numbers. Shows for NaN: -128 is due, 127 comes.
func.func @wrong_nan(%x: tensor<1024xf32>) -> tensor<1024xi8> {
  %e = tensor.empty() : tensor<1024xi8>
  %r = linalg.generic #each ins(%x : tensor<1024xf32>) outs(%e : tensor<1024xi8>) {
  ^bb0(%a: f32, %o: i8):
    %c = arith.constant 16.0 : f32
    %mul = arith.mulf %a, %c : f32
    %roundeven = math.roundeven %mul : f32
    %c_2 = arith.constant 127.0 : f32
    %minnum = arith.minnumf %roundeven, %c_2 : f32
    %c_3 = arith.constant -128.0 : f32
    %maxnum = arith.maxnumf %minnum, %c_3 : f32
    %int = arith.fptosi %maxnum : f32 to i8
    linalg.yield %int : i8
  } -> tensor<1024xi8>
  return %r : tensor<1024xi8>
}

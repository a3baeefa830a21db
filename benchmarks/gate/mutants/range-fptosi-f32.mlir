// f32 to i32 towards zero, clamped first to [-2^31, 2^31 - 128]. NaN gives -2^31.

#each = {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
  iterator_types = ["parallel"]}

func.func @kernel(%x: tensor<1024xf32>) -> tensor<1024xi32> {
  %e = tensor.empty() : tensor<1024xi32>
  %r = linalg.generic #each ins(%x : tensor<1024xf32>) outs(%e : tensor<1024xi32>) {
  ^bb0(%a: f32, %o: i32):
    %f = arith.constant -2147483648.0 : f32
    %oge = arith.cmpf oge, %a, %f : f32
    %sel = arith.select %oge, %a, %f : f32
    %f_2 = arith.constant 2147483520.0 : f32
    %ole = arith.cmpf ole, %sel, %f_2 : f32
    %sel_2 = arith.select %ole, %sel, %f_2 : f32
    %int = arith.fptosi %sel_2 : f32 to i32
    linalg.yield %int : i32
  } -> tensor<1024xi32>
  return %r : tensor<1024xi32>
}

// Converts from f64.
func.func @right_f64(%x: tensor<1024xf32>) -> tensor<1024xi32> {
  %e = tensor.empty() : tensor<1024xi32>
  %r = linalg.generic #each ins(%x : tensor<1024xf32>) outs(%e : tensor<1024xi32>) {
  ^bb0(%a: f32, %o: i32):
    %f = arith.constant -2147483648.0 : f32
    %oge = arith.cmpf oge, %a, %f : f32
    %sel = arith.select %oge, %a, %f : f32
    %f_2 = arith.constant 2147483520.0 : f32
    %ole = arith.cmpf ole, %sel, %f_2 : f32
    %sel_2 = arith.select %ole, %sel, %f_2 : f32
    %wide = arith.extf %sel_2 : f32 to f64
    %int = arith.fptosi %wide : f64 to i32
    linalg.yield %int : i32
  } -> tensor<1024xi32>
  return %r : tensor<1024xi32>
}

// Converts the magnitude as unsigned and negates it.
func.func @right_magnitude(%x: tensor<1024xf32>) -> tensor<1024xi32> {
  %e = tensor.empty() : tensor<1024xi32>
  %r = linalg.generic #each ins(%x : tensor<1024xf32>) outs(%e : tensor<1024xi32>) {
  ^bb0(%a: f32, %o: i32):
    %f = arith.constant -2147483648.0 : f32
    %oge = arith.cmpf oge, %a, %f : f32
    %sel = arith.select %oge, %a, %f : f32
    %f_2 = arith.constant 2147483520.0 : f32
    %ole = arith.cmpf ole, %sel, %f_2 : f32
    %sel_2 = arith.select %ole, %sel, %f_2 : f32
    %abs = math.absf %sel_2 : f32
    %int = arith.fptoui %abs : f32 to i32
    %f_3 = arith.constant 0.0 : f32
    %olt = arith.cmpf olt, %sel_2, %f_3 : f32
    %c0 = arith.constant 0 : i32
    %sub = arith.subi %c0, %int : i32
    %sel_3 = arith.select %olt, %sub, %int : i32
    linalg.yield %sel_3 : i32
  } -> tensor<1024xi32>
  return %r : tensor<1024xi32>
}

// The multiple of 65536 and the rest, both exact.
func.func @right_halves(%x: tensor<1024xf32>) -> tensor<1024xi32> {
  %e = tensor.empty() : tensor<1024xi32>
  %r = linalg.generic #each ins(%x : tensor<1024xf32>) outs(%e : tensor<1024xi32>) {
  ^bb0(%a: f32, %o: i32):
    %f = arith.constant -2147483648.0 : f32
    %oge = arith.cmpf oge, %a, %f : f32
    %sel = arith.select %oge, %a, %f : f32
    %f_2 = arith.constant 2147483520.0 : f32
    %ole = arith.cmpf ole, %sel, %f_2 : f32
    %sel_2 = arith.select %ole, %sel, %f_2 : f32
    %f_3 = arith.constant 1.52587890625e-05 : f32
    %mul = arith.mulf %sel_2, %f_3 : f32
    %trunc = math.trunc %mul : f32
    %f_4 = arith.constant 65536.0 : f32
    %mul_2 = arith.mulf %trunc, %f_4 : f32
    %sub = arith.subf %sel_2, %mul_2 : f32
    %int = arith.fptosi %sub : f32 to i32
    %int_2 = arith.fptosi %trunc : f32 to i32
    %c16 = arith.constant 16 : i32
    %shl = arith.shli %int_2, %c16 : i32
    %add = arith.addi %shl, %int : i32
    linalg.yield %add : i32
  } -> tensor<1024xi32>
  return %r : tensor<1024xi32>
}

// By way of i16, wrapping. Shows beyond 32767.
func.func @wrong_i16(%x: tensor<1024xf32>) -> tensor<1024xi32> {
  %e = tensor.empty() : tensor<1024xi32>
  %r = linalg.generic #each ins(%x : tensor<1024xf32>) outs(%e : tensor<1024xi32>) {
  ^bb0(%a: f32, %o: i32):
    %f = arith.constant -2147483648.0 : f32
    %oge = arith.cmpf oge, %a, %f : f32
    %sel = arith.select %oge, %a, %f : f32
    %f_2 = arith.constant 2147483520.0 : f32
    %ole = arith.cmpf ole, %sel, %f_2 : f32
    %sel_2 = arith.select %ole, %sel, %f_2 : f32
    %int = arith.fptosi %sel_2 : f32 to i32
    %cut = arith.trunci %int : i32 to i16
    %ext = arith.extsi %cut : i16 to i32
    linalg.yield %ext : i32
  } -> tensor<1024xi32>
  return %r : tensor<1024xi32>
}

// Rounds to f16. Shows from 2049, and just below an integer.
func.func @wrong_f16(%x: tensor<1024xf32>) -> tensor<1024xi32> {
  %e = tensor.empty() : tensor<1024xi32>
  %r = linalg.generic #each ins(%x : tensor<1024xf32>) outs(%e : tensor<1024xi32>) {
  ^bb0(%a: f32, %o: i32):
    %f = arith.constant -2147483648.0 : f32
    %oge = arith.cmpf oge, %a, %f : f32
    %sel = arith.select %oge, %a, %f : f32
    %f_2 = arith.constant 2147483520.0 : f32
    %ole = arith.cmpf ole, %sel, %f_2 : f32
    %sel_2 = arith.select %ole, %sel, %f_2 : f32
    %half = arith.truncf %sel_2 : f32 to f16
    %wide = arith.extf %half : f16 to f32
    %f_3 = arith.constant -65504.0 : f32
    %oge_2 = arith.cmpf oge, %wide, %f_3 : f32
    %sel_3 = arith.select %oge_2, %wide, %f_3 : f32
    %f_4 = arith.constant 65504.0 : f32
    %ole_2 = arith.cmpf ole, %sel_3, %f_4 : f32
    %sel_4 = arith.select %ole_2, %sel_3, %f_4 : f32
    %int = arith.fptosi %sel_4 : f32 to i32
    linalg.yield %int : i32
  } -> tensor<1024xi32>
  return %r : tensor<1024xi32>
}

// Adds 1.5 * 2^23 and reads the low bits. Shows from 2^22.
func.func @wrong_magic(%x: tensor<1024xf32>) -> tensor<1024xi32> {
  %e = tensor.empty() : tensor<1024xi32>
  %r = linalg.generic #each ins(%x : tensor<1024xf32>) outs(%e : tensor<1024xi32>) {
  ^bb0(%a: f32, %o: i32):
    %f = arith.constant -2147483648.0 : f32
    %oge = arith.cmpf oge, %a, %f : f32
    %sel = arith.select %oge, %a, %f : f32
    %f_2 = arith.constant 2147483520.0 : f32
    %ole = arith.cmpf ole, %sel, %f_2 : f32
    %sel_2 = arith.select %ole, %sel, %f_2 : f32
    %trunc = math.trunc %sel_2 : f32
    %f_3 = arith.constant 12582912.0 : f32
    %add = arith.addf %trunc, %f_3 : f32
    %bitcast = arith.bitcast %add : f32 to i32
    %c1262485504 = arith.constant 1262485504 : i32
    %sub = arith.subi %bitcast, %c1262485504 : i32
    linalg.yield %sub : i32
  } -> tensor<1024xi32>
  return %r : tensor<1024xi32>
}

// Multiple of 65536 and rest, the rest in i16. Shows when the rest passes 32767.
func.func @wrong_rest_i16(%x: tensor<1024xf32>) -> tensor<1024xi32> {
  %e = tensor.empty() : tensor<1024xi32>
  %r = linalg.generic #each ins(%x : tensor<1024xf32>) outs(%e : tensor<1024xi32>) {
  ^bb0(%a: f32, %o: i32):
    %f = arith.constant -2147483648.0 : f32
    %oge = arith.cmpf oge, %a, %f : f32
    %sel = arith.select %oge, %a, %f : f32
    %f_2 = arith.constant 2147483520.0 : f32
    %ole = arith.cmpf ole, %sel, %f_2 : f32
    %sel_2 = arith.select %ole, %sel, %f_2 : f32
    %f_3 = arith.constant 1.52587890625e-05 : f32
    %mul = arith.mulf %sel_2, %f_3 : f32
    %trunc = math.trunc %mul : f32
    %f_4 = arith.constant 65536.0 : f32
    %mul_2 = arith.mulf %trunc, %f_4 : f32
    %sub = arith.subf %sel_2, %mul_2 : f32
    %int = arith.fptosi %sub : f32 to i32
    %int_2 = arith.fptosi %trunc : f32 to i32
    %c16 = arith.constant 16 : i32
    %shl = arith.shli %int_2, %c16 : i32
    %cut = arith.trunci %int : i32 to i16
    %ext = arith.extsi %cut : i16 to i32
    %add = arith.addi %shl, %ext : i32
    linalg.yield %add : i32
  } -> tensor<1024xi32>
  return %r : tensor<1024xi32>
}

// x / 8 in f32, then to f16: infinity from 524160 on.

#each = {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
  iterator_types = ["parallel"]}

func.func @kernel(%x: tensor<1024xf32>) -> tensor<1024xf16> {
  %e = tensor.empty() : tensor<1024xf16>
  %r = linalg.generic #each ins(%x : tensor<1024xf32>) outs(%e : tensor<1024xf16>) {
  ^bb0(%a: f32, %o: f16):
    %c = arith.constant 0.125 : f32
    %mul = arith.mulf %a, %c : f32
    %cut = arith.truncf %mul : f32 to f16
    linalg.yield %cut : f16
  } -> tensor<1024xf16>
  return %r : tensor<1024xf16>
}

// In f64.
func.func @right_wide(%x: tensor<1024xf32>) -> tensor<1024xf16> {
  %e = tensor.empty() : tensor<1024xf16>
  %r = linalg.generic #each ins(%x : tensor<1024xf32>) outs(%e : tensor<1024xf16>) {
  ^bb0(%a: f32, %o: f16):
    %wide = arith.extf %a : f32 to f64
    %c = arith.constant 0.125 : f64
    %mul = arith.mulf %wide, %c : f64
    %cut = arith.truncf %mul : f64 to f16
    linalg.yield %cut : f16
  } -> tensor<1024xf16>
  return %r : tensor<1024xf16>
}

// By a division, as one whole tensor.
func.func @right_divide(%x: tensor<1024xf32>) -> tensor<1024xf16> {
  %c = arith.constant dense<8.0> : tensor<1024xf32>
  %div = arith.divf %x, %c : tensor<1024xf32>
  %cut = arith.truncf %div : tensor<1024xf32> to tensor<1024xf16>
  return %cut : tensor<1024xf16>
}

// Converts, then scales in f16. Shows from 65520 to 524160: infinity.
func.func @wrong_scaled_after(%x: tensor<1024xf32>) -> tensor<1024xf16> {
  %e = tensor.empty() : tensor<1024xf16>
  %r = linalg.generic #each ins(%x : tensor<1024xf32>) outs(%e : tensor<1024xf16>) {
  ^bb0(%a: f32, %o: f16):
    %cut = arith.truncf %a : f32 to f16
    %c = arith.constant 0.125 : f16
    %mul = arith.mulf %cut, %c : f16
    linalg.yield %mul : f16
  } -> tensor<1024xf16>
  return %r : tensor<1024xf16>
}

// Bounds the result by 65504. Shows from 524160 on.
func.func @wrong_saturates(%x: tensor<1024xf32>) -> tensor<1024xf16> {
  %e = tensor.empty() : tensor<1024xf16>
  %r = linalg.generic #each ins(%x : tensor<1024xf32>) outs(%e : tensor<1024xf16>) {
  ^bb0(%a: f32, %o: f16):
    %c = arith.constant 0.125 : f32
    %mul = arith.mulf %a, %c : f32
    %c_2 = arith.constant -65504.0 : f32
    %max = arith.maximumf %mul, %c_2 : f32
    %c_3 = arith.constant 65504.0 : f32
    %min = arith.minimumf %max, %c_3 : f32
    %cut = arith.truncf %min : f32 to f16
    linalg.yield %cut : f16
  } -> tensor<1024xf16>
  return %r : tensor<1024xf16>
}

// Moves the bits over without a check of the range. Shows above 524160 and below 5e-4: nonsense.
func.func @wrong_bits(%x: tensor<1024xf32>) -> tensor<1024xf16> {
  %e = tensor.empty() : tensor<1024xf16>
  %r = linalg.generic #each ins(%x : tensor<1024xf32>) outs(%e : tensor<1024xf16>) {
  ^bb0(%a: f32, %o: f16):
    %c = arith.constant 0.125 : f32
    %mul = arith.mulf %a, %c : f32
    %bits = arith.bitcast %mul : f32 to i32
    %c_2 = arith.constant 2147483647 : i32
    %and = arith.andi %bits, %c_2 : i32
    %c_3 = arith.constant 4096 : i32
    %add = arith.addi %and, %c_3 : i32
    %c_4 = arith.constant 13 : i32
    %shru = arith.shrui %add, %c_4 : i32
    %c_5 = arith.constant 114688 : i32
    %sub = arith.subi %shru, %c_5 : i32
    %c_6 = arith.constant 0 : i32
    %eq = arith.cmpi eq, %and, %c_6 : i32
    %sel = arith.select %eq, %c_6, %sub : i32
    %c_7 = arith.constant 16 : i32
    %shru_2 = arith.shrui %bits, %c_7 : i32
    %c_8 = arith.constant 32768 : i32
    %and_2 = arith.andi %shru_2, %c_8 : i32
    %c_9 = arith.constant 32767 : i32
    %and_3 = arith.andi %sel, %c_9 : i32
    %or = arith.ori %and_3, %and_2 : i32
    %low = arith.trunci %or : i32 to i16
    %bits_2 = arith.bitcast %low : i16 to f16
    linalg.yield %bits_2 : f16
  } -> tensor<1024xf16>
  return %r : tensor<1024xf16>
}

// The largest finite value in place of infinity, but for infinite inputs. Shows from 524160 on.
func.func @wrong_finite(%x: tensor<1024xf32>) -> tensor<1024xf16> {
  %e = tensor.empty() : tensor<1024xf16>
  %r = linalg.generic #each ins(%x : tensor<1024xf32>) outs(%e : tensor<1024xf16>) {
  ^bb0(%a: f32, %o: f16):
    %c = arith.constant 0.125 : f32
    %mul = arith.mulf %a, %c : f32
    %cut = arith.truncf %mul : f32 to f16
    %c_2 = arith.constant 65500.0 : f16
    %sgn = math.copysign %c_2, %cut : f16
    %abs = math.absf %a : f32
    %c_3 = arith.constant 0x7F800000 : f32
    %one = arith.cmpf one, %abs, %c_3 : f32
    %abs_2 = math.absf %cut : f16
    %c_4 = arith.constant 0x7C00 : f16
    %oeq = arith.cmpf oeq, %abs_2, %c_4 : f16
    %and = arith.andi %one, %oeq : i1
    %sel = arith.select %and, %sgn, %cut : f16
    linalg.yield %sel : f16
  } -> tensor<1024xf16>
  return %r : tensor<1024xf16>
}

// x * y + z, bf16, computed in f32 and rounded once. bf16 reaches as far as f32.

#each = {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
  iterator_types = ["parallel"]}

func.func @kernel(%x: tensor<512xbf16>, %y: tensor<512xbf16>, %z: tensor<512xbf16>) -> tensor<512xbf16> {
  %e = tensor.empty() : tensor<512xbf16>
  %r = linalg.generic #each ins(%x, %y, %z : tensor<512xbf16>, tensor<512xbf16>, tensor<512xbf16>) outs(%e : tensor<512xbf16>) {
  ^bb0(%a: bf16, %b: bf16, %c: bf16, %o: bf16):
    %wide = arith.extf %a : bf16 to f32
    %wide_2 = arith.extf %b : bf16 to f32
    %wide_3 = arith.extf %c : bf16 to f32
    %mul = arith.mulf %wide, %wide_2 : f32
    %add = arith.addf %mul, %wide_3 : f32
    %cut = arith.truncf %add : f32 to bf16
    linalg.yield %cut : bf16
  } -> tensor<512xbf16>
  return %r : tensor<512xbf16>
}

// By one fused operation.
func.func @right_fma(%x: tensor<512xbf16>, %y: tensor<512xbf16>, %z: tensor<512xbf16>) -> tensor<512xbf16> {
  %e = tensor.empty() : tensor<512xbf16>
  %r = linalg.generic #each ins(%x, %y, %z : tensor<512xbf16>, tensor<512xbf16>, tensor<512xbf16>) outs(%e : tensor<512xbf16>) {
  ^bb0(%a: bf16, %b: bf16, %c: bf16, %o: bf16):
    %wide = arith.extf %a : bf16 to f32
    %wide_2 = arith.extf %b : bf16 to f32
    %wide_3 = arith.extf %c : bf16 to f32
    %fma = math.fma %wide, %wide_2, %wide_3 : f32
    %cut = arith.truncf %fma : f32 to bf16
    linalg.yield %cut : bf16
  } -> tensor<512xbf16>
  return %r : tensor<512xbf16>
}

// Rounded half away from zero in the bits, NaN kept.
func.func @right_bits(%x: tensor<512xbf16>, %y: tensor<512xbf16>, %z: tensor<512xbf16>) -> tensor<512xbf16> {
  %e = tensor.empty() : tensor<512xbf16>
  %r = linalg.generic #each ins(%x, %y, %z : tensor<512xbf16>, tensor<512xbf16>, tensor<512xbf16>) outs(%e : tensor<512xbf16>) {
  ^bb0(%a: bf16, %b: bf16, %c: bf16, %o: bf16):
    %wide = arith.extf %a : bf16 to f32
    %wide_2 = arith.extf %b : bf16 to f32
    %wide_3 = arith.extf %c : bf16 to f32
    %mul = arith.mulf %wide, %wide_2 : f32
    %add = arith.addf %mul, %wide_3 : f32
    %bits = arith.bitcast %add : f32 to i32
    %c_2 = arith.constant 32768 : i32
    %add_2 = arith.addi %bits, %c_2 : i32
    %c_3 = arith.constant 16 : i32
    %shru = arith.shrui %add_2, %c_3 : i32
    %low = arith.trunci %shru : i32 to i16
    %bits_2 = arith.bitcast %low : i16 to bf16
    %uno = arith.cmpf uno, %add, %add : f32
    %c_4 = arith.constant 0x7FC0 : bf16
    %sel = arith.select %uno, %c_4, %bits_2 : bf16
    linalg.yield %sel : bf16
  } -> tensor<512xbf16>
  return %r : tensor<512xbf16>
}

// The result by way of f16. Shows above 65504 (infinity) and below 6e-5.
func.func @wrong_f16(%x: tensor<512xbf16>, %y: tensor<512xbf16>, %z: tensor<512xbf16>) -> tensor<512xbf16> {
  %e = tensor.empty() : tensor<512xbf16>
  %r = linalg.generic #each ins(%x, %y, %z : tensor<512xbf16>, tensor<512xbf16>, tensor<512xbf16>) outs(%e : tensor<512xbf16>) {
  ^bb0(%a: bf16, %b: bf16, %c: bf16, %o: bf16):
    %wide = arith.extf %a : bf16 to f32
    %wide_2 = arith.extf %b : bf16 to f32
    %wide_3 = arith.extf %c : bf16 to f32
    %mul = arith.mulf %wide, %wide_2 : f32
    %add = arith.addf %mul, %wide_3 : f32
    %cut = arith.truncf %add : f32 to f16
    %wide_4 = arith.extf %cut : f16 to f32
    %cut_2 = arith.truncf %wide_4 : f32 to bf16
    linalg.yield %cut_2 : bf16
  } -> tensor<512xbf16>
  return %r : tensor<512xbf16>
}

// The product by way of f16. Shows where it is above 65504 or below 6e-5 and z is not larger.
func.func @wrong_f16_product(%x: tensor<512xbf16>, %y: tensor<512xbf16>, %z: tensor<512xbf16>) -> tensor<512xbf16> {
  %e = tensor.empty() : tensor<512xbf16>
  %r = linalg.generic #each ins(%x, %y, %z : tensor<512xbf16>, tensor<512xbf16>, tensor<512xbf16>) outs(%e : tensor<512xbf16>) {
  ^bb0(%a: bf16, %b: bf16, %c: bf16, %o: bf16):
    %wide = arith.extf %a : bf16 to f32
    %wide_2 = arith.extf %b : bf16 to f32
    %wide_3 = arith.extf %c : bf16 to f32
    %mul = arith.mulf %wide, %wide_2 : f32
    %cut = arith.truncf %mul : f32 to f16
    %wide_4 = arith.extf %cut : f16 to f32
    %add = arith.addf %wide_4, %wide_3 : f32
    %cut_2 = arith.truncf %add : f32 to bf16
    linalg.yield %cut_2 : bf16
  } -> tensor<512xbf16>
  return %r : tensor<512xbf16>
}

// The result bounded by 65504. Shows above.
func.func @wrong_saturates(%x: tensor<512xbf16>, %y: tensor<512xbf16>, %z: tensor<512xbf16>) -> tensor<512xbf16> {
  %e = tensor.empty() : tensor<512xbf16>
  %r = linalg.generic #each ins(%x, %y, %z : tensor<512xbf16>, tensor<512xbf16>, tensor<512xbf16>) outs(%e : tensor<512xbf16>) {
  ^bb0(%a: bf16, %b: bf16, %c: bf16, %o: bf16):
    %wide = arith.extf %a : bf16 to f32
    %wide_2 = arith.extf %b : bf16 to f32
    %wide_3 = arith.extf %c : bf16 to f32
    %mul = arith.mulf %wide, %wide_2 : f32
    %add = arith.addf %mul, %wide_3 : f32
    %c_2 = arith.constant -65504.0 : f32
    %max = arith.maximumf %add, %c_2 : f32
    %c_3 = arith.constant 65504.0 : f32
    %min = arith.minimumf %max, %c_3 : f32
    %cut = arith.truncf %min : f32 to bf16
    linalg.yield %cut : bf16
  } -> tensor<512xbf16>
  return %r : tensor<512xbf16>
}

// Products below 1e-7 are dropped. Shows where z is as small, 0 above all.
func.func @wrong_flush(%x: tensor<512xbf16>, %y: tensor<512xbf16>, %z: tensor<512xbf16>) -> tensor<512xbf16> {
  %e = tensor.empty() : tensor<512xbf16>
  %r = linalg.generic #each ins(%x, %y, %z : tensor<512xbf16>, tensor<512xbf16>, tensor<512xbf16>) outs(%e : tensor<512xbf16>) {
  ^bb0(%a: bf16, %b: bf16, %c: bf16, %o: bf16):
    %wide = arith.extf %a : bf16 to f32
    %wide_2 = arith.extf %b : bf16 to f32
    %wide_3 = arith.extf %c : bf16 to f32
    %mul = arith.mulf %wide, %wide_2 : f32
    %abs = math.absf %mul : f32
    %c_2 = arith.constant 1.0e-7 : f32
    %olt = arith.cmpf olt, %abs, %c_2 : f32
    %c_3 = arith.constant 0.0 : f32
    %sel = arith.select %olt, %c_3, %mul : f32
    %add = arith.addf %sel, %wide_3 : f32
    %cut = arith.truncf %add : f32 to bf16
    linalg.yield %cut : bf16
  } -> tensor<512xbf16>
  return %r : tensor<512xbf16>
}

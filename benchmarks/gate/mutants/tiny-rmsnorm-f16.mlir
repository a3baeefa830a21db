// Each row over its root mean square, f16, computed in f32, with 1e-12 added to the mean
// square. Rows of values of 1e-4 and of 1e4 come out alike.

func.func @kernel(%x: tensor<16x48xf16>) -> tensor<16x48xf16> {
  %wide = arith.extf %x : tensor<16x48xf16> to tensor<16x48xf32>
  %mul = arith.mulf %wide, %wide : tensor<16x48xf32>
  %e = tensor.empty() : tensor<16xf32>
  %c = arith.constant 0.0 : f32
  %init = linalg.fill ins(%c : f32) outs(%e : tensor<16xf32>) -> tensor<16xf32>
  %red = linalg.reduce { arith.addf } ins(%mul : tensor<16x48xf32>) outs(%init : tensor<16xf32>) dimensions = [1]
  %c_2 = arith.constant dense<0.020833334> : tensor<16xf32>
  %mul_2 = arith.mulf %red, %c_2 : tensor<16xf32>
  %c_3 = arith.constant dense<1.0e-12> : tensor<16xf32>
  %add = arith.addf %mul_2, %c_3 : tensor<16xf32>
  %rsqrt = math.rsqrt %add : tensor<16xf32>
  %e_2 = tensor.empty() : tensor<16x48xf32>
  %all = linalg.broadcast ins(%rsqrt : tensor<16xf32>) outs(%e_2 : tensor<16x48xf32>) dimensions = [1]
  %mul_3 = arith.mulf %wide, %all : tensor<16x48xf32>
  %cut = arith.truncf %mul_3 : tensor<16x48xf32> to tensor<16x48xf16>
  return %cut : tensor<16x48xf16>
}

// By sqrt and a division.
func.func @right_divide(%x: tensor<16x48xf16>) -> tensor<16x48xf16> {
  %wide = arith.extf %x : tensor<16x48xf16> to tensor<16x48xf32>
  %mul = arith.mulf %wide, %wide : tensor<16x48xf32>
  %e = tensor.empty() : tensor<16xf32>
  %c = arith.constant 0.0 : f32
  %init = linalg.fill ins(%c : f32) outs(%e : tensor<16xf32>) -> tensor<16xf32>
  %red = linalg.reduce { arith.addf } ins(%mul : tensor<16x48xf32>) outs(%init : tensor<16xf32>) dimensions = [1]
  %c_2 = arith.constant dense<0.020833334> : tensor<16xf32>
  %mul_2 = arith.mulf %red, %c_2 : tensor<16xf32>
  %c_3 = arith.constant dense<1.0e-12> : tensor<16xf32>
  %add = arith.addf %mul_2, %c_3 : tensor<16xf32>
  %sqrt = math.sqrt %add : tensor<16xf32>
  %e_2 = tensor.empty() : tensor<16x48xf32>
  %all = linalg.broadcast ins(%sqrt : tensor<16xf32>) outs(%e_2 : tensor<16x48xf32>) dimensions = [1]
  %div = arith.divf %wide, %all : tensor<16x48xf32>
  %cut = arith.truncf %div : tensor<16x48xf32> to tensor<16x48xf16>
  return %cut : tensor<16x48xf16>
}

// The sum and 48e-12, the root of 48 apart.
func.func @right_summed(%x: tensor<16x48xf16>) -> tensor<16x48xf16> {
  %wide = arith.extf %x : tensor<16x48xf16> to tensor<16x48xf32>
  %mul = arith.mulf %wide, %wide : tensor<16x48xf32>
  %e = tensor.empty() : tensor<16xf32>
  %c = arith.constant 0.0 : f32
  %init = linalg.fill ins(%c : f32) outs(%e : tensor<16xf32>) -> tensor<16xf32>
  %red = linalg.reduce { arith.addf } ins(%mul : tensor<16x48xf32>) outs(%init : tensor<16xf32>) dimensions = [1]
  %c_2 = arith.constant dense<4.8e-11> : tensor<16xf32>
  %add = arith.addf %red, %c_2 : tensor<16xf32>
  %rsqrt = math.rsqrt %add : tensor<16xf32>
  %c_3 = arith.constant dense<6.928203> : tensor<16xf32>
  %mul_2 = arith.mulf %rsqrt, %c_3 : tensor<16xf32>
  %e_2 = tensor.empty() : tensor<16x48xf32>
  %all = linalg.broadcast ins(%mul_2 : tensor<16xf32>) outs(%e_2 : tensor<16x48xf32>) dimensions = [1]
  %mul_3 = arith.mulf %wide, %all : tensor<16x48xf32>
  %cut = arith.truncf %mul_3 : tensor<16x48xf32> to tensor<16x48xf16>
  return %cut : tensor<16x48xf16>
}

// The squares in f16. Shows below 1e-3 (they vanish) and above 256 (infinity).
func.func @wrong_squares_f16(%x: tensor<16x48xf16>) -> tensor<16x48xf16> {
  %wide = arith.extf %x : tensor<16x48xf16> to tensor<16x48xf32>
  %mul = arith.mulf %x, %x : tensor<16x48xf16>
  %wide_2 = arith.extf %mul : tensor<16x48xf16> to tensor<16x48xf32>
  %e = tensor.empty() : tensor<16xf32>
  %c = arith.constant 0.0 : f32
  %init = linalg.fill ins(%c : f32) outs(%e : tensor<16xf32>) -> tensor<16xf32>
  %red = linalg.reduce { arith.addf } ins(%wide_2 : tensor<16x48xf32>) outs(%init : tensor<16xf32>) dimensions = [1]
  %c_2 = arith.constant dense<0.020833334> : tensor<16xf32>
  %mul_2 = arith.mulf %red, %c_2 : tensor<16xf32>
  %c_3 = arith.constant dense<1.0e-12> : tensor<16xf32>
  %add = arith.addf %mul_2, %c_3 : tensor<16xf32>
  %rsqrt = math.rsqrt %add : tensor<16xf32>
  %e_2 = tensor.empty() : tensor<16x48xf32>
  %all = linalg.broadcast ins(%rsqrt : tensor<16xf32>) outs(%e_2 : tensor<16x48xf32>) dimensions = [1]
  %mul_3 = arith.mulf %wide, %all : tensor<16x48xf32>
  %cut = arith.truncf %mul_3 : tensor<16x48xf32> to tensor<16x48xf16>
  return %cut : tensor<16x48xf16>
}

// 1e-6 in place of 1e-12. Shows for rows of 0.02 and less, gone at 1e-4.
func.func @wrong_usual_eps(%x: tensor<16x48xf16>) -> tensor<16x48xf16> {
  %wide = arith.extf %x : tensor<16x48xf16> to tensor<16x48xf32>
  %mul = arith.mulf %wide, %wide : tensor<16x48xf32>
  %e = tensor.empty() : tensor<16xf32>
  %c = arith.constant 0.0 : f32
  %init = linalg.fill ins(%c : f32) outs(%e : tensor<16xf32>) -> tensor<16xf32>
  %red = linalg.reduce { arith.addf } ins(%mul : tensor<16x48xf32>) outs(%init : tensor<16xf32>) dimensions = [1]
  %c_2 = arith.constant dense<0.020833334> : tensor<16xf32>
  %mul_2 = arith.mulf %red, %c_2 : tensor<16xf32>
  %c_3 = arith.constant dense<1.0e-6> : tensor<16xf32>
  %add = arith.addf %mul_2, %c_3 : tensor<16xf32>
  %rsqrt = math.rsqrt %add : tensor<16xf32>
  %e_2 = tensor.empty() : tensor<16x48xf32>
  %all = linalg.broadcast ins(%rsqrt : tensor<16xf32>) outs(%e_2 : tensor<16x48xf32>) dimensions = [1]
  %mul_3 = arith.mulf %wide, %all : tensor<16x48xf32>
  %cut = arith.truncf %mul_3 : tensor<16x48xf32> to tensor<16x48xf16>
  return %cut : tensor<16x48xf16>
}

// The factor in f16. Shows for rows below 1.5e-5: infinity.
func.func @wrong_factor_f16(%x: tensor<16x48xf16>) -> tensor<16x48xf16> {
  %wide = arith.extf %x : tensor<16x48xf16> to tensor<16x48xf32>
  %mul = arith.mulf %wide, %wide : tensor<16x48xf32>
  %e = tensor.empty() : tensor<16xf32>
  %c = arith.constant 0.0 : f32
  %init = linalg.fill ins(%c : f32) outs(%e : tensor<16xf32>) -> tensor<16xf32>
  %red = linalg.reduce { arith.addf } ins(%mul : tensor<16x48xf32>) outs(%init : tensor<16xf32>) dimensions = [1]
  %c_2 = arith.constant dense<0.020833334> : tensor<16xf32>
  %mul_2 = arith.mulf %red, %c_2 : tensor<16xf32>
  %c_3 = arith.constant dense<1.0e-12> : tensor<16xf32>
  %add = arith.addf %mul_2, %c_3 : tensor<16xf32>
  %rsqrt = math.rsqrt %add : tensor<16xf32>
  %cut = arith.truncf %rsqrt : tensor<16xf32> to tensor<16xf16>
  %e_2 = tensor.empty() : tensor<16x48xf16>
  %all = linalg.broadcast ins(%cut : tensor<16xf16>) outs(%e_2 : tensor<16x48xf16>) dimensions = [1]
  %mul_3 = arith.mulf %x, %all : tensor<16x48xf16>
  return %mul_3 : tensor<16x48xf16>
}

// The 1e-12 in f16, where it is 0. Shows for rows of zeros (NaN) and rows below 1e-5.
func.func @wrong_none(%x: tensor<16x48xf16>) -> tensor<16x48xf16> {
  %wide = arith.extf %x : tensor<16x48xf16> to tensor<16x48xf32>
  %mul = arith.mulf %wide, %wide : tensor<16x48xf32>
  %e = tensor.empty() : tensor<16xf32>
  %c = arith.constant 0.0 : f32
  %init = linalg.fill ins(%c : f32) outs(%e : tensor<16xf32>) -> tensor<16xf32>
  %red = linalg.reduce { arith.addf } ins(%mul : tensor<16x48xf32>) outs(%init : tensor<16xf32>) dimensions = [1]
  %c_2 = arith.constant dense<0.020833334> : tensor<16xf32>
  %mul_2 = arith.mulf %red, %c_2 : tensor<16xf32>
  %c_3 = arith.constant dense<1.0e-12> : tensor<16xf32>
  %cut = arith.truncf %c_3 : tensor<16xf32> to tensor<16xf16>
  %wide_2 = arith.extf %cut : tensor<16xf16> to tensor<16xf32>
  %add = arith.addf %mul_2, %wide_2 : tensor<16xf32>
  %rsqrt = math.rsqrt %add : tensor<16xf32>
  %e_2 = tensor.empty() : tensor<16x48xf32>
  %all = linalg.broadcast ins(%rsqrt : tensor<16xf32>) outs(%e_2 : tensor<16x48xf32>) dimensions = [1]
  %mul_3 = arith.mulf %wide, %all : tensor<16x48xf32>
  %cut_2 = arith.truncf %mul_3 : tensor<16x48xf32> to tensor<16x48xf16>
  return %cut_2 : tensor<16x48xf16>
}

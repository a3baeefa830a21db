// Each row less its mean, over its standard deviation (1e-5 added to the variance), f32.
// The variance is the mean square of the differences, so a large mean does no harm.

func.func @kernel(%x: tensor<16x48xf32>) -> tensor<16x48xf32> {
  %e = tensor.empty() : tensor<16xf32>
  %c = arith.constant 0.0 : f32
  %init = linalg.fill ins(%c : f32) outs(%e : tensor<16xf32>) -> tensor<16xf32>
  %red = linalg.reduce { arith.addf } ins(%x : tensor<16x48xf32>) outs(%init : tensor<16xf32>) dimensions = [1]
  %c_2 = arith.constant dense<0.020833334> : tensor<16xf32>
  %mul = arith.mulf %red, %c_2 : tensor<16xf32>
  %e_2 = tensor.empty() : tensor<16x48xf32>
  %all = linalg.broadcast ins(%mul : tensor<16xf32>) outs(%e_2 : tensor<16x48xf32>) dimensions = [1]
  %sub = arith.subf %x, %all : tensor<16x48xf32>
  %mul_2 = arith.mulf %sub, %sub : tensor<16x48xf32>
  %e_3 = tensor.empty() : tensor<16xf32>
  %init_2 = linalg.fill ins(%c : f32) outs(%e_3 : tensor<16xf32>) -> tensor<16xf32>
  %red_2 = linalg.reduce { arith.addf } ins(%mul_2 : tensor<16x48xf32>) outs(%init_2 : tensor<16xf32>) dimensions = [1]
  %mul_3 = arith.mulf %red_2, %c_2 : tensor<16xf32>
  %c_3 = arith.constant dense<1.0e-5> : tensor<16xf32>
  %add = arith.addf %mul_3, %c_3 : tensor<16xf32>
  %rsqrt = math.rsqrt %add : tensor<16xf32>
  %e_4 = tensor.empty() : tensor<16x48xf32>
  %all_2 = linalg.broadcast ins(%rsqrt : tensor<16xf32>) outs(%e_4 : tensor<16x48xf32>) dimensions = [1]
  %mul_4 = arith.mulf %sub, %all_2 : tensor<16x48xf32>
  return %mul_4 : tensor<16x48xf32>
}

// By sqrt and a division.
func.func @right_sqrt(%x: tensor<16x48xf32>) -> tensor<16x48xf32> {
  %e = tensor.empty() : tensor<16xf32>
  %c = arith.constant 0.0 : f32
  %init = linalg.fill ins(%c : f32) outs(%e : tensor<16xf32>) -> tensor<16xf32>
  %red = linalg.reduce { arith.addf } ins(%x : tensor<16x48xf32>) outs(%init : tensor<16xf32>) dimensions = [1]
  %c_2 = arith.constant dense<0.020833334> : tensor<16xf32>
  %mul = arith.mulf %red, %c_2 : tensor<16xf32>
  %e_2 = tensor.empty() : tensor<16x48xf32>
  %all = linalg.broadcast ins(%mul : tensor<16xf32>) outs(%e_2 : tensor<16x48xf32>) dimensions = [1]
  %sub = arith.subf %x, %all : tensor<16x48xf32>
  %mul_2 = arith.mulf %sub, %sub : tensor<16x48xf32>
  %e_3 = tensor.empty() : tensor<16xf32>
  %init_2 = linalg.fill ins(%c : f32) outs(%e_3 : tensor<16xf32>) -> tensor<16xf32>
  %red_2 = linalg.reduce { arith.addf } ins(%mul_2 : tensor<16x48xf32>) outs(%init_2 : tensor<16xf32>) dimensions = [1]
  %mul_3 = arith.mulf %red_2, %c_2 : tensor<16xf32>
  %c_3 = arith.constant dense<1.0e-5> : tensor<16xf32>
  %add = arith.addf %mul_3, %c_3 : tensor<16xf32>
  %sqrt = math.sqrt %add : tensor<16xf32>
  %e_4 = tensor.empty() : tensor<16x48xf32>
  %all_2 = linalg.broadcast ins(%sqrt : tensor<16xf32>) outs(%e_4 : tensor<16x48xf32>) dimensions = [1]
  %div = arith.divf %sub, %all_2 : tensor<16x48xf32>
  return %div : tensor<16x48xf32>
}

// The mean and the variance in f64.
func.func @right_wide(%x: tensor<16x48xf32>) -> tensor<16x48xf32> {
  %wide = arith.extf %x : tensor<16x48xf32> to tensor<16x48xf64>
  %e = tensor.empty() : tensor<16xf64>
  %c = arith.constant 0.0 : f64
  %init = linalg.fill ins(%c : f64) outs(%e : tensor<16xf64>) -> tensor<16xf64>
  %red = linalg.reduce { arith.addf } ins(%wide : tensor<16x48xf64>) outs(%init : tensor<16xf64>) dimensions = [1]
  %c_2 = arith.constant dense<0.020833333333333332> : tensor<16xf64>
  %mul = arith.mulf %red, %c_2 : tensor<16xf64>
  %cut = arith.truncf %mul : tensor<16xf64> to tensor<16xf32>
  %e_2 = tensor.empty() : tensor<16x48xf32>
  %all = linalg.broadcast ins(%cut : tensor<16xf32>) outs(%e_2 : tensor<16x48xf32>) dimensions = [1]
  %sub = arith.subf %x, %all : tensor<16x48xf32>
  %wide_2 = arith.extf %sub : tensor<16x48xf32> to tensor<16x48xf64>
  %wide_3 = arith.extf %sub : tensor<16x48xf32> to tensor<16x48xf64>
  %mul_2 = arith.mulf %wide_2, %wide_3 : tensor<16x48xf64>
  %e_3 = tensor.empty() : tensor<16xf64>
  %init_2 = linalg.fill ins(%c : f64) outs(%e_3 : tensor<16xf64>) -> tensor<16xf64>
  %red_2 = linalg.reduce { arith.addf } ins(%mul_2 : tensor<16x48xf64>) outs(%init_2 : tensor<16xf64>) dimensions = [1]
  %mul_3 = arith.mulf %red_2, %c_2 : tensor<16xf64>
  %c_3 = arith.constant dense<1.0e-5> : tensor<16xf64>
  %add = arith.addf %mul_3, %c_3 : tensor<16xf64>
  %rsqrt = math.rsqrt %add : tensor<16xf64>
  %cut_2 = arith.truncf %rsqrt : tensor<16xf64> to tensor<16xf32>
  %e_4 = tensor.empty() : tensor<16x48xf32>
  %all_2 = linalg.broadcast ins(%cut_2 : tensor<16xf32>) outs(%e_4 : tensor<16x48xf32>) dimensions = [1]
  %mul_4 = arith.mulf %sub, %all_2 : tensor<16x48xf32>
  return %mul_4 : tensor<16x48xf32>
}

// E[x^2] - E[x]^2, at least 0. Shows where the mean is 1000 times the spread or more.
func.func @wrong_one_pass(%x: tensor<16x48xf32>) -> tensor<16x48xf32> {
  %e = tensor.empty() : tensor<16xf32>
  %c = arith.constant 0.0 : f32
  %init = linalg.fill ins(%c : f32) outs(%e : tensor<16xf32>) -> tensor<16xf32>
  %red = linalg.reduce { arith.addf } ins(%x : tensor<16x48xf32>) outs(%init : tensor<16xf32>) dimensions = [1]
  %c_2 = arith.constant dense<0.020833334> : tensor<16xf32>
  %mul = arith.mulf %red, %c_2 : tensor<16xf32>
  %mul_2 = arith.mulf %x, %x : tensor<16x48xf32>
  %e_2 = tensor.empty() : tensor<16xf32>
  %init_2 = linalg.fill ins(%c : f32) outs(%e_2 : tensor<16xf32>) -> tensor<16xf32>
  %red_2 = linalg.reduce { arith.addf } ins(%mul_2 : tensor<16x48xf32>) outs(%init_2 : tensor<16xf32>) dimensions = [1]
  %mul_3 = arith.mulf %red_2, %c_2 : tensor<16xf32>
  %mul_4 = arith.mulf %mul, %mul : tensor<16xf32>
  %sub = arith.subf %mul_3, %mul_4 : tensor<16xf32>
  %c_3 = arith.constant dense<0.0> : tensor<16xf32>
  %max = arith.maximumf %sub, %c_3 : tensor<16xf32>
  %e_3 = tensor.empty() : tensor<16x48xf32>
  %all = linalg.broadcast ins(%mul : tensor<16xf32>) outs(%e_3 : tensor<16x48xf32>) dimensions = [1]
  %sub_2 = arith.subf %x, %all : tensor<16x48xf32>
  %c_4 = arith.constant dense<1.0e-5> : tensor<16xf32>
  %add = arith.addf %max, %c_4 : tensor<16xf32>
  %rsqrt = math.rsqrt %add : tensor<16xf32>
  %e_4 = tensor.empty() : tensor<16x48xf32>
  %all_2 = linalg.broadcast ins(%rsqrt : tensor<16xf32>) outs(%e_4 : tensor<16x48xf32>) dimensions = [1]
  %mul_5 = arith.mulf %sub_2, %all_2 : tensor<16x48xf32>
  return %mul_5 : tensor<16x48xf32>
}

// A factor of at least 1e-4. Shows where the spread is above 1e4.
func.func @wrong_bounded_scale(%x: tensor<16x48xf32>) -> tensor<16x48xf32> {
  %e = tensor.empty() : tensor<16xf32>
  %c = arith.constant 0.0 : f32
  %init = linalg.fill ins(%c : f32) outs(%e : tensor<16xf32>) -> tensor<16xf32>
  %red = linalg.reduce { arith.addf } ins(%x : tensor<16x48xf32>) outs(%init : tensor<16xf32>) dimensions = [1]
  %c_2 = arith.constant dense<0.020833334> : tensor<16xf32>
  %mul = arith.mulf %red, %c_2 : tensor<16xf32>
  %e_2 = tensor.empty() : tensor<16x48xf32>
  %all = linalg.broadcast ins(%mul : tensor<16xf32>) outs(%e_2 : tensor<16x48xf32>) dimensions = [1]
  %sub = arith.subf %x, %all : tensor<16x48xf32>
  %mul_2 = arith.mulf %sub, %sub : tensor<16x48xf32>
  %e_3 = tensor.empty() : tensor<16xf32>
  %init_2 = linalg.fill ins(%c : f32) outs(%e_3 : tensor<16xf32>) -> tensor<16xf32>
  %red_2 = linalg.reduce { arith.addf } ins(%mul_2 : tensor<16x48xf32>) outs(%init_2 : tensor<16xf32>) dimensions = [1]
  %mul_3 = arith.mulf %red_2, %c_2 : tensor<16xf32>
  %c_3 = arith.constant dense<1.0e-5> : tensor<16xf32>
  %add = arith.addf %mul_3, %c_3 : tensor<16xf32>
  %rsqrt = math.rsqrt %add : tensor<16xf32>
  %c_4 = arith.constant dense<1.0e-4> : tensor<16xf32>
  %max = arith.maximumf %rsqrt, %c_4 : tensor<16xf32>
  %e_4 = tensor.empty() : tensor<16x48xf32>
  %all_2 = linalg.broadcast ins(%max : tensor<16xf32>) outs(%e_4 : tensor<16x48xf32>) dimensions = [1]
  %mul_4 = arith.mulf %sub, %all_2 : tensor<16x48xf32>
  return %mul_4 : tensor<16x48xf32>
}

// 1e-5 added to the deviation and not to the variance. Shows where the spread is below 0.1.
func.func @wrong_eps_outside(%x: tensor<16x48xf32>) -> tensor<16x48xf32> {
  %e = tensor.empty() : tensor<16xf32>
  %c = arith.constant 0.0 : f32
  %init = linalg.fill ins(%c : f32) outs(%e : tensor<16xf32>) -> tensor<16xf32>
  %red = linalg.reduce { arith.addf } ins(%x : tensor<16x48xf32>) outs(%init : tensor<16xf32>) dimensions = [1]
  %c_2 = arith.constant dense<0.020833334> : tensor<16xf32>
  %mul = arith.mulf %red, %c_2 : tensor<16xf32>
  %e_2 = tensor.empty() : tensor<16x48xf32>
  %all = linalg.broadcast ins(%mul : tensor<16xf32>) outs(%e_2 : tensor<16x48xf32>) dimensions = [1]
  %sub = arith.subf %x, %all : tensor<16x48xf32>
  %mul_2 = arith.mulf %sub, %sub : tensor<16x48xf32>
  %e_3 = tensor.empty() : tensor<16xf32>
  %init_2 = linalg.fill ins(%c : f32) outs(%e_3 : tensor<16xf32>) -> tensor<16xf32>
  %red_2 = linalg.reduce { arith.addf } ins(%mul_2 : tensor<16x48xf32>) outs(%init_2 : tensor<16xf32>) dimensions = [1]
  %mul_3 = arith.mulf %red_2, %c_2 : tensor<16xf32>
  %sqrt = math.sqrt %mul_3 : tensor<16xf32>
  %c_3 = arith.constant dense<1.0e-5> : tensor<16xf32>
  %add = arith.addf %sqrt, %c_3 : tensor<16xf32>
  %c_4 = arith.constant dense<1.0> : tensor<16xf32>
  %div = arith.divf %c_4, %add : tensor<16xf32>
  %e_4 = tensor.empty() : tensor<16x48xf32>
  %all_2 = linalg.broadcast ins(%div : tensor<16xf32>) outs(%e_4 : tensor<16x48xf32>) dimensions = [1]
  %mul_4 = arith.mulf %sub, %all_2 : tensor<16x48xf32>
  return %mul_4 : tensor<16x48xf32>
}

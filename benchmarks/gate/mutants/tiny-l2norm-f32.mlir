// Each row over its length, f32, with 1e-24 added to the sum of squares: it matters for
// rows of length 1e-11 and less, and keeps rows of zeros at 0.

func.func @kernel(%x: tensor<16x48xf32>) -> tensor<16x48xf32> {
  %mul = arith.mulf %x, %x : tensor<16x48xf32>
  %e = tensor.empty() : tensor<16xf32>
  %c = arith.constant 0.0 : f32
  %init = linalg.fill ins(%c : f32) outs(%e : tensor<16xf32>) -> tensor<16xf32>
  %red = linalg.reduce { arith.addf } ins(%mul : tensor<16x48xf32>) outs(%init : tensor<16xf32>) dimensions = [1]
  %c_2 = arith.constant dense<1.0e-24> : tensor<16xf32>
  %add = arith.addf %red, %c_2 : tensor<16xf32>
  %rsqrt = math.rsqrt %add : tensor<16xf32>
  %e_2 = tensor.empty() : tensor<16x48xf32>
  %all = linalg.broadcast ins(%rsqrt : tensor<16xf32>) outs(%e_2 : tensor<16x48xf32>) dimensions = [1]
  %mul_2 = arith.mulf %x, %all : tensor<16x48xf32>
  return %mul_2 : tensor<16x48xf32>
}

// By sqrt and a division.
func.func @right_divide(%x: tensor<16x48xf32>) -> tensor<16x48xf32> {
  %mul = arith.mulf %x, %x : tensor<16x48xf32>
  %e = tensor.empty() : tensor<16xf32>
  %c = arith.constant 0.0 : f32
  %init = linalg.fill ins(%c : f32) outs(%e : tensor<16xf32>) -> tensor<16xf32>
  %red = linalg.reduce { arith.addf } ins(%mul : tensor<16x48xf32>) outs(%init : tensor<16xf32>) dimensions = [1]
  %c_2 = arith.constant dense<1.0e-24> : tensor<16xf32>
  %add = arith.addf %red, %c_2 : tensor<16xf32>
  %sqrt = math.sqrt %add : tensor<16xf32>
  %e_2 = tensor.empty() : tensor<16x48xf32>
  %all = linalg.broadcast ins(%sqrt : tensor<16xf32>) outs(%e_2 : tensor<16x48xf32>) dimensions = [1]
  %div = arith.divf %x, %all : tensor<16x48xf32>
  return %div : tensor<16x48xf32>
}

// The constant as the start of the sum.
func.func @right_initial(%x: tensor<16x48xf32>) -> tensor<16x48xf32> {
  %mul = arith.mulf %x, %x : tensor<16x48xf32>
  %e = tensor.empty() : tensor<16xf32>
  %c = arith.constant 1.0e-24 : f32
  %init = linalg.fill ins(%c : f32) outs(%e : tensor<16xf32>) -> tensor<16xf32>
  %red = linalg.reduce { arith.addf } ins(%mul : tensor<16x48xf32>) outs(%init : tensor<16xf32>) dimensions = [1]
  %rsqrt = math.rsqrt %red : tensor<16xf32>
  %e_2 = tensor.empty() : tensor<16x48xf32>
  %all = linalg.broadcast ins(%rsqrt : tensor<16xf32>) outs(%e_2 : tensor<16x48xf32>) dimensions = [1]
  %mul_2 = arith.mulf %x, %all : tensor<16x48xf32>
  return %mul_2 : tensor<16x48xf32>
}

// 1e-12 in place of 1e-24. Shows for rows of length below 1e-3, 1/2 and less below 1e-6.
func.func @wrong_usual_eps(%x: tensor<16x48xf32>) -> tensor<16x48xf32> {
  %mul = arith.mulf %x, %x : tensor<16x48xf32>
  %e = tensor.empty() : tensor<16xf32>
  %c = arith.constant 0.0 : f32
  %init = linalg.fill ins(%c : f32) outs(%e : tensor<16xf32>) -> tensor<16xf32>
  %red = linalg.reduce { arith.addf } ins(%mul : tensor<16x48xf32>) outs(%init : tensor<16xf32>) dimensions = [1]
  %c_2 = arith.constant dense<1.0e-12> : tensor<16xf32>
  %add = arith.addf %red, %c_2 : tensor<16xf32>
  %rsqrt = math.rsqrt %add : tensor<16xf32>
  %e_2 = tensor.empty() : tensor<16x48xf32>
  %all = linalg.broadcast ins(%rsqrt : tensor<16xf32>) outs(%e_2 : tensor<16x48xf32>) dimensions = [1]
  %mul_2 = arith.mulf %x, %all : tensor<16x48xf32>
  return %mul_2 : tensor<16x48xf32>
}

// 1e-12 added to the length. Shows for rows of length 1e-15 to 1e-6.
func.func @wrong_outside(%x: tensor<16x48xf32>) -> tensor<16x48xf32> {
  %mul = arith.mulf %x, %x : tensor<16x48xf32>
  %e = tensor.empty() : tensor<16xf32>
  %c = arith.constant 0.0 : f32
  %init = linalg.fill ins(%c : f32) outs(%e : tensor<16xf32>) -> tensor<16xf32>
  %red = linalg.reduce { arith.addf } ins(%mul : tensor<16x48xf32>) outs(%init : tensor<16xf32>) dimensions = [1]
  %sqrt = math.sqrt %red : tensor<16xf32>
  %c_2 = arith.constant dense<1.0e-12> : tensor<16xf32>
  %add = arith.addf %sqrt, %c_2 : tensor<16xf32>
  %c_3 = arith.constant dense<1.0> : tensor<16xf32>
  %div = arith.divf %c_3, %add : tensor<16xf32>
  %e_2 = tensor.empty() : tensor<16x48xf32>
  %all = linalg.broadcast ins(%div : tensor<16xf32>) outs(%e_2 : tensor<16x48xf32>) dimensions = [1]
  %mul_2 = arith.mulf %x, %all : tensor<16x48xf32>
  return %mul_2 : tensor<16x48xf32>
}

// 1e-24 added to each square. Shows for rows of length below 1e-9.
func.func @wrong_each(%x: tensor<16x48xf32>) -> tensor<16x48xf32> {
  %c = arith.constant dense<1.0e-24> : tensor<16x48xf32>
  %fma = math.fma %x, %x, %c : tensor<16x48xf32>
  %e = tensor.empty() : tensor<16xf32>
  %c_2 = arith.constant 0.0 : f32
  %init = linalg.fill ins(%c_2 : f32) outs(%e : tensor<16xf32>) -> tensor<16xf32>
  %red = linalg.reduce { arith.addf } ins(%fma : tensor<16x48xf32>) outs(%init : tensor<16xf32>) dimensions = [1]
  %rsqrt = math.rsqrt %red : tensor<16xf32>
  %e_2 = tensor.empty() : tensor<16x48xf32>
  %all = linalg.broadcast ins(%rsqrt : tensor<16xf32>) outs(%e_2 : tensor<16x48xf32>) dimensions = [1]
  %mul = arith.mulf %x, %all : tensor<16x48xf32>
  return %mul : tensor<16x48xf32>
}

// A factor of at most 1e6. Shows for rows of length below 1e-6.
func.func @wrong_bounded(%x: tensor<16x48xf32>) -> tensor<16x48xf32> {
  %mul = arith.mulf %x, %x : tensor<16x48xf32>
  %e = tensor.empty() : tensor<16xf32>
  %c = arith.constant 0.0 : f32
  %init = linalg.fill ins(%c : f32) outs(%e : tensor<16xf32>) -> tensor<16xf32>
  %red = linalg.reduce { arith.addf } ins(%mul : tensor<16x48xf32>) outs(%init : tensor<16xf32>) dimensions = [1]
  %c_2 = arith.constant dense<1.0e-24> : tensor<16xf32>
  %add = arith.addf %red, %c_2 : tensor<16xf32>
  %rsqrt = math.rsqrt %add : tensor<16xf32>
  %c_3 = arith.constant dense<1000000.0> : tensor<16xf32>
  %min = arith.minimumf %rsqrt, %c_3 : tensor<16xf32>
  %e_2 = tensor.empty() : tensor<16x48xf32>
  %all = linalg.broadcast ins(%min : tensor<16xf32>) outs(%e_2 : tensor<16x48xf32>) dimensions = [1]
  %mul_2 = arith.mulf %x, %all : tensor<16x48xf32>
  return %mul_2 : tensor<16x48xf32>
}

// Nothing added. Shows for rows of length 1e-11 and less, and rows of zeros: NaN.
func.func @wrong_none(%x: tensor<16x48xf32>) -> tensor<16x48xf32> {
  %mul = arith.mulf %x, %x : tensor<16x48xf32>
  %e = tensor.empty() : tensor<16xf32>
  %c = arith.constant 0.0 : f32
  %init = linalg.fill ins(%c : f32) outs(%e : tensor<16xf32>) -> tensor<16xf32>
  %red = linalg.reduce { arith.addf } ins(%mul : tensor<16x48xf32>) outs(%init : tensor<16xf32>) dimensions = [1]
  %rsqrt = math.rsqrt %red : tensor<16xf32>
  %e_2 = tensor.empty() : tensor<16x48xf32>
  %all = linalg.broadcast ins(%rsqrt : tensor<16xf32>) outs(%e_2 : tensor<16x48xf32>) dimensions = [1]
  %mul_2 = arith.mulf %x, %all : tensor<16x48xf32>
  return %mul_2 : tensor<16x48xf32>
}

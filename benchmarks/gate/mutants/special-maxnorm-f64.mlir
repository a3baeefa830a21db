// Each row over its largest magnitude, f64. A row of zeros stays. Where a magnitude is infinite,
// infinities give 1 with their sign and the rest 0. A NaN gives a row of NaN.

func.func @kernel(%x: tensor<16x48xf64>) -> tensor<16x48xf64> {
  %abs = math.absf %x : tensor<16x48xf64>
  %e = tensor.empty() : tensor<16xf64>
  %c = arith.constant 0.0 : f64
  %init = linalg.fill ins(%c : f64) outs(%e : tensor<16xf64>) -> tensor<16xf64>
  %red = linalg.reduce { arith.maximumf } ins(%abs : tensor<16x48xf64>) outs(%init : tensor<16xf64>) dimensions = [1]
  %e_2 = tensor.empty() : tensor<16x48xf64>
  %all = linalg.broadcast ins(%red : tensor<16xf64>) outs(%e_2 : tensor<16x48xf64>) dimensions = [1]
  %c_2 = arith.constant dense<0.0> : tensor<16x48xf64>
  %oeq = arith.cmpf oeq, %all, %c_2 : tensor<16x48xf64>
  %c_3 = arith.constant dense<1.0> : tensor<16x48xf64>
  %sel = arith.select %oeq, %c_3, %all : tensor<16x48xi1>, tensor<16x48xf64>
  %div = arith.divf %x, %sel : tensor<16x48xf64>
  %c_4 = arith.constant dense<0x7FF0000000000000> : tensor<16x48xf64>
  %oeq_2 = arith.cmpf oeq, %all, %c_4 : tensor<16x48xf64>
  %abs_2 = math.absf %x : tensor<16x48xf64>
  %oeq_3 = arith.cmpf oeq, %abs_2, %c_4 : tensor<16x48xf64>
  %sgn = math.copysign %c_3, %x : tensor<16x48xf64>
  %sel_2 = arith.select %oeq_3, %sgn, %c_2 : tensor<16x48xi1>, tensor<16x48xf64>
  %sel_3 = arith.select %oeq_2, %sel_2, %div : tensor<16x48xi1>, tensor<16x48xf64>
  return %sel_3 : tensor<16x48xf64>
}

// The quotient of both times 0.5.
func.func @right_scaled(%x: tensor<16x48xf64>) -> tensor<16x48xf64> {
  %abs = math.absf %x : tensor<16x48xf64>
  %e = tensor.empty() : tensor<16xf64>
  %c = arith.constant 0.0 : f64
  %init = linalg.fill ins(%c : f64) outs(%e : tensor<16xf64>) -> tensor<16xf64>
  %red = linalg.reduce { arith.maximumf } ins(%abs : tensor<16x48xf64>) outs(%init : tensor<16xf64>) dimensions = [1]
  %e_2 = tensor.empty() : tensor<16x48xf64>
  %all = linalg.broadcast ins(%red : tensor<16xf64>) outs(%e_2 : tensor<16x48xf64>) dimensions = [1]
  %c_2 = arith.constant dense<0.0> : tensor<16x48xf64>
  %oeq = arith.cmpf oeq, %all, %c_2 : tensor<16x48xf64>
  %c_3 = arith.constant dense<2.0> : tensor<16x48xf64>
  %sel = arith.select %oeq, %c_3, %all : tensor<16x48xi1>, tensor<16x48xf64>
  %c_4 = arith.constant dense<0.5> : tensor<16x48xf64>
  %mul = arith.mulf %x, %c_4 : tensor<16x48xf64>
  %mul_2 = arith.mulf %sel, %c_4 : tensor<16x48xf64>
  %div = arith.divf %mul, %mul_2 : tensor<16x48xf64>
  %c_5 = arith.constant dense<0x7FF0000000000000> : tensor<16x48xf64>
  %oeq_2 = arith.cmpf oeq, %all, %c_5 : tensor<16x48xf64>
  %abs_2 = math.absf %x : tensor<16x48xf64>
  %oeq_3 = arith.cmpf oeq, %abs_2, %c_5 : tensor<16x48xf64>
  %c_6 = arith.constant dense<1.0> : tensor<16x48xf64>
  %sgn = math.copysign %c_6, %x : tensor<16x48xf64>
  %sel_2 = arith.select %oeq_3, %sgn, %c_2 : tensor<16x48xi1>, tensor<16x48xf64>
  %sel_3 = arith.select %oeq_2, %sel_2, %div : tensor<16x48xi1>, tensor<16x48xf64>
  return %sel_3 : tensor<16x48xf64>
}

// No check for infinity. Shows for an infinity: NaN in its place, the rest right.
func.func @wrong_unguarded(%x: tensor<16x48xf64>) -> tensor<16x48xf64> {
  %abs = math.absf %x : tensor<16x48xf64>
  %e = tensor.empty() : tensor<16xf64>
  %c = arith.constant 0.0 : f64
  %init = linalg.fill ins(%c : f64) outs(%e : tensor<16xf64>) -> tensor<16xf64>
  %red = linalg.reduce { arith.maximumf } ins(%abs : tensor<16x48xf64>) outs(%init : tensor<16xf64>) dimensions = [1]
  %e_2 = tensor.empty() : tensor<16x48xf64>
  %all = linalg.broadcast ins(%red : tensor<16xf64>) outs(%e_2 : tensor<16x48xf64>) dimensions = [1]
  %c_2 = arith.constant dense<0.0> : tensor<16x48xf64>
  %oeq = arith.cmpf oeq, %all, %c_2 : tensor<16x48xf64>
  %c_3 = arith.constant dense<1.0> : tensor<16x48xf64>
  %sel = arith.select %oeq, %c_3, %all : tensor<16x48xi1>, tensor<16x48xf64>
  %div = arith.divf %x, %sel : tensor<16x48xf64>
  return %div : tensor<16x48xf64>
}

// Maximum numbers. Shows for a NaN: it stays alone.
func.func @wrong_maxnum(%x: tensor<16x48xf64>) -> tensor<16x48xf64> {
  %abs = math.absf %x : tensor<16x48xf64>
  %e = tensor.empty() : tensor<16xf64>
  %c = arith.constant 0.0 : f64
  %init = linalg.fill ins(%c : f64) outs(%e : tensor<16xf64>) -> tensor<16xf64>
  %red = linalg.reduce { arith.maxnumf } ins(%abs : tensor<16x48xf64>) outs(%init : tensor<16xf64>) dimensions = [1]
  %e_2 = tensor.empty() : tensor<16x48xf64>
  %all = linalg.broadcast ins(%red : tensor<16xf64>) outs(%e_2 : tensor<16x48xf64>) dimensions = [1]
  %c_2 = arith.constant dense<0.0> : tensor<16x48xf64>
  %oeq = arith.cmpf oeq, %all, %c_2 : tensor<16x48xf64>
  %c_3 = arith.constant dense<1.0> : tensor<16x48xf64>
  %sel = arith.select %oeq, %c_3, %all : tensor<16x48xi1>, tensor<16x48xf64>
  %div = arith.divf %x, %sel : tensor<16x48xf64>
  %c_4 = arith.constant dense<0x7FF0000000000000> : tensor<16x48xf64>
  %oeq_2 = arith.cmpf oeq, %all, %c_4 : tensor<16x48xf64>
  %abs_2 = math.absf %x : tensor<16x48xf64>
  %oeq_3 = arith.cmpf oeq, %abs_2, %c_4 : tensor<16x48xf64>
  %sgn = math.copysign %c_3, %x : tensor<16x48xf64>
  %sel_2 = arith.select %oeq_3, %sgn, %c_2 : tensor<16x48xi1>, tensor<16x48xf64>
  %sel_3 = arith.select %oeq_2, %sel_2, %div : tensor<16x48xi1>, tensor<16x48xf64>
  return %sel_3 : tensor<16x48xf64>
}

// 1e-30 added in place of the check for 0. Shows for rows below 1e-14.
func.func @wrong_eps(%x: tensor<16x48xf64>) -> tensor<16x48xf64> {
  %abs = math.absf %x : tensor<16x48xf64>
  %e = tensor.empty() : tensor<16xf64>
  %c = arith.constant 0.0 : f64
  %init = linalg.fill ins(%c : f64) outs(%e : tensor<16xf64>) -> tensor<16xf64>
  %red = linalg.reduce { arith.maximumf } ins(%abs : tensor<16x48xf64>) outs(%init : tensor<16xf64>) dimensions = [1]
  %e_2 = tensor.empty() : tensor<16x48xf64>
  %all = linalg.broadcast ins(%red : tensor<16xf64>) outs(%e_2 : tensor<16x48xf64>) dimensions = [1]
  %c_2 = arith.constant dense<1.0e-30> : tensor<16x48xf64>
  %add = arith.addf %all, %c_2 : tensor<16x48xf64>
  %div = arith.divf %x, %add : tensor<16x48xf64>
  %c_3 = arith.constant dense<0x7FF0000000000000> : tensor<16x48xf64>
  %oeq = arith.cmpf oeq, %all, %c_3 : tensor<16x48xf64>
  %abs_2 = math.absf %x : tensor<16x48xf64>
  %oeq_2 = arith.cmpf oeq, %abs_2, %c_3 : tensor<16x48xf64>
  %c_4 = arith.constant dense<1.0> : tensor<16x48xf64>
  %sgn = math.copysign %c_4, %x : tensor<16x48xf64>
  %c_5 = arith.constant dense<0.0> : tensor<16x48xf64>
  %sel = arith.select %oeq_2, %sgn, %c_5 : tensor<16x48xi1>, tensor<16x48xf64>
  %sel_2 = arith.select %oeq, %sel, %div : tensor<16x48xi1>, tensor<16x48xf64>
  return %sel_2 : tensor<16x48xf64>
}

// The check for infinity in f32. Shows for rows above 3.4e38: 1 or 0.
func.func @wrong_f32_check(%x: tensor<16x48xf64>) -> tensor<16x48xf64> {
  %abs = math.absf %x : tensor<16x48xf64>
  %e = tensor.empty() : tensor<16xf64>
  %c = arith.constant 0.0 : f64
  %init = linalg.fill ins(%c : f64) outs(%e : tensor<16xf64>) -> tensor<16xf64>
  %red = linalg.reduce { arith.maximumf } ins(%abs : tensor<16x48xf64>) outs(%init : tensor<16xf64>) dimensions = [1]
  %e_2 = tensor.empty() : tensor<16x48xf64>
  %all = linalg.broadcast ins(%red : tensor<16xf64>) outs(%e_2 : tensor<16x48xf64>) dimensions = [1]
  %cut = arith.truncf %all : tensor<16x48xf64> to tensor<16x48xf32>
  %c_2 = arith.constant dense<0.0> : tensor<16x48xf64>
  %oeq = arith.cmpf oeq, %all, %c_2 : tensor<16x48xf64>
  %c_3 = arith.constant dense<1.0> : tensor<16x48xf64>
  %sel = arith.select %oeq, %c_3, %all : tensor<16x48xi1>, tensor<16x48xf64>
  %cut_2 = arith.truncf %x : tensor<16x48xf64> to tensor<16x48xf32>
  %abs_2 = math.absf %cut_2 : tensor<16x48xf32>
  %c_4 = arith.constant dense<0x7F800000> : tensor<16x48xf32>
  %oeq_2 = arith.cmpf oeq, %cut, %c_4 : tensor<16x48xf32>
  %oeq_3 = arith.cmpf oeq, %abs_2, %c_4 : tensor<16x48xf32>
  %sgn = math.copysign %c_3, %x : tensor<16x48xf64>
  %sel_2 = arith.select %oeq_3, %sgn, %c_2 : tensor<16x48xi1>, tensor<16x48xf64>
  %div = arith.divf %x, %sel : tensor<16x48xf64>
  %sel_3 = arith.select %oeq_2, %sel_2, %div : tensor<16x48xi1>, tensor<16x48xf64>
  return %sel_3 : tensor<16x48xf64>
}

// Softmax of each row, f32. -infinity marks a value left out: it gives 0, and a row of
// these gives zeros.

func.func @kernel(%x: tensor<16x48xf32>) -> tensor<16x48xf32> {
  %e = tensor.empty() : tensor<16xf32>
  %c = arith.constant 0xFF800000 : f32
  %init = linalg.fill ins(%c : f32) outs(%e : tensor<16xf32>) -> tensor<16xf32>
  %red = linalg.reduce { arith.maximumf } ins(%x : tensor<16x48xf32>) outs(%init : tensor<16xf32>) dimensions = [1]
  %c_2 = arith.constant dense<0xFF800000> : tensor<16xf32>
  %oeq = arith.cmpf oeq, %red, %c_2 : tensor<16xf32>
  %c_3 = arith.constant dense<0.0> : tensor<16xf32>
  %sel = arith.select %oeq, %c_3, %red : tensor<16xi1>, tensor<16xf32>
  %e_2 = tensor.empty() : tensor<16x48xf32>
  %all = linalg.broadcast ins(%sel : tensor<16xf32>) outs(%e_2 : tensor<16x48xf32>) dimensions = [1]
  %sub = arith.subf %x, %all : tensor<16x48xf32>
  %exp = math.exp %sub : tensor<16x48xf32>
  %e_3 = tensor.empty() : tensor<16xf32>
  %c_4 = arith.constant 0.0 : f32
  %init_2 = linalg.fill ins(%c_4 : f32) outs(%e_3 : tensor<16xf32>) -> tensor<16xf32>
  %red_2 = linalg.reduce { arith.addf } ins(%exp : tensor<16x48xf32>) outs(%init_2 : tensor<16xf32>) dimensions = [1]
  %oeq_2 = arith.cmpf oeq, %red_2, %c_3 : tensor<16xf32>
  %c_5 = arith.constant dense<1.0> : tensor<16xf32>
  %sel_2 = arith.select %oeq_2, %c_5, %red_2 : tensor<16xi1>, tensor<16xf32>
  %e_4 = tensor.empty() : tensor<16x48xf32>
  %all_2 = linalg.broadcast ins(%sel_2 : tensor<16xf32>) outs(%e_4 : tensor<16x48xf32>) dimensions = [1]
  %div = arith.divf %exp, %all_2 : tensor<16x48xf32>
  return %div : tensor<16x48xf32>
}

// The maximum started at -3.4e38.
func.func @right_start_finite(%x: tensor<16x48xf32>) -> tensor<16x48xf32> {
  %e = tensor.empty() : tensor<16xf32>
  %c = arith.constant -3.4028235e38 : f32
  %init = linalg.fill ins(%c : f32) outs(%e : tensor<16xf32>) -> tensor<16xf32>
  %red = linalg.reduce { arith.maximumf } ins(%x : tensor<16x48xf32>) outs(%init : tensor<16xf32>) dimensions = [1]
  %e_2 = tensor.empty() : tensor<16x48xf32>
  %all = linalg.broadcast ins(%red : tensor<16xf32>) outs(%e_2 : tensor<16x48xf32>) dimensions = [1]
  %sub = arith.subf %x, %all : tensor<16x48xf32>
  %exp = math.exp %sub : tensor<16x48xf32>
  %e_3 = tensor.empty() : tensor<16xf32>
  %c_2 = arith.constant 0.0 : f32
  %init_2 = linalg.fill ins(%c_2 : f32) outs(%e_3 : tensor<16xf32>) -> tensor<16xf32>
  %red_2 = linalg.reduce { arith.addf } ins(%exp : tensor<16x48xf32>) outs(%init_2 : tensor<16xf32>) dimensions = [1]
  %c_3 = arith.constant dense<0.0> : tensor<16xf32>
  %oeq = arith.cmpf oeq, %red_2, %c_3 : tensor<16xf32>
  %c_4 = arith.constant dense<1.0> : tensor<16xf32>
  %sel = arith.select %oeq, %c_4, %red_2 : tensor<16xi1>, tensor<16xf32>
  %e_4 = tensor.empty() : tensor<16x48xf32>
  %all_2 = linalg.broadcast ins(%sel : tensor<16xf32>) outs(%e_4 : tensor<16x48xf32>) dimensions = [1]
  %div = arith.divf %exp, %all_2 : tensor<16x48xf32>
  return %div : tensor<16x48xf32>
}

// 1e-20 added to the sum, which is 1 or more, or 0.
func.func @right_eps(%x: tensor<16x48xf32>) -> tensor<16x48xf32> {
  %e = tensor.empty() : tensor<16xf32>
  %c = arith.constant 0xFF800000 : f32
  %init = linalg.fill ins(%c : f32) outs(%e : tensor<16xf32>) -> tensor<16xf32>
  %red = linalg.reduce { arith.maximumf } ins(%x : tensor<16x48xf32>) outs(%init : tensor<16xf32>) dimensions = [1]
  %c_2 = arith.constant dense<0xFF800000> : tensor<16xf32>
  %oeq = arith.cmpf oeq, %red, %c_2 : tensor<16xf32>
  %c_3 = arith.constant dense<0.0> : tensor<16xf32>
  %sel = arith.select %oeq, %c_3, %red : tensor<16xi1>, tensor<16xf32>
  %e_2 = tensor.empty() : tensor<16x48xf32>
  %all = linalg.broadcast ins(%sel : tensor<16xf32>) outs(%e_2 : tensor<16x48xf32>) dimensions = [1]
  %sub = arith.subf %x, %all : tensor<16x48xf32>
  %exp = math.exp %sub : tensor<16x48xf32>
  %e_3 = tensor.empty() : tensor<16xf32>
  %c_4 = arith.constant 0.0 : f32
  %init_2 = linalg.fill ins(%c_4 : f32) outs(%e_3 : tensor<16xf32>) -> tensor<16xf32>
  %red_2 = linalg.reduce { arith.addf } ins(%exp : tensor<16x48xf32>) outs(%init_2 : tensor<16xf32>) dimensions = [1]
  %c_5 = arith.constant dense<1.0e-20> : tensor<16xf32>
  %add = arith.addf %red_2, %c_5 : tensor<16xf32>
  %e_4 = tensor.empty() : tensor<16x48xf32>
  %all_2 = linalg.broadcast ins(%add : tensor<16xf32>) outs(%e_4 : tensor<16x48xf32>) dimensions = [1]
  %div = arith.divf %exp, %all_2 : tensor<16x48xf32>
  return %div : tensor<16x48xf32>
}

// No checks. Shows for rows of -infinity: NaN.
func.func @wrong_unguarded(%x: tensor<16x48xf32>) -> tensor<16x48xf32> {
  %e = tensor.empty() : tensor<16xf32>
  %c = arith.constant 0xFF800000 : f32
  %init = linalg.fill ins(%c : f32) outs(%e : tensor<16xf32>) -> tensor<16xf32>
  %red = linalg.reduce { arith.maximumf } ins(%x : tensor<16x48xf32>) outs(%init : tensor<16xf32>) dimensions = [1]
  %e_2 = tensor.empty() : tensor<16x48xf32>
  %all = linalg.broadcast ins(%red : tensor<16xf32>) outs(%e_2 : tensor<16x48xf32>) dimensions = [1]
  %sub = arith.subf %x, %all : tensor<16x48xf32>
  %exp = math.exp %sub : tensor<16x48xf32>
  %e_3 = tensor.empty() : tensor<16xf32>
  %c_2 = arith.constant 0.0 : f32
  %init_2 = linalg.fill ins(%c_2 : f32) outs(%e_3 : tensor<16xf32>) -> tensor<16xf32>
  %red_2 = linalg.reduce { arith.addf } ins(%exp : tensor<16x48xf32>) outs(%init_2 : tensor<16xf32>) dimensions = [1]
  %e_4 = tensor.empty() : tensor<16x48xf32>
  %all_2 = linalg.broadcast ins(%red_2 : tensor<16xf32>) outs(%e_4 : tensor<16x48xf32>) dimensions = [1]
  %div = arith.divf %exp, %all_2 : tensor<16x48xf32>
  return %div : tensor<16x48xf32>
}

// -infinity taken for -1e9. Shows for rows of -infinity: 1/48 each.
func.func @wrong_mask_finite(%x: tensor<16x48xf32>) -> tensor<16x48xf32> {
  %c = arith.constant dense<-1000000000.0> : tensor<16x48xf32>
  %max = arith.maximumf %x, %c : tensor<16x48xf32>
  %e = tensor.empty() : tensor<16xf32>
  %c_2 = arith.constant 0xFF800000 : f32
  %init = linalg.fill ins(%c_2 : f32) outs(%e : tensor<16xf32>) -> tensor<16xf32>
  %red = linalg.reduce { arith.maximumf } ins(%max : tensor<16x48xf32>) outs(%init : tensor<16xf32>) dimensions = [1]
  %e_2 = tensor.empty() : tensor<16x48xf32>
  %all = linalg.broadcast ins(%red : tensor<16xf32>) outs(%e_2 : tensor<16x48xf32>) dimensions = [1]
  %sub = arith.subf %max, %all : tensor<16x48xf32>
  %exp = math.exp %sub : tensor<16x48xf32>
  %e_3 = tensor.empty() : tensor<16xf32>
  %c_3 = arith.constant 0.0 : f32
  %init_2 = linalg.fill ins(%c_3 : f32) outs(%e_3 : tensor<16xf32>) -> tensor<16xf32>
  %red_2 = linalg.reduce { arith.addf } ins(%exp : tensor<16x48xf32>) outs(%init_2 : tensor<16xf32>) dimensions = [1]
  %c_4 = arith.constant dense<0.0> : tensor<16xf32>
  %oeq = arith.cmpf oeq, %red_2, %c_4 : tensor<16xf32>
  %c_5 = arith.constant dense<1.0> : tensor<16xf32>
  %sel = arith.select %oeq, %c_5, %red_2 : tensor<16xi1>, tensor<16xf32>
  %e_4 = tensor.empty() : tensor<16x48xf32>
  %all_2 = linalg.broadcast ins(%sel : tensor<16xf32>) outs(%e_4 : tensor<16x48xf32>) dimensions = [1]
  %div = arith.divf %exp, %all_2 : tensor<16x48xf32>
  return %div : tensor<16x48xf32>
}

// The maximum started at 0. Shows for rows below -100: zeros, fewer digits from -87.
func.func @wrong_start_zero(%x: tensor<16x48xf32>) -> tensor<16x48xf32> {
  %e = tensor.empty() : tensor<16xf32>
  %c = arith.constant 0.0 : f32
  %init = linalg.fill ins(%c : f32) outs(%e : tensor<16xf32>) -> tensor<16xf32>
  %red = linalg.reduce { arith.maximumf } ins(%x : tensor<16x48xf32>) outs(%init : tensor<16xf32>) dimensions = [1]
  %e_2 = tensor.empty() : tensor<16x48xf32>
  %all = linalg.broadcast ins(%red : tensor<16xf32>) outs(%e_2 : tensor<16x48xf32>) dimensions = [1]
  %sub = arith.subf %x, %all : tensor<16x48xf32>
  %exp = math.exp %sub : tensor<16x48xf32>
  %e_3 = tensor.empty() : tensor<16xf32>
  %init_2 = linalg.fill ins(%c : f32) outs(%e_3 : tensor<16xf32>) -> tensor<16xf32>
  %red_2 = linalg.reduce { arith.addf } ins(%exp : tensor<16x48xf32>) outs(%init_2 : tensor<16xf32>) dimensions = [1]
  %c_2 = arith.constant dense<0.0> : tensor<16xf32>
  %oeq = arith.cmpf oeq, %red_2, %c_2 : tensor<16xf32>
  %c_3 = arith.constant dense<1.0> : tensor<16xf32>
  %sel = arith.select %oeq, %c_3, %red_2 : tensor<16xi1>, tensor<16xf32>
  %e_4 = tensor.empty() : tensor<16x48xf32>
  %all_2 = linalg.broadcast ins(%sel : tensor<16xf32>) outs(%e_4 : tensor<16x48xf32>) dimensions = [1]
  %div = arith.divf %exp, %all_2 : tensor<16x48xf32>
  return %div : tensor<16x48xf32>
}

// No maximum taken away. Shows above 88 (NaN) and for rows below -88.
func.func @wrong_no_maximum(%x: tensor<16x48xf32>) -> tensor<16x48xf32> {
  %exp = math.exp %x : tensor<16x48xf32>
  %e = tensor.empty() : tensor<16xf32>
  %c = arith.constant 0.0 : f32
  %init = linalg.fill ins(%c : f32) outs(%e : tensor<16xf32>) -> tensor<16xf32>
  %red = linalg.reduce { arith.addf } ins(%exp : tensor<16x48xf32>) outs(%init : tensor<16xf32>) dimensions = [1]
  %c_2 = arith.constant dense<0.0> : tensor<16xf32>
  %oeq = arith.cmpf oeq, %red, %c_2 : tensor<16xf32>
  %c_3 = arith.constant dense<1.0> : tensor<16xf32>
  %sel = arith.select %oeq, %c_3, %red : tensor<16xi1>, tensor<16xf32>
  %e_2 = tensor.empty() : tensor<16x48xf32>
  %all = linalg.broadcast ins(%sel : tensor<16xf32>) outs(%e_2 : tensor<16x48xf32>) dimensions = [1]
  %div = arith.divf %exp, %all : tensor<16x48xf32>
  return %div : tensor<16x48xf32>
}

// A maximum number, and a sum of what is above 0. Shows for a NaN: it stays in its place.
func.func @wrong_nan_dropped(%x: tensor<16x48xf32>) -> tensor<16x48xf32> {
  %e = tensor.empty() : tensor<16xf32>
  %c = arith.constant 0xFF800000 : f32
  %init = linalg.fill ins(%c : f32) outs(%e : tensor<16xf32>) -> tensor<16xf32>
  %red = linalg.reduce { arith.maxnumf } ins(%x : tensor<16x48xf32>) outs(%init : tensor<16xf32>) dimensions = [1]
  %c_2 = arith.constant dense<0xFF800000> : tensor<16xf32>
  %oeq = arith.cmpf oeq, %red, %c_2 : tensor<16xf32>
  %c_3 = arith.constant dense<0.0> : tensor<16xf32>
  %sel = arith.select %oeq, %c_3, %red : tensor<16xi1>, tensor<16xf32>
  %e_2 = tensor.empty() : tensor<16x48xf32>
  %all = linalg.broadcast ins(%sel : tensor<16xf32>) outs(%e_2 : tensor<16x48xf32>) dimensions = [1]
  %sub = arith.subf %x, %all : tensor<16x48xf32>
  %exp = math.exp %sub : tensor<16x48xf32>
  %c_4 = arith.constant dense<0.0> : tensor<16x48xf32>
  %ogt = arith.cmpf ogt, %exp, %c_4 : tensor<16x48xf32>
  %sel_2 = arith.select %ogt, %exp, %c_4 : tensor<16x48xi1>, tensor<16x48xf32>
  %e_3 = tensor.empty() : tensor<16xf32>
  %c_5 = arith.constant 0.0 : f32
  %init_2 = linalg.fill ins(%c_5 : f32) outs(%e_3 : tensor<16xf32>) -> tensor<16xf32>
  %red_2 = linalg.reduce { arith.addf } ins(%sel_2 : tensor<16x48xf32>) outs(%init_2 : tensor<16xf32>) dimensions = [1]
  %oeq_2 = arith.cmpf oeq, %red_2, %c_3 : tensor<16xf32>
  %c_6 = arith.constant dense<1.0> : tensor<16xf32>
  %sel_3 = arith.select %oeq_2, %c_6, %red_2 : tensor<16xi1>, tensor<16xf32>
  %e_4 = tensor.empty() : tensor<16x48xf32>
  %all_2 = linalg.broadcast ins(%sel_3 : tensor<16xf32>) outs(%e_4 : tensor<16x48xf32>) dimensions = [1]
  %div = arith.divf %exp, %all_2 : tensor<16x48xf32>
  return %div : tensor<16x48xf32>
}

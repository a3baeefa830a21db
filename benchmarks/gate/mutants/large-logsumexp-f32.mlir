// The log of the sum of exponentials of each row, f32, with the row maximum
// taken away before. Right for rows of any size of values.

func.func @kernel(%x: tensor<16x48xf32>) -> tensor<16xf32> {
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
  %log = math.log %red_2 : tensor<16xf32>
  %add = arith.addf %log, %red : tensor<16xf32>
  return %add : tensor<16xf32>
}

// Powers of two and their log.
func.func @right_base2(%x: tensor<16x48xf32>) -> tensor<16xf32> {
  %e = tensor.empty() : tensor<16xf32>
  %c = arith.constant 0xFF800000 : f32
  %init = linalg.fill ins(%c : f32) outs(%e : tensor<16xf32>) -> tensor<16xf32>
  %red = linalg.reduce { arith.maximumf } ins(%x : tensor<16x48xf32>) outs(%init : tensor<16xf32>) dimensions = [1]
  %e_2 = tensor.empty() : tensor<16x48xf32>
  %all = linalg.broadcast ins(%red : tensor<16xf32>) outs(%e_2 : tensor<16x48xf32>) dimensions = [1]
  %sub = arith.subf %x, %all : tensor<16x48xf32>
  %c_2 = arith.constant dense<1.442695> : tensor<16x48xf32>
  %mul = arith.mulf %sub, %c_2 : tensor<16x48xf32>
  %exp2 = math.exp2 %mul : tensor<16x48xf32>
  %e_3 = tensor.empty() : tensor<16xf32>
  %c_3 = arith.constant 0.0 : f32
  %init_2 = linalg.fill ins(%c_3 : f32) outs(%e_3 : tensor<16xf32>) -> tensor<16xf32>
  %red_2 = linalg.reduce { arith.addf } ins(%exp2 : tensor<16x48xf32>) outs(%init_2 : tensor<16xf32>) dimensions = [1]
  %log2 = math.log2 %red_2 : tensor<16xf32>
  %c_4 = arith.constant dense<0.6931472> : tensor<16xf32>
  %mul_2 = arith.mulf %log2, %c_4 : tensor<16xf32>
  %add = arith.addf %mul_2, %red : tensor<16xf32>
  return %add : tensor<16xf32>
}

// The exponentials, their sum and its log in f64.
func.func @right_wide(%x: tensor<16x48xf32>) -> tensor<16xf32> {
  %e = tensor.empty() : tensor<16xf32>
  %c = arith.constant 0xFF800000 : f32
  %init = linalg.fill ins(%c : f32) outs(%e : tensor<16xf32>) -> tensor<16xf32>
  %red = linalg.reduce { arith.maximumf } ins(%x : tensor<16x48xf32>) outs(%init : tensor<16xf32>) dimensions = [1]
  %e_2 = tensor.empty() : tensor<16x48xf32>
  %all = linalg.broadcast ins(%red : tensor<16xf32>) outs(%e_2 : tensor<16x48xf32>) dimensions = [1]
  %sub = arith.subf %x, %all : tensor<16x48xf32>
  %wide = arith.extf %sub : tensor<16x48xf32> to tensor<16x48xf64>
  %exp = math.exp %wide : tensor<16x48xf64>
  %e_3 = tensor.empty() : tensor<16xf64>
  %c_2 = arith.constant 0.0 : f64
  %init_2 = linalg.fill ins(%c_2 : f64) outs(%e_3 : tensor<16xf64>) -> tensor<16xf64>
  %red_2 = linalg.reduce { arith.addf } ins(%exp : tensor<16x48xf64>) outs(%init_2 : tensor<16xf64>) dimensions = [1]
  %log = math.log %red_2 : tensor<16xf64>
  %cut = arith.truncf %log : tensor<16xf64> to tensor<16xf32>
  %add = arith.addf %cut, %red : tensor<16xf32>
  return %add : tensor<16xf32>
}

// No maximum taken away. Shows above 88 (infinity) and for rows below -88.
func.func @wrong_plain(%x: tensor<16x48xf32>) -> tensor<16xf32> {
  %exp = math.exp %x : tensor<16x48xf32>
  %e = tensor.empty() : tensor<16xf32>
  %c = arith.constant 0.0 : f32
  %init = linalg.fill ins(%c : f32) outs(%e : tensor<16xf32>) -> tensor<16xf32>
  %red = linalg.reduce { arith.addf } ins(%exp : tensor<16x48xf32>) outs(%init : tensor<16xf32>) dimensions = [1]
  %log = math.log %red : tensor<16xf32>
  return %log : tensor<16xf32>
}

// Takes the mean away. Shows where one value is 90 above the mean: infinity.
func.func @wrong_mean(%x: tensor<16x48xf32>) -> tensor<16xf32> {
  %e = tensor.empty() : tensor<16xf32>
  %c = arith.constant 0.0 : f32
  %init = linalg.fill ins(%c : f32) outs(%e : tensor<16xf32>) -> tensor<16xf32>
  %red = linalg.reduce { arith.addf } ins(%x : tensor<16x48xf32>) outs(%init : tensor<16xf32>) dimensions = [1]
  %c_2 = arith.constant dense<0.020833334> : tensor<16xf32>
  %mul = arith.mulf %red, %c_2 : tensor<16xf32>
  %e_2 = tensor.empty() : tensor<16x48xf32>
  %all = linalg.broadcast ins(%mul : tensor<16xf32>) outs(%e_2 : tensor<16x48xf32>) dimensions = [1]
  %sub = arith.subf %x, %all : tensor<16x48xf32>
  %exp = math.exp %sub : tensor<16x48xf32>
  %e_3 = tensor.empty() : tensor<16xf32>
  %init_2 = linalg.fill ins(%c : f32) outs(%e_3 : tensor<16xf32>) -> tensor<16xf32>
  %red_2 = linalg.reduce { arith.addf } ins(%exp : tensor<16x48xf32>) outs(%init_2 : tensor<16xf32>) dimensions = [1]
  %log = math.log %red_2 : tensor<16xf32>
  %add = arith.addf %log, %mul : tensor<16xf32>
  return %add : tensor<16xf32>
}

// Takes the first value away. Shows where another is 88 above it, or all 88 below.
func.func @wrong_first(%x: tensor<16x48xf32>) -> tensor<16xf32> {
  %part = tensor.extract_slice %x[0, 0] [16, 1] [1, 1] : tensor<16x48xf32> to tensor<16xf32>
  %e = tensor.empty() : tensor<16x48xf32>
  %all = linalg.broadcast ins(%part : tensor<16xf32>) outs(%e : tensor<16x48xf32>) dimensions = [1]
  %sub = arith.subf %x, %all : tensor<16x48xf32>
  %exp = math.exp %sub : tensor<16x48xf32>
  %e_2 = tensor.empty() : tensor<16xf32>
  %c = arith.constant 0.0 : f32
  %init = linalg.fill ins(%c : f32) outs(%e_2 : tensor<16xf32>) -> tensor<16xf32>
  %red = linalg.reduce { arith.addf } ins(%exp : tensor<16x48xf32>) outs(%init : tensor<16xf32>) dimensions = [1]
  %log = math.log %red : tensor<16xf32>
  %add = arith.addf %log, %part : tensor<16xf32>
  return %add : tensor<16xf32>
}

// Takes the largest value of all rows away. Shows for rows 90 below it: -infinity.
func.func @wrong_common(%x: tensor<16x48xf32>) -> tensor<16xf32> {
  %e = tensor.empty() : tensor<16xf32>
  %c = arith.constant 0xFF800000 : f32
  %init = linalg.fill ins(%c : f32) outs(%e : tensor<16xf32>) -> tensor<16xf32>
  %red = linalg.reduce { arith.maximumf } ins(%x : tensor<16x48xf32>) outs(%init : tensor<16xf32>) dimensions = [1]
  %e_2 = tensor.empty() : tensor<f32>
  %init_2 = linalg.fill ins(%c : f32) outs(%e_2 : tensor<f32>) -> tensor<f32>
  %red_2 = linalg.reduce { arith.maximumf } ins(%red : tensor<16xf32>) outs(%init_2 : tensor<f32>) dimensions = [0]
  %e_3 = tensor.empty() : tensor<16xf32>
  %all = linalg.broadcast ins(%red_2 : tensor<f32>) outs(%e_3 : tensor<16xf32>) dimensions = [0]
  %e_4 = tensor.empty() : tensor<16x48xf32>
  %all_2 = linalg.broadcast ins(%all : tensor<16xf32>) outs(%e_4 : tensor<16x48xf32>) dimensions = [1]
  %sub = arith.subf %x, %all_2 : tensor<16x48xf32>
  %exp = math.exp %sub : tensor<16x48xf32>
  %e_5 = tensor.empty() : tensor<16xf32>
  %c_2 = arith.constant 0.0 : f32
  %init_3 = linalg.fill ins(%c_2 : f32) outs(%e_5 : tensor<16xf32>) -> tensor<16xf32>
  %red_3 = linalg.reduce { arith.addf } ins(%exp : tensor<16x48xf32>) outs(%init_3 : tensor<16xf32>) dimensions = [1]
  %log = math.log %red_3 : tensor<16xf32>
  %add = arith.addf %log, %all : tensor<16xf32>
  return %add : tensor<16xf32>
}

// Bounds the values to [-80, 80] in place of taking the maximum away. Shows beyond.
func.func @wrong_bounded(%x: tensor<16x48xf32>) -> tensor<16xf32> {
  %c = arith.constant dense<-80.0> : tensor<16x48xf32>
  %max = arith.maximumf %x, %c : tensor<16x48xf32>
  %c_2 = arith.constant dense<80.0> : tensor<16x48xf32>
  %min = arith.minimumf %max, %c_2 : tensor<16x48xf32>
  %exp = math.exp %min : tensor<16x48xf32>
  %e = tensor.empty() : tensor<16xf32>
  %c_3 = arith.constant 0.0 : f32
  %init = linalg.fill ins(%c_3 : f32) outs(%e : tensor<16xf32>) -> tensor<16xf32>
  %red = linalg.reduce { arith.addf } ins(%exp : tensor<16x48xf32>) outs(%init : tensor<16xf32>) dimensions = [1]
  %log = math.log %red : tensor<16xf32>
  return %log : tensor<16xf32>
}

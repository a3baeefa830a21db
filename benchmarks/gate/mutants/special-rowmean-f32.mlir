// The mean of each row, f32. One infinity gives that infinity, a NaN or both infinities
// give NaN.

#rows = {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i)>],
  iterator_types = ["parallel", "reduction"]}
#rows2 = {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>],
  iterator_types = ["parallel", "reduction"]}

func.func @kernel(%x: tensor<16x48xf32>) -> tensor<16xf32> {
  %e = tensor.empty() : tensor<16xf32>
  %c = arith.constant 0.0 : f32
  %init = linalg.fill ins(%c : f32) outs(%e : tensor<16xf32>) -> tensor<16xf32>
  %red = linalg.reduce { arith.addf } ins(%x : tensor<16x48xf32>) outs(%init : tensor<16xf32>) dimensions = [1]
  %c_2 = arith.constant dense<0.020833334> : tensor<16xf32>
  %mul = arith.mulf %red, %c_2 : tensor<16xf32>
  return %mul : tensor<16xf32>
}

// The sum in f64.
func.func @right_wide(%x: tensor<16x48xf32>) -> tensor<16xf32> {
  %wide = arith.extf %x : tensor<16x48xf32> to tensor<16x48xf64>
  %e = tensor.empty() : tensor<16xf64>
  %c = arith.constant 0.0 : f64
  %init = linalg.fill ins(%c : f64) outs(%e : tensor<16xf64>) -> tensor<16xf64>
  %red = linalg.reduce { arith.addf } ins(%wide : tensor<16x48xf64>) outs(%init : tensor<16xf64>) dimensions = [1]
  %c_2 = arith.constant dense<0.020833333333333332> : tensor<16xf64>
  %mul = arith.mulf %red, %c_2 : tensor<16xf64>
  %cut = arith.truncf %mul : tensor<16xf64> to tensor<16xf32>
  return %cut : tensor<16xf32>
}

// Each value over 48, then the sum.
func.func @right_scaled_first(%x: tensor<16x48xf32>) -> tensor<16xf32> {
  %c = arith.constant dense<0.020833334> : tensor<16x48xf32>
  %mul = arith.mulf %x, %c : tensor<16x48xf32>
  %e = tensor.empty() : tensor<16xf32>
  %c_2 = arith.constant 0.0 : f32
  %init = linalg.fill ins(%c_2 : f32) outs(%e : tensor<16xf32>) -> tensor<16xf32>
  %red = linalg.reduce { arith.addf } ins(%mul : tensor<16x48xf32>) outs(%init : tensor<16xf32>) dimensions = [1]
  return %red : tensor<16xf32>
}

// A compensated sum. Shows for one infinity: NaN.
func.func @wrong_compensated(%x: tensor<16x48xf32>) -> tensor<16xf32> {
  %e = tensor.empty() : tensor<16xf32>
  %c = arith.constant 0.0 : f32
  %init = linalg.fill ins(%c : f32) outs(%e : tensor<16xf32>) -> tensor<16xf32>
  %e_2 = tensor.empty() : tensor<16xf32>
  %init_2 = linalg.fill ins(%c : f32) outs(%e_2 : tensor<16xf32>) -> tensor<16xf32>
  %r:2 = linalg.generic #rows ins(%x : tensor<16x48xf32>) outs(%init, %init_2 : tensor<16xf32>, tensor<16xf32>) {
  ^bb0(%a: f32, %s: f32, %s_2: f32):
    %sub = arith.subf %a, %s_2 : f32
    %add = arith.addf %s, %sub : f32
    %sub_2 = arith.subf %add, %s : f32
    %sub_3 = arith.subf %sub_2, %sub : f32
    linalg.yield %add, %sub_3 : f32, f32
  } -> (tensor<16xf32>, tensor<16xf32>)
  %c_2 = arith.constant dense<0.020833334> : tensor<16xf32>
  %mul = arith.mulf %r#0, %c_2 : tensor<16xf32>
  return %mul : tensor<16xf32>
}

// A running mean. Shows for an infinity that is not the last: NaN.
func.func @wrong_running(%x: tensor<16x48xf32>) -> tensor<16xf32> {
  %e = tensor.empty() : tensor<16xf32>
  %c = arith.constant 0.0 : f32
  %init = linalg.fill ins(%c : f32) outs(%e : tensor<16xf32>) -> tensor<16xf32>
  %r = linalg.generic #rows2 ins(%x : tensor<16x48xf32>) outs(%init : tensor<16xf32>) {
  ^bb0(%a: f32, %s: f32):
    %at = linalg.index 1 : index
    %idx = arith.index_cast %at : index to i32
    %flt = arith.sitofp %idx : i32 to f32
    %c_2 = arith.constant 1.0 : f32
    %add = arith.addf %flt, %c_2 : f32
    %sub = arith.subf %a, %s : f32
    %div = arith.divf %sub, %add : f32
    %add_2 = arith.addf %s, %div : f32
    linalg.yield %add_2 : f32
  } -> tensor<16xf32>
  return %r : tensor<16xf32>
}

// Leaves NaN out of the sum. Shows for a NaN.
func.func @wrong_skips_nan(%x: tensor<16x48xf32>) -> tensor<16xf32> {
  %e = tensor.empty() : tensor<16xf32>
  %c = arith.constant 0.0 : f32
  %init = linalg.fill ins(%c : f32) outs(%e : tensor<16xf32>) -> tensor<16xf32>
  %r = linalg.generic #rows2 ins(%x : tensor<16x48xf32>) outs(%init : tensor<16xf32>) {
  ^bb0(%a: f32, %s: f32):
    %uno = arith.cmpf uno, %a, %a : f32
    %add = arith.addf %s, %a : f32
    %sel = arith.select %uno, %s, %add : f32
    linalg.yield %sel : f32
  } -> tensor<16xf32>
  %c_2 = arith.constant dense<0.020833334> : tensor<16xf32>
  %mul = arith.mulf %r, %c_2 : tensor<16xf32>
  return %mul : tensor<16xf32>
}

// Values bounded by 1e30. Shows for infinities and above 1e30.
func.func @wrong_bounded(%x: tensor<16x48xf32>) -> tensor<16xf32> {
  %c = arith.constant dense<-1.0e30> : tensor<16x48xf32>
  %max = arith.maximumf %x, %c : tensor<16x48xf32>
  %c_2 = arith.constant dense<1.0e30> : tensor<16x48xf32>
  %min = arith.minimumf %max, %c_2 : tensor<16x48xf32>
  %e = tensor.empty() : tensor<16xf32>
  %c_3 = arith.constant 0.0 : f32
  %init = linalg.fill ins(%c_3 : f32) outs(%e : tensor<16xf32>) -> tensor<16xf32>
  %red = linalg.reduce { arith.addf } ins(%min : tensor<16x48xf32>) outs(%init : tensor<16xf32>) dimensions = [1]
  %c_4 = arith.constant dense<0.020833334> : tensor<16xf32>
  %mul = arith.mulf %red, %c_4 : tensor<16xf32>
  return %mul : tensor<16xf32>
}

// Leaves infinities out. Shows for one.
func.func @wrong_finite_only(%x: tensor<16x48xf32>) -> tensor<16xf32> {
  %e = tensor.empty() : tensor<16xf32>
  %c = arith.constant 0.0 : f32
  %init = linalg.fill ins(%c : f32) outs(%e : tensor<16xf32>) -> tensor<16xf32>
  %r = linalg.generic #rows2 ins(%x : tensor<16x48xf32>) outs(%init : tensor<16xf32>) {
  ^bb0(%a: f32, %s: f32):
    %abs = math.absf %a : f32
    %c_2 = arith.constant 0x7F800000 : f32
    %oeq = arith.cmpf oeq, %abs, %c_2 : f32
    %add = arith.addf %s, %a : f32
    %sel = arith.select %oeq, %s, %add : f32
    linalg.yield %sel : f32
  } -> tensor<16xf32>
  %c_3 = arith.constant dense<0.020833334> : tensor<16xf32>
  %mul = arith.mulf %r, %c_3 : tensor<16xf32>
  return %mul : tensor<16xf32>
}

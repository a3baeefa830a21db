// sin of each element, f32, for arguments far beyond one period.
// Where the arguments are further apart than a period, any value of [-1, 1] will do.

#each = {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
  iterator_types = ["parallel"]}

func.func @kernel(%x: tensor<1000xf32>) -> tensor<1000xf32> {
  %e = tensor.empty() : tensor<1000xf32>
  %r = linalg.generic #each ins(%x : tensor<1000xf32>) outs(%e : tensor<1000xf32>) {
  ^bb0(%a: f32, %o: f32):
    %sin = math.sin %a : f32
    linalg.yield %sin : f32
  } -> tensor<1000xf32>
  return %r : tensor<1000xf32>
}

// In f64.
func.func @right_wide(%x: tensor<1000xf32>) -> tensor<1000xf32> {
  %e = tensor.empty() : tensor<1000xf32>
  %r = linalg.generic #each ins(%x : tensor<1000xf32>) outs(%e : tensor<1000xf32>) {
  ^bb0(%a: f32, %o: f32):
    %wide = arith.extf %a : f32 to f64
    %sin = math.sin %wide : f64
    %cut = arith.truncf %sin : f64 to f32
    linalg.yield %cut : f32
  } -> tensor<1000xf32>
  return %r : tensor<1000xf32>
}

// Whole periods taken away in f64.
func.func @right_reduced(%x: tensor<1000xf32>) -> tensor<1000xf32> {
  %e = tensor.empty() : tensor<1000xf32>
  %r = linalg.generic #each ins(%x : tensor<1000xf32>) outs(%e : tensor<1000xf32>) {
  ^bb0(%a: f32, %o: f32):
    %wide = arith.extf %a : f32 to f64
    %c = arith.constant 0.15915494309189535 : f64
    %mul = arith.mulf %wide, %c : f64
    %roundeven = math.roundeven %mul : f64
    %c_2 = arith.constant 6.283185307179586 : f64
    %mul_2 = arith.mulf %roundeven, %c_2 : f64
    %sub = arith.subf %wide, %mul_2 : f64
    %sin = math.sin %sub : f64
    %cut = arith.truncf %sin : f64 to f32
    linalg.yield %cut : f32
  } -> tensor<1000xf32>
  return %r : tensor<1000xf32>
}

// 2 sin(x/2) cos(x/2) in f64.
func.func @right_half_angle(%x: tensor<1000xf32>) -> tensor<1000xf32> {
  %e = tensor.empty() : tensor<1000xf32>
  %r = linalg.generic #each ins(%x : tensor<1000xf32>) outs(%e : tensor<1000xf32>) {
  ^bb0(%a: f32, %o: f32):
    %wide = arith.extf %a : f32 to f64
    %c = arith.constant 0.5 : f64
    %mul = arith.mulf %wide, %c : f64
    %sin = math.sin %mul : f64
    %cos = math.cos %mul : f64
    %mul_2 = arith.mulf %sin, %cos : f64
    %c_2 = arith.constant 2.0 : f64
    %mul_3 = arith.mulf %mul_2, %c_2 : f64
    %cut = arith.truncf %mul_3 : f64 to f32
    linalg.yield %cut : f32
  } -> tensor<1000xf32>
  return %r : tensor<1000xf32>
}

// At most one period taken away before the series. Shows beyond 9.5.
func.func @wrong_one_period(%x: tensor<1000xf32>) -> tensor<1000xf32> {
  %e = tensor.empty() : tensor<1000xf32>
  %r = linalg.generic #each ins(%x : tensor<1000xf32>) outs(%e : tensor<1000xf32>) {
  ^bb0(%a: f32, %o: f32):
    %c = arith.constant 0.15915494 : f32
    %mul = arith.mulf %a, %c : f32
    %roundeven = math.roundeven %mul : f32
    %c_2 = arith.constant -1.0 : f32
    %max = arith.maximumf %roundeven, %c_2 : f32
    %c_3 = arith.constant 1.0 : f32
    %min = arith.minimumf %max, %c_3 : f32
    %c_4 = arith.constant 6.28125 : f32
    %mul_2 = arith.mulf %min, %c_4 : f32
    %sub = arith.subf %a, %mul_2 : f32
    %c_5 = arith.constant 0.0019350052 : f32
    %mul_3 = arith.mulf %min, %c_5 : f32
    %sub_2 = arith.subf %sub, %mul_3 : f32
    %c_6 = arith.constant 3.019916e-7 : f32
    %mul_4 = arith.mulf %min, %c_6 : f32
    %sub_3 = arith.subf %sub_2, %mul_4 : f32
    %mul_5 = arith.mulf %sub_3, %sub_3 : f32
    %c_7 = arith.constant -7.6471636e-13 : f32
    %c_8 = arith.constant 1.6059044e-10 : f32
    %fma = math.fma %c_7, %mul_5, %c_8 : f32
    %c_9 = arith.constant -2.5052108e-8 : f32
    %fma_2 = math.fma %fma, %mul_5, %c_9 : f32
    %c_10 = arith.constant 2.7557319e-6 : f32
    %fma_3 = math.fma %fma_2, %mul_5, %c_10 : f32
    %c_11 = arith.constant -1.984127e-4 : f32
    %fma_4 = math.fma %fma_3, %mul_5, %c_11 : f32
    %c_12 = arith.constant 0.008333334 : f32
    %fma_5 = math.fma %fma_4, %mul_5, %c_12 : f32
    %c_13 = arith.constant -0.16666667 : f32
    %fma_6 = math.fma %fma_5, %mul_5, %c_13 : f32
    %fma_7 = math.fma %fma_6, %mul_5, %c_3 : f32
    %mul_6 = arith.mulf %sub_3, %fma_7 : f32
    linalg.yield %mul_6 : f32
  } -> tensor<1000xf32>
  return %r : tensor<1000xf32>
}

// The number of periods bounded as in i8. Shows beyond 800.
func.func @wrong_count_i8(%x: tensor<1000xf32>) -> tensor<1000xf32> {
  %e = tensor.empty() : tensor<1000xf32>
  %r = linalg.generic #each ins(%x : tensor<1000xf32>) outs(%e : tensor<1000xf32>) {
  ^bb0(%a: f32, %o: f32):
    %c = arith.constant 0.15915494 : f32
    %mul = arith.mulf %a, %c : f32
    %roundeven = math.roundeven %mul : f32
    %c_2 = arith.constant -128.0 : f32
    %max = arith.maximumf %roundeven, %c_2 : f32
    %c_3 = arith.constant 127.0 : f32
    %min = arith.minimumf %max, %c_3 : f32
    %c_4 = arith.constant 6.28125 : f32
    %mul_2 = arith.mulf %min, %c_4 : f32
    %sub = arith.subf %a, %mul_2 : f32
    %c_5 = arith.constant 0.0019350052 : f32
    %mul_3 = arith.mulf %min, %c_5 : f32
    %sub_2 = arith.subf %sub, %mul_3 : f32
    %c_6 = arith.constant 3.019916e-7 : f32
    %mul_4 = arith.mulf %min, %c_6 : f32
    %sub_3 = arith.subf %sub_2, %mul_4 : f32
    %mul_5 = arith.mulf %sub_3, %sub_3 : f32
    %c_7 = arith.constant -7.6471636e-13 : f32
    %c_8 = arith.constant 1.6059044e-10 : f32
    %fma = math.fma %c_7, %mul_5, %c_8 : f32
    %c_9 = arith.constant -2.5052108e-8 : f32
    %fma_2 = math.fma %fma, %mul_5, %c_9 : f32
    %c_10 = arith.constant 2.7557319e-6 : f32
    %fma_3 = math.fma %fma_2, %mul_5, %c_10 : f32
    %c_11 = arith.constant -1.984127e-4 : f32
    %fma_4 = math.fma %fma_3, %mul_5, %c_11 : f32
    %c_12 = arith.constant 0.008333334 : f32
    %fma_5 = math.fma %fma_4, %mul_5, %c_12 : f32
    %c_13 = arith.constant -0.16666667 : f32
    %fma_6 = math.fma %fma_5, %mul_5, %c_13 : f32
    %c_14 = arith.constant 1.0 : f32
    %fma_7 = math.fma %fma_6, %mul_5, %c_14 : f32
    %mul_6 = arith.mulf %sub_3, %fma_7 : f32
    linalg.yield %mul_6 : f32
  } -> tensor<1000xf32>
  return %r : tensor<1000xf32>
}

// Gives 0 beyond 8192. Shows there.
func.func @wrong_lost_significance(%x: tensor<1000xf32>) -> tensor<1000xf32> {
  %e = tensor.empty() : tensor<1000xf32>
  %r = linalg.generic #each ins(%x : tensor<1000xf32>) outs(%e : tensor<1000xf32>) {
  ^bb0(%a: f32, %o: f32):
    %abs = math.absf %a : f32
    %c = arith.constant 8192.0 : f32
    %ogt = arith.cmpf ogt, %abs, %c : f32
    %c_2 = arith.constant 0.0 : f32
    %sin = math.sin %a : f32
    %sel = arith.select %ogt, %c_2, %sin : f32
    linalg.yield %sel : f32
  } -> tensor<1000xf32>
  return %r : tensor<1000xf32>
}

// Takes away n * 6.2832. Shows from 10, more at 1000: off by 2e-6 of x.
func.func @wrong_coarse_period(%x: tensor<1000xf32>) -> tensor<1000xf32> {
  %e = tensor.empty() : tensor<1000xf32>
  %r = linalg.generic #each ins(%x : tensor<1000xf32>) outs(%e : tensor<1000xf32>) {
  ^bb0(%a: f32, %o: f32):
    %c = arith.constant 0.15915494 : f32
    %mul = arith.mulf %a, %c : f32
    %roundeven = math.roundeven %mul : f32
    %c_2 = arith.constant 6.2832 : f32
    %mul_2 = arith.mulf %roundeven, %c_2 : f32
    %sub = arith.subf %a, %mul_2 : f32
    %sin = math.sin %sub : f32
    linalg.yield %sin : f32
  } -> tensor<1000xf32>
  return %r : tensor<1000xf32>
}

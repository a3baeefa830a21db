// tanh, f32, with leave to use an approximation (afn): here good to 1e-4 of the result.

#each = {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
  iterator_types = ["parallel"]}

func.func @kernel(%x: tensor<1024xf32>) -> tensor<1024xf32> {
  %e = tensor.empty() : tensor<1024xf32>
  %r = linalg.generic #each ins(%x : tensor<1024xf32>) outs(%e : tensor<1024xf32>) {
  ^bb0(%a: f32, %o: f32):
    %tanh = math.tanh %a fastmath<afn> : f32
    linalg.yield %tanh : f32
  } -> tensor<1024xf32>
  return %r : tensor<1024xf32>
}

// A continued fraction on [-4.97, 4.97], bounded before and after.
func.func @right_fraction(%x: tensor<1024xf32>) -> tensor<1024xf32> {
  %e = tensor.empty() : tensor<1024xf32>
  %r = linalg.generic #each ins(%x : tensor<1024xf32>) outs(%e : tensor<1024xf32>) {
  ^bb0(%a: f32, %o: f32):
    %c = arith.constant -4.97 : f32
    %max = arith.maximumf %a, %c : f32
    %c_2 = arith.constant 4.97 : f32
    %min = arith.minimumf %max, %c_2 : f32
    %mul = arith.mulf %min, %min : f32
    %c_3 = arith.constant 1.0 : f32
    %mul_2 = arith.mulf %c_3, %mul : f32
    %c_4 = arith.constant 378.0 : f32
    %add = arith.addf %mul_2, %c_4 : f32
    %mul_3 = arith.mulf %add, %mul : f32
    %c_5 = arith.constant 17325.0 : f32
    %add_2 = arith.addf %mul_3, %c_5 : f32
    %mul_4 = arith.mulf %add_2, %mul : f32
    %c_6 = arith.constant 135135.0 : f32
    %add_3 = arith.addf %mul_4, %c_6 : f32
    %mul_5 = arith.mulf %min, %add_3 : f32
    %c_7 = arith.constant 28.0 : f32
    %mul_6 = arith.mulf %c_7, %mul : f32
    %c_8 = arith.constant 3150.0 : f32
    %add_4 = arith.addf %mul_6, %c_8 : f32
    %mul_7 = arith.mulf %add_4, %mul : f32
    %c_9 = arith.constant 62370.0 : f32
    %add_5 = arith.addf %mul_7, %c_9 : f32
    %mul_8 = arith.mulf %add_5, %mul : f32
    %add_6 = arith.addf %mul_8, %c_6 : f32
    %div = arith.divf %mul_5, %add_6 : f32
    %c_10 = arith.constant -1.0 : f32
    %max_2 = arith.maximumf %div, %c_10 : f32
    %min_2 = arith.minimumf %max_2, %c_3 : f32
    linalg.yield %min_2 : f32
  } -> tensor<1024xf32>
  return %r : tensor<1024xf32>
}

// x itself below 0.003.
func.func @right_early_linear(%x: tensor<1024xf32>) -> tensor<1024xf32> {
  %e = tensor.empty() : tensor<1024xf32>
  %r = linalg.generic #each ins(%x : tensor<1024xf32>) outs(%e : tensor<1024xf32>) {
  ^bb0(%a: f32, %o: f32):
    %abs = math.absf %a : f32
    %c = arith.constant 0.003 : f32
    %olt = arith.cmpf olt, %abs, %c : f32
    %tanh = math.tanh %a : f32
    %sel = arith.select %olt, %a, %tanh : f32
    linalg.yield %sel : f32
  } -> tensor<1024xf32>
  return %r : tensor<1024xf32>
}

// In f64, with no flags.
func.func @right_f64(%x: tensor<1024xf32>) -> tensor<1024xf32> {
  %e = tensor.empty() : tensor<1024xf32>
  %r = linalg.generic #each ins(%x : tensor<1024xf32>) outs(%e : tensor<1024xf32>) {
  ^bb0(%a: f32, %o: f32):
    %wide = arith.extf %a : f32 to f64
    %tanh = math.tanh %wide : f64
    %cut = arith.truncf %tanh : f64 to f32
    linalg.yield %cut : f32
  } -> tensor<1024xf32>
  return %r : tensor<1024xf32>
}

// The continued fraction without bounds. Shows above 6: it grows as x / 28.
func.func @wrong_fraction_unbounded(%x: tensor<1024xf32>) -> tensor<1024xf32> {
  %e = tensor.empty() : tensor<1024xf32>
  %r = linalg.generic #each ins(%x : tensor<1024xf32>) outs(%e : tensor<1024xf32>) {
  ^bb0(%a: f32, %o: f32):
    %mul = arith.mulf %a, %a : f32
    %c = arith.constant 1.0 : f32
    %mul_2 = arith.mulf %c, %mul : f32
    %c_2 = arith.constant 378.0 : f32
    %add = arith.addf %mul_2, %c_2 : f32
    %mul_3 = arith.mulf %add, %mul : f32
    %c_3 = arith.constant 17325.0 : f32
    %add_2 = arith.addf %mul_3, %c_3 : f32
    %mul_4 = arith.mulf %add_2, %mul : f32
    %c_4 = arith.constant 135135.0 : f32
    %add_3 = arith.addf %mul_4, %c_4 : f32
    %mul_5 = arith.mulf %a, %add_3 : f32
    %c_5 = arith.constant 28.0 : f32
    %mul_6 = arith.mulf %c_5, %mul : f32
    %c_6 = arith.constant 3150.0 : f32
    %add_4 = arith.addf %mul_6, %c_6 : f32
    %mul_7 = arith.mulf %add_4, %mul : f32
    %c_7 = arith.constant 62370.0 : f32
    %add_5 = arith.addf %mul_7, %c_7 : f32
    %mul_8 = arith.mulf %add_5, %mul : f32
    %add_6 = arith.addf %mul_8, %c_4 : f32
    %div = arith.divf %mul_5, %add_6 : f32
    linalg.yield %div : f32
  } -> tensor<1024xf32>
  return %r : tensor<1024xf32>
}

// 0 below 1e-4. Shows there.
func.func @wrong_dead_zone(%x: tensor<1024xf32>) -> tensor<1024xf32> {
  %e = tensor.empty() : tensor<1024xf32>
  %r = linalg.generic #each ins(%x : tensor<1024xf32>) outs(%e : tensor<1024xf32>) {
  ^bb0(%a: f32, %o: f32):
    %abs = math.absf %a : f32
    %c = arith.constant 1.0e-4 : f32
    %olt = arith.cmpf olt, %abs, %c : f32
    %c_2 = arith.constant 0.0 : f32
    %tanh = math.tanh %a : f32
    %sel = arith.select %olt, %c_2, %tanh : f32
    linalg.yield %sel : f32
  } -> tensor<1024xf32>
  return %r : tensor<1024xf32>
}

// 1 - 2 / (exp(2x) + 1), as exact as could be but for tiny x. Shows below 1e-4: 0 below 3e-8.
func.func @wrong_exp(%x: tensor<1024xf32>) -> tensor<1024xf32> {
  %e = tensor.empty() : tensor<1024xf32>
  %r = linalg.generic #each ins(%x : tensor<1024xf32>) outs(%e : tensor<1024xf32>) {
  ^bb0(%a: f32, %o: f32):
    %c = arith.constant 2.0 : f32
    %mul = arith.mulf %a, %c : f32
    %exp = math.exp %mul : f32
    %c_2 = arith.constant 1.0 : f32
    %add = arith.addf %exp, %c_2 : f32
    %div = arith.divf %c, %add : f32
    %sub = arith.subf %c_2, %div : f32
    linalg.yield %sub : f32
  } -> tensor<1024xf32>
  return %r : tensor<1024xf32>
}

// The sign lost above 9. Shows below -9.
func.func @wrong_magnitude(%x: tensor<1024xf32>) -> tensor<1024xf32> {
  %e = tensor.empty() : tensor<1024xf32>
  %r = linalg.generic #each ins(%x : tensor<1024xf32>) outs(%e : tensor<1024xf32>) {
  ^bb0(%a: f32, %o: f32):
    %abs = math.absf %a : f32
    %c = arith.constant 9.0 : f32
    %ogt = arith.cmpf ogt, %abs, %c : f32
    %c_2 = arith.constant 1.0 : f32
    %tanh = math.tanh %a : f32
    %sel = arith.select %ogt, %c_2, %tanh : f32
    linalg.yield %sel : f32
  } -> tensor<1024xf32>
  return %r : tensor<1024xf32>
}

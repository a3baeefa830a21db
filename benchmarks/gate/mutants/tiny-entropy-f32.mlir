// -p log p of p = |x|, f32, and 0 at p = 0.

#each = {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
  iterator_types = ["parallel"]}

func.func @kernel(%x: tensor<1024xf32>) -> tensor<1024xf32> {
  %e = tensor.empty() : tensor<1024xf32>
  %r = linalg.generic #each ins(%x : tensor<1024xf32>) outs(%e : tensor<1024xf32>) {
  ^bb0(%a: f32, %o: f32):
    %abs = math.absf %a : f32
    %c = arith.constant 0.0 : f32
    %oeq = arith.cmpf oeq, %abs, %c : f32
    %neg = arith.negf %abs : f32
    %log = math.log %abs : f32
    %mul = arith.mulf %neg, %log : f32
    %sel = arith.select %oeq, %abs, %mul : f32
    linalg.yield %sel : f32
  } -> tensor<1024xf32>
  return %r : tensor<1024xf32>
}

// By log2.
func.func @right_base2(%x: tensor<1024xf32>) -> tensor<1024xf32> {
  %e = tensor.empty() : tensor<1024xf32>
  %r = linalg.generic #each ins(%x : tensor<1024xf32>) outs(%e : tensor<1024xf32>) {
  ^bb0(%a: f32, %o: f32):
    %abs = math.absf %a : f32
    %c = arith.constant 0.0 : f32
    %oeq = arith.cmpf oeq, %abs, %c : f32
    %log2 = math.log2 %abs : f32
    %c_2 = arith.constant -0.6931472 : f32
    %mul = arith.mulf %log2, %c_2 : f32
    %mul_2 = arith.mulf %mul, %abs : f32
    %sel = arith.select %oeq, %abs, %mul_2 : f32
    linalg.yield %sel : f32
  } -> tensor<1024xf32>
  return %r : tensor<1024xf32>
}

// The argument of log at least 1e-45, the smallest number there is.
func.func @right_floor(%x: tensor<1024xf32>) -> tensor<1024xf32> {
  %e = tensor.empty() : tensor<1024xf32>
  %r = linalg.generic #each ins(%x : tensor<1024xf32>) outs(%e : tensor<1024xf32>) {
  ^bb0(%a: f32, %o: f32):
    %abs = math.absf %a : f32
    %neg = arith.negf %abs : f32
    %c = arith.constant 1.0e-45 : f32
    %max = arith.maximumf %abs, %c : f32
    %log = math.log %max : f32
    %mul = arith.mulf %neg, %log : f32
    linalg.yield %mul : f32
  } -> tensor<1024xf32>
  return %r : tensor<1024xf32>
}

// The argument of log at least 1e-6. Shows below: 1/7 of the result at 1e-7.
func.func @wrong_floor(%x: tensor<1024xf32>) -> tensor<1024xf32> {
  %e = tensor.empty() : tensor<1024xf32>
  %r = linalg.generic #each ins(%x : tensor<1024xf32>) outs(%e : tensor<1024xf32>) {
  ^bb0(%a: f32, %o: f32):
    %abs = math.absf %a : f32
    %neg = arith.negf %abs : f32
    %c = arith.constant 1.0e-6 : f32
    %max = arith.maximumf %abs, %c : f32
    %log = math.log %max : f32
    %mul = arith.mulf %neg, %log : f32
    linalg.yield %mul : f32
  } -> tensor<1024xf32>
  return %r : tensor<1024xf32>
}

// 1e-10 added to the argument of log. Shows below 1e-6.
func.func @wrong_eps(%x: tensor<1024xf32>) -> tensor<1024xf32> {
  %e = tensor.empty() : tensor<1024xf32>
  %r = linalg.generic #each ins(%x : tensor<1024xf32>) outs(%e : tensor<1024xf32>) {
  ^bb0(%a: f32, %o: f32):
    %abs = math.absf %a : f32
    %neg = arith.negf %abs : f32
    %c = arith.constant 1.0e-10 : f32
    %add = arith.addf %abs, %c : f32
    %log = math.log %add : f32
    %mul = arith.mulf %neg, %log : f32
    linalg.yield %mul : f32
  } -> tensor<1024xf32>
  return %r : tensor<1024xf32>
}

// 0 below 1e-7. Shows there: 1.6e-6 and less is lost.
func.func @wrong_dead_zone(%x: tensor<1024xf32>) -> tensor<1024xf32> {
  %e = tensor.empty() : tensor<1024xf32>
  %r = linalg.generic #each ins(%x : tensor<1024xf32>) outs(%e : tensor<1024xf32>) {
  ^bb0(%a: f32, %o: f32):
    %abs = math.absf %a : f32
    %c = arith.constant 1.0e-7 : f32
    %olt = arith.cmpf olt, %abs, %c : f32
    %c_2 = arith.constant 0.0 : f32
    %neg = arith.negf %abs : f32
    %log = math.log %abs : f32
    %mul = arith.mulf %neg, %log : f32
    %sel = arith.select %olt, %c_2, %mul : f32
    linalg.yield %sel : f32
  } -> tensor<1024xf32>
  return %r : tensor<1024xf32>
}

// -p log(p^2) / 2. Shows below 1e-19, and above 1.8e19: infinity.
func.func @wrong_square(%x: tensor<1024xf32>) -> tensor<1024xf32> {
  %e = tensor.empty() : tensor<1024xf32>
  %r = linalg.generic #each ins(%x : tensor<1024xf32>) outs(%e : tensor<1024xf32>) {
  ^bb0(%a: f32, %o: f32):
    %abs = math.absf %a : f32
    %c = arith.constant 0.0 : f32
    %oeq = arith.cmpf oeq, %abs, %c : f32
    %mul = arith.mulf %abs, %abs : f32
    %log = math.log %mul : f32
    %mul_2 = arith.mulf %abs, %log : f32
    %c_2 = arith.constant -0.5 : f32
    %mul_3 = arith.mulf %mul_2, %c_2 : f32
    %sel = arith.select %oeq, %abs, %mul_3 : f32
    linalg.yield %sel : f32
  } -> tensor<1024xf32>
  return %r : tensor<1024xf32>
}

// 1e-12 added to the factor. Shows below 1e-6.
func.func @wrong_factor_eps(%x: tensor<1024xf32>) -> tensor<1024xf32> {
  %e = tensor.empty() : tensor<1024xf32>
  %r = linalg.generic #each ins(%x : tensor<1024xf32>) outs(%e : tensor<1024xf32>) {
  ^bb0(%a: f32, %o: f32):
    %abs = math.absf %a : f32
    %c = arith.constant 0.0 : f32
    %oeq = arith.cmpf oeq, %abs, %c : f32
    %c_2 = arith.constant 1.0e-12 : f32
    %add = arith.addf %abs, %c_2 : f32
    %neg = arith.negf %add : f32
    %log = math.log %abs : f32
    %mul = arith.mulf %neg, %log : f32
    %sel = arith.select %oeq, %abs, %mul : f32
    linalg.yield %sel : f32
  } -> tensor<1024xf32>
  return %r : tensor<1024xf32>
}

// max(x, 0), f32, with the promise of no NaN and no infinity: what comes of those is free.

#each = {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
  iterator_types = ["parallel"]}

func.func @kernel(%x: tensor<1024xf32>) -> tensor<1024xf32> {
  %e = tensor.empty() : tensor<1024xf32>
  %r = linalg.generic #each ins(%x : tensor<1024xf32>) outs(%e : tensor<1024xf32>) {
  ^bb0(%a: f32, %o: f32):
    %c = arith.constant 0.0 : f32
    %max = arith.maximumf %a, %c fastmath<nnan,ninf> : f32
    linalg.yield %max : f32
  } -> tensor<1024xf32>
  return %r : tensor<1024xf32>
}

// x where it is above 0, else 0.
func.func @right_select(%x: tensor<1024xf32>) -> tensor<1024xf32> {
  %e = tensor.empty() : tensor<1024xf32>
  %r = linalg.generic #each ins(%x : tensor<1024xf32>) outs(%e : tensor<1024xf32>) {
  ^bb0(%a: f32, %o: f32):
    %c = arith.constant 0.0 : f32
    %ogt = arith.cmpf ogt, %a, %c : f32
    %sel = arith.select %ogt, %a, %c : f32
    linalg.yield %sel : f32
  } -> tensor<1024xf32>
  return %r : tensor<1024xf32>
}

// The maximum number.
func.func @right_maxnum(%x: tensor<1024xf32>) -> tensor<1024xf32> {
  %e = tensor.empty() : tensor<1024xf32>
  %r = linalg.generic #each ins(%x : tensor<1024xf32>) outs(%e : tensor<1024xf32>) {
  ^bb0(%a: f32, %o: f32):
    %c = arith.constant 0.0 : f32
    %maxnum = arith.maxnumf %a, %c : f32
    linalg.yield %maxnum : f32
  } -> tensor<1024xf32>
  return %r : tensor<1024xf32>
}

// x times 1 or 0.
func.func @right_mask(%x: tensor<1024xf32>) -> tensor<1024xf32> {
  %e = tensor.empty() : tensor<1024xf32>
  %r = linalg.generic #each ins(%x : tensor<1024xf32>) outs(%e : tensor<1024xf32>) {
  ^bb0(%a: f32, %o: f32):
    %c = arith.constant 0.0 : f32
    %ogt = arith.cmpf ogt, %a, %c : f32
    %flt = arith.uitofp %ogt : i1 to f32
    %mul = arith.mulf %a, %flt : f32
    linalg.yield %mul : f32
  } -> tensor<1024xf32>
  return %r : tensor<1024xf32>
}

// Bounded by the largest finite value.
func.func @right_finite(%x: tensor<1024xf32>) -> tensor<1024xf32> {
  %e = tensor.empty() : tensor<1024xf32>
  %r = linalg.generic #each ins(%x : tensor<1024xf32>) outs(%e : tensor<1024xf32>) {
  ^bb0(%a: f32, %o: f32):
    %c = arith.constant 0.0 : f32
    %max = arith.maximumf %a, %c : f32
    %c_2 = arith.constant 3.4028235e38 : f32
    %min = arith.minimumf %max, %c_2 : f32
    linalg.yield %min : f32
  } -> tensor<1024xf32>
  return %r : tensor<1024xf32>
}

// (x + |x|) / 2. Shows above 1.7e38, for finite x: infinity.
func.func @wrong_half_sum(%x: tensor<1024xf32>) -> tensor<1024xf32> {
  %e = tensor.empty() : tensor<1024xf32>
  %r = linalg.generic #each ins(%x : tensor<1024xf32>) outs(%e : tensor<1024xf32>) {
  ^bb0(%a: f32, %o: f32):
    %abs = math.absf %a : f32
    %add = arith.addf %a, %abs : f32
    %c = arith.constant 0.5 : f32
    %mul = arith.mulf %add, %c : f32
    linalg.yield %mul : f32
  } -> tensor<1024xf32>
  return %r : tensor<1024xf32>
}

// 0 below 1e-20. Shows there.
func.func @wrong_dead_zone(%x: tensor<1024xf32>) -> tensor<1024xf32> {
  %e = tensor.empty() : tensor<1024xf32>
  %r = linalg.generic #each ins(%x : tensor<1024xf32>) outs(%e : tensor<1024xf32>) {
  ^bb0(%a: f32, %o: f32):
    %c = arith.constant 1.0e-20 : f32
    %ogt = arith.cmpf ogt, %a, %c : f32
    %c_2 = arith.constant 0.0 : f32
    %sel = arith.select %ogt, %a, %c_2 : f32
    linalg.yield %sel : f32
  } -> tensor<1024xf32>
  return %r : tensor<1024xf32>
}

// The root of x |x|, 0 below. Shows below 1e-19 and above 1.8e19.
func.func @wrong_square(%x: tensor<1024xf32>) -> tensor<1024xf32> {
  %e = tensor.empty() : tensor<1024xf32>
  %r = linalg.generic #each ins(%x : tensor<1024xf32>) outs(%e : tensor<1024xf32>) {
  ^bb0(%a: f32, %o: f32):
    %abs = math.absf %a : f32
    %mul = arith.mulf %a, %abs : f32
    %c = arith.constant 0.0 : f32
    %max = arith.maximumf %mul, %c : f32
    %sqrt = math.sqrt %max : f32
    linalg.yield %sqrt : f32
  } -> tensor<1024xf32>
  return %r : tensor<1024xf32>
}

// Bounded by 65504. Shows above.
func.func @wrong_bound_f16(%x: tensor<1024xf32>) -> tensor<1024xf32> {
  %e = tensor.empty() : tensor<1024xf32>
  %r = linalg.generic #each ins(%x : tensor<1024xf32>) outs(%e : tensor<1024xf32>) {
  ^bb0(%a: f32, %o: f32):
    %c = arith.constant 0.0 : f32
    %max = arith.maximumf %a, %c : f32
    %c_2 = arith.constant 65504.0 : f32
    %min = arith.minimumf %max, %c_2 : f32
    linalg.yield %min : f32
  } -> tensor<1024xf32>
  return %r : tensor<1024xf32>
}

// max(x, 0), f32. NaN stays NaN, infinity stays, -infinity gives 0.

#each = {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
  iterator_types = ["parallel"]}

func.func @kernel(%x: tensor<1024xf32>) -> tensor<1024xf32> {
  %e = tensor.empty() : tensor<1024xf32>
  %r = linalg.generic #each ins(%x : tensor<1024xf32>) outs(%e : tensor<1024xf32>) {
  ^bb0(%a: f32, %o: f32):
    %c = arith.constant 0.0 : f32
    %max = arith.maximumf %a, %c : f32
    linalg.yield %max : f32
  } -> tensor<1024xf32>
  return %r : tensor<1024xf32>
}

// 0 where x is below 0, else x.
func.func @right_select_below(%x: tensor<1024xf32>) -> tensor<1024xf32> {
  %e = tensor.empty() : tensor<1024xf32>
  %r = linalg.generic #each ins(%x : tensor<1024xf32>) outs(%e : tensor<1024xf32>) {
  ^bb0(%a: f32, %o: f32):
    %c = arith.constant 0.0 : f32
    %olt = arith.cmpf olt, %a, %c : f32
    %sel = arith.select %olt, %c, %a : f32
    linalg.yield %sel : f32
  } -> tensor<1024xf32>
  return %r : tensor<1024xf32>
}

// x where it is above 0 or NaN.
func.func @right_select_unordered(%x: tensor<1024xf32>) -> tensor<1024xf32> {
  %e = tensor.empty() : tensor<1024xf32>
  %r = linalg.generic #each ins(%x : tensor<1024xf32>) outs(%e : tensor<1024xf32>) {
  ^bb0(%a: f32, %o: f32):
    %c = arith.constant 0.0 : f32
    %ugt = arith.cmpf ugt, %a, %c : f32
    %sel = arith.select %ugt, %a, %c : f32
    linalg.yield %sel : f32
  } -> tensor<1024xf32>
  return %r : tensor<1024xf32>
}

// The operands swapped, as one whole tensor.
func.func @right_swapped(%x: tensor<1024xf32>) -> tensor<1024xf32> {
  %c = arith.constant dense<0.0> : tensor<1024xf32>
  %max = arith.maximumf %c, %x : tensor<1024xf32>
  return %max : tensor<1024xf32>
}

// x where it is above 0, else 0. Shows for NaN: 0.
func.func @wrong_select(%x: tensor<1024xf32>) -> tensor<1024xf32> {
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

// The maximum number. Shows for NaN: 0.
func.func @wrong_maxnum(%x: tensor<1024xf32>) -> tensor<1024xf32> {
  %e = tensor.empty() : tensor<1024xf32>
  %r = linalg.generic #each ins(%x : tensor<1024xf32>) outs(%e : tensor<1024xf32>) {
  ^bb0(%a: f32, %o: f32):
    %c = arith.constant 0.0 : f32
    %maxnum = arith.maxnumf %a, %c : f32
    linalg.yield %maxnum : f32
  } -> tensor<1024xf32>
  return %r : tensor<1024xf32>
}

// x times 1 or 0. Shows for -infinity: NaN.
func.func @wrong_mask(%x: tensor<1024xf32>) -> tensor<1024xf32> {
  %e = tensor.empty() : tensor<1024xf32>
  %r = linalg.generic #each ins(%x : tensor<1024xf32>) outs(%e : tensor<1024xf32>) {
  ^bb0(%a: f32, %o: f32):
    %c = arith.constant 0.0 : f32
    %olt = arith.cmpf olt, %a, %c : f32
    %c_2 = arith.constant 1.0 : f32
    %sel = arith.select %olt, %c, %c_2 : f32
    %mul = arith.mulf %a, %sel : f32
    linalg.yield %mul : f32
  } -> tensor<1024xf32>
  return %r : tensor<1024xf32>
}

// (x + |x|) / 2. Shows for -infinity (NaN) and above 1.7e38 (infinity).
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

// Bounded by the largest finite value. Shows for infinity.
func.func @wrong_finite(%x: tensor<1024xf32>) -> tensor<1024xf32> {
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

// 1 / (x + 0), f32, the sign of zeros being free (nsz): at zeros either infinity.

#each = {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
  iterator_types = ["parallel"]}

func.func @kernel(%x: tensor<1024xf32>) -> tensor<1024xf32> {
  %e = tensor.empty() : tensor<1024xf32>
  %r = linalg.generic #each ins(%x : tensor<1024xf32>) outs(%e : tensor<1024xf32>) {
  ^bb0(%a: f32, %o: f32):
    %c = arith.constant 0.0 : f32
    %add = arith.addf %a, %c fastmath<nsz> : f32
    %c_2 = arith.constant 1.0 : f32
    %div = arith.divf %c_2, %add fastmath<nsz> : f32
    linalg.yield %div : f32
  } -> tensor<1024xf32>
  return %r : tensor<1024xf32>
}

// x + 0 folded to x.
func.func @right_folded(%x: tensor<1024xf32>) -> tensor<1024xf32> {
  %e = tensor.empty() : tensor<1024xf32>
  %r = linalg.generic #each ins(%x : tensor<1024xf32>) outs(%e : tensor<1024xf32>) {
  ^bb0(%a: f32, %o: f32):
    %c = arith.constant 1.0 : f32
    %div = arith.divf %c, %a : f32
    linalg.yield %div : f32
  } -> tensor<1024xf32>
  return %r : tensor<1024xf32>
}

// -1 / (0 - x).
func.func @right_negated(%x: tensor<1024xf32>) -> tensor<1024xf32> {
  %e = tensor.empty() : tensor<1024xf32>
  %r = linalg.generic #each ins(%x : tensor<1024xf32>) outs(%e : tensor<1024xf32>) {
  ^bb0(%a: f32, %o: f32):
    %c = arith.constant 0.0 : f32
    %sub = arith.subf %c, %a : f32
    %c_2 = arith.constant -1.0 : f32
    %div = arith.divf %c_2, %sub : f32
    linalg.yield %div : f32
  } -> tensor<1024xf32>
  return %r : tensor<1024xf32>
}

// The sign of x put on.
func.func @right_copysign(%x: tensor<1024xf32>) -> tensor<1024xf32> {
  %e = tensor.empty() : tensor<1024xf32>
  %r = linalg.generic #each ins(%x : tensor<1024xf32>) outs(%e : tensor<1024xf32>) {
  ^bb0(%a: f32, %o: f32):
    %abs = math.absf %a : f32
    %c = arith.constant 1.0 : f32
    %div = arith.divf %c, %abs : f32
    %sgn = math.copysign %div, %a : f32
    linalg.yield %sgn : f32
  } -> tensor<1024xf32>
  return %r : tensor<1024xf32>
}

// Bounded by the largest finite values. Shows at zeros: 3.4e38.
func.func @wrong_finite(%x: tensor<1024xf32>) -> tensor<1024xf32> {
  %e = tensor.empty() : tensor<1024xf32>
  %r = linalg.generic #each ins(%x : tensor<1024xf32>) outs(%e : tensor<1024xf32>) {
  ^bb0(%a: f32, %o: f32):
    %c = arith.constant 1.0 : f32
    %div = arith.divf %c, %a : f32
    %c_2 = arith.constant -3.4028235e38 : f32
    %max = arith.maximumf %div, %c_2 : f32
    %c_3 = arith.constant 3.4028235e38 : f32
    %min = arith.minimumf %max, %c_3 : f32
    linalg.yield %min : f32
  } -> tensor<1024xf32>
  return %r : tensor<1024xf32>
}

// 1 / |x| below 1e-30. Shows from -1e-30 to 0, normal numbers.
func.func @wrong_sign_lost(%x: tensor<1024xf32>) -> tensor<1024xf32> {
  %e = tensor.empty() : tensor<1024xf32>
  %r = linalg.generic #each ins(%x : tensor<1024xf32>) outs(%e : tensor<1024xf32>) {
  ^bb0(%a: f32, %o: f32):
    %abs = math.absf %a : f32
    %c = arith.constant 1.0e-30 : f32
    %olt = arith.cmpf olt, %abs, %c : f32
    %abs_2 = math.absf %a : f32
    %c_2 = arith.constant 1.0 : f32
    %div = arith.divf %c_2, %abs_2 : f32
    %div_2 = arith.divf %c_2, %a : f32
    %sel = arith.select %olt, %div, %div_2 : f32
    linalg.yield %sel : f32
  } -> tensor<1024xf32>
  return %r : tensor<1024xf32>
}

// 0 at zeros. Shows there.
func.func @wrong_zero(%x: tensor<1024xf32>) -> tensor<1024xf32> {
  %e = tensor.empty() : tensor<1024xf32>
  %r = linalg.generic #each ins(%x : tensor<1024xf32>) outs(%e : tensor<1024xf32>) {
  ^bb0(%a: f32, %o: f32):
    %c = arith.constant 0.0 : f32
    %oeq = arith.cmpf oeq, %a, %c : f32
    %c_2 = arith.constant 1.0 : f32
    %div = arith.divf %c_2, %a : f32
    %sel = arith.select %oeq, %a, %div : f32
    linalg.yield %sel : f32
  } -> tensor<1024xf32>
  return %r : tensor<1024xf32>
}

// x / x^2. Shows at zeros (NaN), below 1e-19 and above 1.8e19.
func.func @wrong_nan(%x: tensor<1024xf32>) -> tensor<1024xf32> {
  %e = tensor.empty() : tensor<1024xf32>
  %r = linalg.generic #each ins(%x : tensor<1024xf32>) outs(%e : tensor<1024xf32>) {
  ^bb0(%a: f32, %o: f32):
    %mul = arith.mulf %a, %a : f32
    %div = arith.divf %a, %mul : f32
    linalg.yield %div : f32
  } -> tensor<1024xf32>
  return %r : tensor<1024xf32>
}

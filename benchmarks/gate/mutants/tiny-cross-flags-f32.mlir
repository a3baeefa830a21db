// x * w - y * z, f32, with leave to fuse a product and the difference (contract):
// where the products nearly cancel, their rounding may stay or not.

#each = {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
  iterator_types = ["parallel"]}

func.func @kernel(%x: tensor<640xf32>, %y: tensor<640xf32>, %z: tensor<640xf32>, %w: tensor<640xf32>) -> tensor<640xf32> {
  %e = tensor.empty() : tensor<640xf32>
  %r = linalg.generic #each ins(%x, %y, %z, %w : tensor<640xf32>, tensor<640xf32>, tensor<640xf32>, tensor<640xf32>) outs(%e : tensor<640xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32, %d: f32, %o: f32):
    %mul = arith.mulf %a, %d fastmath<contract> : f32
    %mul_2 = arith.mulf %b, %c fastmath<contract> : f32
    %sub = arith.subf %mul, %mul_2 fastmath<contract> : f32
    linalg.yield %sub : f32
  } -> tensor<640xf32>
  return %r : tensor<640xf32>
}

// The first product fused.
func.func @right_fused_first(%x: tensor<640xf32>, %y: tensor<640xf32>, %z: tensor<640xf32>, %w: tensor<640xf32>) -> tensor<640xf32> {
  %e = tensor.empty() : tensor<640xf32>
  %r = linalg.generic #each ins(%x, %y, %z, %w : tensor<640xf32>, tensor<640xf32>, tensor<640xf32>, tensor<640xf32>) outs(%e : tensor<640xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32, %d: f32, %o: f32):
    %mul = arith.mulf %b, %c : f32
    %neg = arith.negf %mul : f32
    %fma = math.fma %a, %d, %neg : f32
    linalg.yield %fma : f32
  } -> tensor<640xf32>
  return %r : tensor<640xf32>
}

// The second product fused.
func.func @right_fused_second(%x: tensor<640xf32>, %y: tensor<640xf32>, %z: tensor<640xf32>, %w: tensor<640xf32>) -> tensor<640xf32> {
  %e = tensor.empty() : tensor<640xf32>
  %r = linalg.generic #each ins(%x, %y, %z, %w : tensor<640xf32>, tensor<640xf32>, tensor<640xf32>, tensor<640xf32>) outs(%e : tensor<640xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32, %d: f32, %o: f32):
    %neg = arith.negf %b : f32
    %mul = arith.mulf %a, %d : f32
    %fma = math.fma %neg, %c, %mul : f32
    linalg.yield %fma : f32
  } -> tensor<640xf32>
  return %r : tensor<640xf32>
}

// Two products, the flags gone.
func.func @right_separate(%x: tensor<640xf32>, %y: tensor<640xf32>, %z: tensor<640xf32>, %w: tensor<640xf32>) -> tensor<640xf32> {
  %e = tensor.empty() : tensor<640xf32>
  %r = linalg.generic #each ins(%x, %y, %z, %w : tensor<640xf32>, tensor<640xf32>, tensor<640xf32>, tensor<640xf32>) outs(%e : tensor<640xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32, %d: f32, %o: f32):
    %mul = arith.mulf %a, %d : f32
    %mul_2 = arith.mulf %b, %c : f32
    %sub = arith.subf %mul, %mul_2 : f32
    linalg.yield %sub : f32
  } -> tensor<640xf32>
  return %r : tensor<640xf32>
}

// In f64.
func.func @right_wide(%x: tensor<640xf32>, %y: tensor<640xf32>, %z: tensor<640xf32>, %w: tensor<640xf32>) -> tensor<640xf32> {
  %e = tensor.empty() : tensor<640xf32>
  %r = linalg.generic #each ins(%x, %y, %z, %w : tensor<640xf32>, tensor<640xf32>, tensor<640xf32>, tensor<640xf32>) outs(%e : tensor<640xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32, %d: f32, %o: f32):
    %wide = arith.extf %a : f32 to f64
    %wide_2 = arith.extf %d : f32 to f64
    %mul = arith.mulf %wide, %wide_2 : f64
    %wide_3 = arith.extf %b : f32 to f64
    %wide_4 = arith.extf %c : f32 to f64
    %mul_2 = arith.mulf %wide_3, %wide_4 : f64
    %sub = arith.subf %mul, %mul_2 : f64
    %cut = arith.truncf %sub : f64 to f32
    linalg.yield %cut : f32
  } -> tensor<640xf32>
  return %r : tensor<640xf32>
}

// Results below 1e-8 are taken for 0. Shows for arguments below 1e-4.
func.func @wrong_flush(%x: tensor<640xf32>, %y: tensor<640xf32>, %z: tensor<640xf32>, %w: tensor<640xf32>) -> tensor<640xf32> {
  %e = tensor.empty() : tensor<640xf32>
  %r = linalg.generic #each ins(%x, %y, %z, %w : tensor<640xf32>, tensor<640xf32>, tensor<640xf32>, tensor<640xf32>) outs(%e : tensor<640xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32, %d: f32, %o: f32):
    %mul = arith.mulf %a, %d : f32
    %mul_2 = arith.mulf %b, %c : f32
    %sub = arith.subf %mul, %mul_2 : f32
    %abs = math.absf %sub : f32
    %c_2 = arith.constant 1.0e-8 : f32
    %olt = arith.cmpf olt, %abs, %c_2 : f32
    %c_3 = arith.constant 0.0 : f32
    %sel = arith.select %olt, %c_3, %sub : f32
    linalg.yield %sel : f32
  } -> tensor<640xf32>
  return %r : tensor<640xf32>
}

// Products bounded by 1e15. Shows above.
func.func @wrong_bounded(%x: tensor<640xf32>, %y: tensor<640xf32>, %z: tensor<640xf32>, %w: tensor<640xf32>) -> tensor<640xf32> {
  %e = tensor.empty() : tensor<640xf32>
  %r = linalg.generic #each ins(%x, %y, %z, %w : tensor<640xf32>, tensor<640xf32>, tensor<640xf32>, tensor<640xf32>) outs(%e : tensor<640xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32, %d: f32, %o: f32):
    %mul = arith.mulf %a, %d : f32
    %c_2 = arith.constant -1.0e15 : f32
    %max = arith.maximumf %mul, %c_2 : f32
    %c_3 = arith.constant 1.0e15 : f32
    %min = arith.minimumf %max, %c_3 : f32
    %mul_2 = arith.mulf %b, %c : f32
    %max_2 = arith.maximumf %mul_2, %c_2 : f32
    %min_2 = arith.minimumf %max_2, %c_3 : f32
    %sub = arith.subf %min, %min_2 : f32
    linalg.yield %sub : f32
  } -> tensor<640xf32>
  return %r : tensor<640xf32>
}

// (x / z * w - y) * z, z not 0. Shows for z below 1e-30 or so, or x / z above 3e38.
func.func @wrong_factored(%x: tensor<640xf32>, %y: tensor<640xf32>, %z: tensor<640xf32>, %w: tensor<640xf32>) -> tensor<640xf32> {
  %e = tensor.empty() : tensor<640xf32>
  %r = linalg.generic #each ins(%x, %y, %z, %w : tensor<640xf32>, tensor<640xf32>, tensor<640xf32>, tensor<640xf32>) outs(%e : tensor<640xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32, %d: f32, %o: f32):
    %div = arith.divf %a, %c : f32
    %mul = arith.mulf %div, %d : f32
    %sub = arith.subf %mul, %b : f32
    %mul_2 = arith.mulf %sub, %c : f32
    %c_2 = arith.constant 0.0 : f32
    %oeq = arith.cmpf oeq, %c, %c_2 : f32
    %mul_3 = arith.mulf %a, %d : f32
    %sel = arith.select %oeq, %mul_3, %mul_2 : f32
    linalg.yield %sel : f32
  } -> tensor<640xf32>
  return %r : tensor<640xf32>
}

// 1e-12 added. Shows for results below 1e-6.
func.func @wrong_eps(%x: tensor<640xf32>, %y: tensor<640xf32>, %z: tensor<640xf32>, %w: tensor<640xf32>) -> tensor<640xf32> {
  %e = tensor.empty() : tensor<640xf32>
  %r = linalg.generic #each ins(%x, %y, %z, %w : tensor<640xf32>, tensor<640xf32>, tensor<640xf32>, tensor<640xf32>) outs(%e : tensor<640xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32, %d: f32, %o: f32):
    %c_2 = arith.constant 1.0e-12 : f32
    %fma = math.fma %a, %d, %c_2 : f32
    %mul = arith.mulf %b, %c : f32
    %sub = arith.subf %fma, %mul : f32
    linalg.yield %sub : f32
  } -> tensor<640xf32>
  return %r : tensor<640xf32>
}

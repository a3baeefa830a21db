// Two layers of products with GELU in its tanh form between and after them,
// f32, as JAX lowers jax.nn.gelu(jax.nn.gelu(x @ w1) @ w2). In f32, 1 + tanh(u)
// of large negative u may be 0; an infinite weight of the second layer then
// gives NaN in place of an infinity of either sign.

#each = {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
  iterator_types = ["parallel", "parallel"]}

func.func @kernel(%x: tensor<32x64xf32>, %w1: tensor<64x64xf32>, %w2: tensor<64x64xf32>) -> tensor<32x64xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<32x64xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<32x64xf32>) -> tensor<32x64xf32>
  %m1 = linalg.matmul ins(%x, %w1 : tensor<32x64xf32>, tensor<64x64xf32>) outs(%z : tensor<32x64xf32>) -> tensor<32x64xf32>
  %h = linalg.generic #each ins(%m1 : tensor<32x64xf32>) outs(%e : tensor<32x64xf32>) {
  ^bb0(%a: f32, %o: f32):
    %sq = arith.mulf %a, %a : f32
    %cube = arith.mulf %sq, %a : f32
    %c = arith.constant 0.044715 : f32
    %m = arith.mulf %c, %cube : f32
    %s = arith.addf %a, %m : f32
    %r = arith.constant 0.797884583 : f32
    %u = arith.mulf %r, %s : f32
    %t = math.tanh %u : f32
    %one = arith.constant 1.0 : f32
    %p = arith.addf %one, %t : f32
    %half = arith.constant 0.5 : f32
    %q = arith.mulf %half, %p : f32
    %y = arith.mulf %a, %q : f32
    linalg.yield %y : f32
  } -> tensor<32x64xf32>
  %m2 = linalg.matmul ins(%h, %w2 : tensor<32x64xf32>, tensor<64x64xf32>) outs(%z : tensor<32x64xf32>) -> tensor<32x64xf32>
  %r = linalg.generic #each ins(%m2 : tensor<32x64xf32>) outs(%e : tensor<32x64xf32>) {
  ^bb0(%a: f32, %o: f32):
    %sq = arith.mulf %a, %a : f32
    %cube = arith.mulf %sq, %a : f32
    %c = arith.constant 0.044715 : f32
    %m = arith.mulf %c, %cube : f32
    %s = arith.addf %a, %m : f32
    %r = arith.constant 0.797884583 : f32
    %u = arith.mulf %r, %s : f32
    %t = math.tanh %u : f32
    %one = arith.constant 1.0 : f32
    %p = arith.addf %one, %t : f32
    %half = arith.constant 0.5 : f32
    %q = arith.mulf %half, %p : f32
    %y = arith.mulf %a, %q : f32
    linalg.yield %y : f32
  } -> tensor<32x64xf32>
  return %r : tensor<32x64xf32>
}

// The cubic factored, and x halved first.
func.func @right_factored(%x: tensor<32x64xf32>, %w1: tensor<64x64xf32>, %w2: tensor<64x64xf32>) -> tensor<32x64xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<32x64xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<32x64xf32>) -> tensor<32x64xf32>
  %m1 = linalg.matmul ins(%x, %w1 : tensor<32x64xf32>, tensor<64x64xf32>) outs(%z : tensor<32x64xf32>) -> tensor<32x64xf32>
  %h = linalg.generic #each ins(%m1 : tensor<32x64xf32>) outs(%e : tensor<32x64xf32>) {
  ^bb0(%a: f32, %o: f32):
    %sq = arith.mulf %a, %a : f32
    %c = arith.constant 0.044715 : f32
    %m = arith.mulf %c, %sq : f32
    %one = arith.constant 1.0 : f32
    %n = arith.addf %m, %one : f32
    %s = arith.mulf %n, %a : f32
    %r = arith.constant 0.797884583 : f32
    %u = arith.mulf %r, %s : f32
    %t = math.tanh %u : f32
    %p = arith.addf %one, %t : f32
    %half = arith.constant 0.5 : f32
    %q = arith.mulf %half, %a : f32
    %y = arith.mulf %q, %p : f32
    linalg.yield %y : f32
  } -> tensor<32x64xf32>
  %m2 = linalg.matmul ins(%h, %w2 : tensor<32x64xf32>, tensor<64x64xf32>) outs(%z : tensor<32x64xf32>) -> tensor<32x64xf32>
  %r = linalg.generic #each ins(%m2 : tensor<32x64xf32>) outs(%e : tensor<32x64xf32>) {
  ^bb0(%a: f32, %o: f32):
    %sq = arith.mulf %a, %a : f32
    %c = arith.constant 0.044715 : f32
    %m = arith.mulf %c, %sq : f32
    %one = arith.constant 1.0 : f32
    %n = arith.addf %m, %one : f32
    %s = arith.mulf %n, %a : f32
    %r = arith.constant 0.797884583 : f32
    %u = arith.mulf %r, %s : f32
    %t = math.tanh %u : f32
    %p = arith.addf %one, %t : f32
    %half = arith.constant 0.5 : f32
    %q = arith.mulf %half, %a : f32
    %y = arith.mulf %q, %p : f32
    linalg.yield %y : f32
  } -> tensor<32x64xf32>
  return %r : tensor<32x64xf32>
}

// tanh is -1 below -7.9, so that a negative weight gives NaN or -0.
func.func @right_saturated(%x: tensor<32x64xf32>, %w1: tensor<64x64xf32>, %w2: tensor<64x64xf32>) -> tensor<32x64xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<32x64xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<32x64xf32>) -> tensor<32x64xf32>
  %m1 = linalg.matmul ins(%x, %w1 : tensor<32x64xf32>, tensor<64x64xf32>) outs(%z : tensor<32x64xf32>) -> tensor<32x64xf32>
  %h = linalg.generic #each ins(%m1 : tensor<32x64xf32>) outs(%e : tensor<32x64xf32>) {
  ^bb0(%a: f32, %o: f32):
    %sq = arith.mulf %a, %a : f32
    %cube = arith.mulf %sq, %a : f32
    %c = arith.constant 0.044715 : f32
    %m = arith.mulf %c, %cube : f32
    %s = arith.addf %a, %m : f32
    %r = arith.constant 0.797884583 : f32
    %u = arith.mulf %r, %s : f32
    %low = arith.constant -7.9 : f32
    %high = arith.constant 7.9 : f32
    %above = arith.maximumf %u, %low : f32
    %within = arith.minimumf %above, %high : f32
    %is_low = arith.cmpf ole, %u, %low : f32
    %t1 = math.tanh %within : f32
    %least = arith.constant -1.0 : f32
    %t = arith.select %is_low, %least, %t1 : f32
    %one = arith.constant 1.0 : f32
    %p = arith.addf %one, %t : f32
    %half = arith.constant 0.5 : f32
    %q = arith.mulf %half, %p : f32
    %y = arith.mulf %a, %q : f32
    linalg.yield %y : f32
  } -> tensor<32x64xf32>
  %m2 = linalg.matmul ins(%h, %w2 : tensor<32x64xf32>, tensor<64x64xf32>) outs(%z : tensor<32x64xf32>) -> tensor<32x64xf32>
  %r = linalg.generic #each ins(%m2 : tensor<32x64xf32>) outs(%e : tensor<32x64xf32>) {
  ^bb0(%a: f32, %o: f32):
    %sq = arith.mulf %a, %a : f32
    %cube = arith.mulf %sq, %a : f32
    %c = arith.constant 0.044715 : f32
    %m = arith.mulf %c, %cube : f32
    %s = arith.addf %a, %m : f32
    %r = arith.constant 0.797884583 : f32
    %u = arith.mulf %r, %s : f32
    %t = math.tanh %u : f32
    %one = arith.constant 1.0 : f32
    %p = arith.addf %one, %t : f32
    %half = arith.constant 0.5 : f32
    %q = arith.mulf %half, %p : f32
    %y = arith.mulf %a, %q : f32
    linalg.yield %y : f32
  } -> tensor<32x64xf32>
  return %r : tensor<32x64xf32>
}

// NaN becomes infinity. Shows where infinities of both signs are added.
func.func @wrong_infinite(%x: tensor<32x64xf32>, %w1: tensor<64x64xf32>, %w2: tensor<64x64xf32>) -> tensor<32x64xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<32x64xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<32x64xf32>) -> tensor<32x64xf32>
  %m1 = linalg.matmul ins(%x, %w1 : tensor<32x64xf32>, tensor<64x64xf32>) outs(%z : tensor<32x64xf32>) -> tensor<32x64xf32>
  %h = linalg.generic #each ins(%m1 : tensor<32x64xf32>) outs(%e : tensor<32x64xf32>) {
  ^bb0(%a: f32, %o: f32):
    %sq = arith.mulf %a, %a : f32
    %cube = arith.mulf %sq, %a : f32
    %c = arith.constant 0.044715 : f32
    %m = arith.mulf %c, %cube : f32
    %s = arith.addf %a, %m : f32
    %r = arith.constant 0.797884583 : f32
    %u = arith.mulf %r, %s : f32
    %t = math.tanh %u : f32
    %one = arith.constant 1.0 : f32
    %p = arith.addf %one, %t : f32
    %half = arith.constant 0.5 : f32
    %q = arith.mulf %half, %p : f32
    %y = arith.mulf %a, %q : f32
    linalg.yield %y : f32
  } -> tensor<32x64xf32>
  %m2 = linalg.matmul ins(%h, %w2 : tensor<32x64xf32>, tensor<64x64xf32>) outs(%z : tensor<32x64xf32>) -> tensor<32x64xf32>
  %g = linalg.generic #each ins(%m2 : tensor<32x64xf32>) outs(%e : tensor<32x64xf32>) {
  ^bb0(%a: f32, %o: f32):
    %sq = arith.mulf %a, %a : f32
    %cube = arith.mulf %sq, %a : f32
    %c = arith.constant 0.044715 : f32
    %m = arith.mulf %c, %cube : f32
    %s = arith.addf %a, %m : f32
    %r = arith.constant 0.797884583 : f32
    %u = arith.mulf %r, %s : f32
    %t = math.tanh %u : f32
    %one = arith.constant 1.0 : f32
    %p = arith.addf %one, %t : f32
    %half = arith.constant 0.5 : f32
    %q = arith.mulf %half, %p : f32
    %y = arith.mulf %a, %q : f32
    linalg.yield %y : f32
  } -> tensor<32x64xf32>
  %r = linalg.generic #each ins(%g : tensor<32x64xf32>) outs(%e : tensor<32x64xf32>) {
  ^bb0(%a: f32, %o: f32):
    %inf = arith.constant 0x7F800000 : f32
    %isnan = arith.cmpf uno, %a, %a : f32
    %y = arith.select %isnan, %inf, %a : f32
    linalg.yield %y : f32
  } -> tensor<32x64xf32>
  return %r : tensor<32x64xf32>
}

// Infinity becomes NaN. Shows where a factor of it is far from 0.
func.func @wrong_nan(%x: tensor<32x64xf32>, %w1: tensor<64x64xf32>, %w2: tensor<64x64xf32>) -> tensor<32x64xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<32x64xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<32x64xf32>) -> tensor<32x64xf32>
  %m1 = linalg.matmul ins(%x, %w1 : tensor<32x64xf32>, tensor<64x64xf32>) outs(%z : tensor<32x64xf32>) -> tensor<32x64xf32>
  %h = linalg.generic #each ins(%m1 : tensor<32x64xf32>) outs(%e : tensor<32x64xf32>) {
  ^bb0(%a: f32, %o: f32):
    %sq = arith.mulf %a, %a : f32
    %cube = arith.mulf %sq, %a : f32
    %c = arith.constant 0.044715 : f32
    %m = arith.mulf %c, %cube : f32
    %s = arith.addf %a, %m : f32
    %r = arith.constant 0.797884583 : f32
    %u = arith.mulf %r, %s : f32
    %t = math.tanh %u : f32
    %one = arith.constant 1.0 : f32
    %p = arith.addf %one, %t : f32
    %half = arith.constant 0.5 : f32
    %q = arith.mulf %half, %p : f32
    %y = arith.mulf %a, %q : f32
    linalg.yield %y : f32
  } -> tensor<32x64xf32>
  %m2 = linalg.matmul ins(%h, %w2 : tensor<32x64xf32>, tensor<64x64xf32>) outs(%z : tensor<32x64xf32>) -> tensor<32x64xf32>
  %g = linalg.generic #each ins(%m2 : tensor<32x64xf32>) outs(%e : tensor<32x64xf32>) {
  ^bb0(%a: f32, %o: f32):
    %sq = arith.mulf %a, %a : f32
    %cube = arith.mulf %sq, %a : f32
    %c = arith.constant 0.044715 : f32
    %m = arith.mulf %c, %cube : f32
    %s = arith.addf %a, %m : f32
    %r = arith.constant 0.797884583 : f32
    %u = arith.mulf %r, %s : f32
    %t = math.tanh %u : f32
    %one = arith.constant 1.0 : f32
    %p = arith.addf %one, %t : f32
    %half = arith.constant 0.5 : f32
    %q = arith.mulf %half, %p : f32
    %y = arith.mulf %a, %q : f32
    linalg.yield %y : f32
  } -> tensor<32x64xf32>
  %r = linalg.generic #each ins(%g : tensor<32x64xf32>) outs(%e : tensor<32x64xf32>) {
  ^bb0(%a: f32, %o: f32):
    %zero_1 = arith.subf %a, %a : f32
    %y = arith.addf %a, %zero_1 : f32
    linalg.yield %y : f32
  } -> tensor<32x64xf32>
  return %r : tensor<32x64xf32>
}

// Keeps infinities from the second layer.
func.func @wrong_finite(%x: tensor<32x64xf32>, %w1: tensor<64x64xf32>, %w2: tensor<64x64xf32>) -> tensor<32x64xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<32x64xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<32x64xf32>) -> tensor<32x64xf32>
  %m1 = linalg.matmul ins(%x, %w1 : tensor<32x64xf32>, tensor<64x64xf32>) outs(%z : tensor<32x64xf32>) -> tensor<32x64xf32>
  %h = linalg.generic #each ins(%m1 : tensor<32x64xf32>) outs(%e : tensor<32x64xf32>) {
  ^bb0(%a: f32, %o: f32):
    %sq = arith.mulf %a, %a : f32
    %cube = arith.mulf %sq, %a : f32
    %c = arith.constant 0.044715 : f32
    %m = arith.mulf %c, %cube : f32
    %s = arith.addf %a, %m : f32
    %r = arith.constant 0.797884583 : f32
    %u = arith.mulf %r, %s : f32
    %t = math.tanh %u : f32
    %one = arith.constant 1.0 : f32
    %p = arith.addf %one, %t : f32
    %half = arith.constant 0.5 : f32
    %q = arith.mulf %half, %p : f32
    %y = arith.mulf %a, %q : f32
    linalg.yield %y : f32
  } -> tensor<32x64xf32>
  %n = linalg.generic #each ins(%h : tensor<32x64xf32>) outs(%e : tensor<32x64xf32>) {
  ^bb0(%a: f32, %o: f32):
    %large = arith.constant 3.0e38 : f32
    %y = arith.minimumf %a, %large : f32
    linalg.yield %y : f32
  } -> tensor<32x64xf32>
  %m2 = linalg.matmul ins(%n, %w2 : tensor<32x64xf32>, tensor<64x64xf32>) outs(%z : tensor<32x64xf32>) -> tensor<32x64xf32>
  %r = linalg.generic #each ins(%m2 : tensor<32x64xf32>) outs(%e : tensor<32x64xf32>) {
  ^bb0(%a: f32, %o: f32):
    %sq = arith.mulf %a, %a : f32
    %cube = arith.mulf %sq, %a : f32
    %c = arith.constant 0.044715 : f32
    %m = arith.mulf %c, %cube : f32
    %s = arith.addf %a, %m : f32
    %r = arith.constant 0.797884583 : f32
    %u = arith.mulf %r, %s : f32
    %t = math.tanh %u : f32
    %one = arith.constant 1.0 : f32
    %p = arith.addf %one, %t : f32
    %half = arith.constant 0.5 : f32
    %q = arith.mulf %half, %p : f32
    %y = arith.mulf %a, %q : f32
    linalg.yield %y : f32
  } -> tensor<32x64xf32>
  return %r : tensor<32x64xf32>
}

// The magnitude of what is infinite before the last GELU.
func.func @wrong_magnitude(%x: tensor<32x64xf32>, %w1: tensor<64x64xf32>, %w2: tensor<64x64xf32>) -> tensor<32x64xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<32x64xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<32x64xf32>) -> tensor<32x64xf32>
  %m1 = linalg.matmul ins(%x, %w1 : tensor<32x64xf32>, tensor<64x64xf32>) outs(%z : tensor<32x64xf32>) -> tensor<32x64xf32>
  %h = linalg.generic #each ins(%m1 : tensor<32x64xf32>) outs(%e : tensor<32x64xf32>) {
  ^bb0(%a: f32, %o: f32):
    %sq = arith.mulf %a, %a : f32
    %cube = arith.mulf %sq, %a : f32
    %c = arith.constant 0.044715 : f32
    %m = arith.mulf %c, %cube : f32
    %s = arith.addf %a, %m : f32
    %r = arith.constant 0.797884583 : f32
    %u = arith.mulf %r, %s : f32
    %t = math.tanh %u : f32
    %one = arith.constant 1.0 : f32
    %p = arith.addf %one, %t : f32
    %half = arith.constant 0.5 : f32
    %q = arith.mulf %half, %p : f32
    %y = arith.mulf %a, %q : f32
    linalg.yield %y : f32
  } -> tensor<32x64xf32>
  %m2 = linalg.matmul ins(%h, %w2 : tensor<32x64xf32>, tensor<64x64xf32>) outs(%z : tensor<32x64xf32>) -> tensor<32x64xf32>
  %n = linalg.generic #each ins(%m2 : tensor<32x64xf32>) outs(%e : tensor<32x64xf32>) {
  ^bb0(%a: f32, %o: f32):
    %inf = arith.constant 0x7F800000 : f32
    %abs = math.absf %a : f32
    %is_inf = arith.cmpf oeq, %abs, %inf : f32
    %y = arith.select %is_inf, %inf, %a : f32
    linalg.yield %y : f32
  } -> tensor<32x64xf32>
  %r = linalg.generic #each ins(%n : tensor<32x64xf32>) outs(%e : tensor<32x64xf32>) {
  ^bb0(%a: f32, %o: f32):
    %sq = arith.mulf %a, %a : f32
    %cube = arith.mulf %sq, %a : f32
    %c = arith.constant 0.044715 : f32
    %m = arith.mulf %c, %cube : f32
    %s = arith.addf %a, %m : f32
    %r = arith.constant 0.797884583 : f32
    %u = arith.mulf %r, %s : f32
    %t = math.tanh %u : f32
    %one = arith.constant 1.0 : f32
    %p = arith.addf %one, %t : f32
    %half = arith.constant 0.5 : f32
    %q = arith.mulf %half, %p : f32
    %y = arith.mulf %a, %q : f32
    linalg.yield %y : f32
  } -> tensor<32x64xf32>
  return %r : tensor<32x64xf32>
}

// The smaller constant 0.0444 of the cube.
func.func @wrong_constant(%x: tensor<32x64xf32>, %w1: tensor<64x64xf32>, %w2: tensor<64x64xf32>) -> tensor<32x64xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<32x64xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<32x64xf32>) -> tensor<32x64xf32>
  %m1 = linalg.matmul ins(%x, %w1 : tensor<32x64xf32>, tensor<64x64xf32>) outs(%z : tensor<32x64xf32>) -> tensor<32x64xf32>
  %h = linalg.generic #each ins(%m1 : tensor<32x64xf32>) outs(%e : tensor<32x64xf32>) {
  ^bb0(%a: f32, %o: f32):
    %sq = arith.mulf %a, %a : f32
    %cube = arith.mulf %sq, %a : f32
    %c = arith.constant 0.0444 : f32
    %m = arith.mulf %c, %cube : f32
    %s = arith.addf %a, %m : f32
    %r = arith.constant 0.797884583 : f32
    %u = arith.mulf %r, %s : f32
    %t = math.tanh %u : f32
    %one = arith.constant 1.0 : f32
    %p = arith.addf %one, %t : f32
    %half = arith.constant 0.5 : f32
    %q = arith.mulf %half, %p : f32
    %y = arith.mulf %a, %q : f32
    linalg.yield %y : f32
  } -> tensor<32x64xf32>
  %m2 = linalg.matmul ins(%h, %w2 : tensor<32x64xf32>, tensor<64x64xf32>) outs(%z : tensor<32x64xf32>) -> tensor<32x64xf32>
  %r = linalg.generic #each ins(%m2 : tensor<32x64xf32>) outs(%e : tensor<32x64xf32>) {
  ^bb0(%a: f32, %o: f32):
    %sq = arith.mulf %a, %a : f32
    %cube = arith.mulf %sq, %a : f32
    %c = arith.constant 0.0444 : f32
    %m = arith.mulf %c, %cube : f32
    %s = arith.addf %a, %m : f32
    %r = arith.constant 0.797884583 : f32
    %u = arith.mulf %r, %s : f32
    %t = math.tanh %u : f32
    %one = arith.constant 1.0 : f32
    %p = arith.addf %one, %t : f32
    %half = arith.constant 0.5 : f32
    %q = arith.mulf %half, %p : f32
    %y = arith.mulf %a, %q : f32
    linalg.yield %y : f32
  } -> tensor<32x64xf32>
  return %r : tensor<32x64xf32>
}

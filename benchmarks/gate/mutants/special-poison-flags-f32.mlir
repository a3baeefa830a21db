// y + x * 0, f32, with the promise of no NaN and no infinity: y will do for all x.

#each = {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
  iterator_types = ["parallel"]}

func.func @kernel(%x: tensor<1000xf32>, %y: tensor<1000xf32>) -> tensor<1000xf32> {
  %e = tensor.empty() : tensor<1000xf32>
  %r = linalg.generic #each ins(%x, %y : tensor<1000xf32>, tensor<1000xf32>) outs(%e : tensor<1000xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %c = arith.constant 0.0 : f32
    %mul = arith.mulf %a, %c fastmath<nnan,ninf,nsz> : f32
    %add = arith.addf %b, %mul fastmath<nnan,ninf,nsz> : f32
    linalg.yield %add : f32
  } -> tensor<1000xf32>
  return %r : tensor<1000xf32>
}

// x * 0 folded to 0.
func.func @right_folded(%x: tensor<1000xf32>, %y: tensor<1000xf32>) -> tensor<1000xf32> {
  %e = tensor.empty() : tensor<1000xf32>
  %r = linalg.generic #each ins(%x, %y : tensor<1000xf32>, tensor<1000xf32>) outs(%e : tensor<1000xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %c = arith.constant 0.0 : f32
    %add = arith.addf %b, %c : f32
    linalg.yield %add : f32
  } -> tensor<1000xf32>
  return %r : tensor<1000xf32>
}

// y + (x - x).
func.func @right_difference(%x: tensor<1000xf32>, %y: tensor<1000xf32>) -> tensor<1000xf32> {
  %e = tensor.empty() : tensor<1000xf32>
  %r = linalg.generic #each ins(%x, %y : tensor<1000xf32>, tensor<1000xf32>) outs(%e : tensor<1000xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %sub = arith.subf %a, %a : f32
    %add = arith.addf %b, %sub : f32
    linalg.yield %add : f32
  } -> tensor<1000xf32>
  return %r : tensor<1000xf32>
}

// NaN where x is NaN.
func.func @right_select(%x: tensor<1000xf32>, %y: tensor<1000xf32>) -> tensor<1000xf32> {
  %e = tensor.empty() : tensor<1000xf32>
  %r = linalg.generic #each ins(%x, %y : tensor<1000xf32>, tensor<1000xf32>) outs(%e : tensor<1000xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %uno = arith.cmpf uno, %a, %a : f32
    %sel = arith.select %uno, %a, %b : f32
    linalg.yield %sel : f32
  } -> tensor<1000xf32>
  return %r : tensor<1000xf32>
}

// x * 1e-38 in place of x * 0. Shows where x is 1e31 times y or more.
func.func @wrong_tiny(%x: tensor<1000xf32>, %y: tensor<1000xf32>) -> tensor<1000xf32> {
  %e = tensor.empty() : tensor<1000xf32>
  %r = linalg.generic #each ins(%x, %y : tensor<1000xf32>, tensor<1000xf32>) outs(%e : tensor<1000xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %c = arith.constant 1.1754944e-38 : f32
    %mul = arith.mulf %a, %c : f32
    %add = arith.addf %b, %mul : f32
    linalg.yield %add : f32
  } -> tensor<1000xf32>
  return %r : tensor<1000xf32>
}

// y + (2x - 2x). Shows where |x| is above 1.7e38, finite: NaN.
func.func @wrong_doubled(%x: tensor<1000xf32>, %y: tensor<1000xf32>) -> tensor<1000xf32> {
  %e = tensor.empty() : tensor<1000xf32>
  %r = linalg.generic #each ins(%x, %y : tensor<1000xf32>, tensor<1000xf32>) outs(%e : tensor<1000xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %add = arith.addf %a, %a : f32
    %sub = arith.subf %add, %add : f32
    %add_2 = arith.addf %b, %sub : f32
    linalg.yield %add_2 : f32
  } -> tensor<1000xf32>
  return %r : tensor<1000xf32>
}

// (y + x) - x. Shows where x is larger than y: digits of y are lost, all above 1e7.
func.func @wrong_difference_lost(%x: tensor<1000xf32>, %y: tensor<1000xf32>) -> tensor<1000xf32> {
  %e = tensor.empty() : tensor<1000xf32>
  %r = linalg.generic #each ins(%x, %y : tensor<1000xf32>, tensor<1000xf32>) outs(%e : tensor<1000xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %abs = math.absf %a : f32
    %c = arith.constant 16.0 : f32
    %olt = arith.cmpf olt, %abs, %c : f32
    %add = arith.addf %b, %a : f32
    %sub = arith.subf %add, %a : f32
    %sel = arith.select %olt, %b, %sub : f32
    linalg.yield %sel : f32
  } -> tensor<1000xf32>
  return %r : tensor<1000xf32>
}

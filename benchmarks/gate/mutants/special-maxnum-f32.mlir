// The larger of x and y, f32; where one is NaN the other, NaN only where both are.

#each = {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
  iterator_types = ["parallel"]}

func.func @kernel(%x: tensor<900xf32>, %y: tensor<900xf32>) -> tensor<900xf32> {
  %e = tensor.empty() : tensor<900xf32>
  %r = linalg.generic #each ins(%x, %y : tensor<900xf32>, tensor<900xf32>) outs(%e : tensor<900xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %maxnum = arith.maxnumf %a, %b : f32
    linalg.yield %maxnum : f32
  } -> tensor<900xf32>
  return %r : tensor<900xf32>
}

// A comparison that lets y through where x is NaN, then a check of y.
func.func @right_selects(%x: tensor<900xf32>, %y: tensor<900xf32>) -> tensor<900xf32> {
  %e = tensor.empty() : tensor<900xf32>
  %r = linalg.generic #each ins(%x, %y : tensor<900xf32>, tensor<900xf32>) outs(%e : tensor<900xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %ogt = arith.cmpf ogt, %a, %b : f32
    %sel = arith.select %ogt, %a, %b : f32
    %uno = arith.cmpf uno, %b, %b : f32
    %sel_2 = arith.select %uno, %a, %sel : f32
    linalg.yield %sel_2 : f32
  } -> tensor<900xf32>
  return %r : tensor<900xf32>
}

// The operands swapped.
func.func @right_swapped(%x: tensor<900xf32>, %y: tensor<900xf32>) -> tensor<900xf32> {
  %e = tensor.empty() : tensor<900xf32>
  %r = linalg.generic #each ins(%x, %y : tensor<900xf32>, tensor<900xf32>) outs(%e : tensor<900xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %maxnum = arith.maxnumf %b, %a : f32
    linalg.yield %maxnum : f32
  } -> tensor<900xf32>
  return %r : tensor<900xf32>
}

// The maximum, with each NaN replaced by the other operand before.
func.func @right_filled(%x: tensor<900xf32>, %y: tensor<900xf32>) -> tensor<900xf32> {
  %e = tensor.empty() : tensor<900xf32>
  %r = linalg.generic #each ins(%x, %y : tensor<900xf32>, tensor<900xf32>) outs(%e : tensor<900xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %isnan = math.isnan %a : f32
    %sel = arith.select %isnan, %b, %a : f32
    %isnan_2 = math.isnan %b : f32
    %sel_2 = arith.select %isnan_2, %a, %b : f32
    %max = arith.maximumf %sel, %sel_2 : f32
    linalg.yield %max : f32
  } -> tensor<900xf32>
  return %r : tensor<900xf32>
}

// The maximum. Shows where one is NaN: NaN.
func.func @wrong_maximum(%x: tensor<900xf32>, %y: tensor<900xf32>) -> tensor<900xf32> {
  %e = tensor.empty() : tensor<900xf32>
  %r = linalg.generic #each ins(%x, %y : tensor<900xf32>, tensor<900xf32>) outs(%e : tensor<900xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %max = arith.maximumf %a, %b : f32
    linalg.yield %max : f32
  } -> tensor<900xf32>
  return %r : tensor<900xf32>
}

// x where it is above y, else y. Shows where y is NaN and x is not.
func.func @wrong_select(%x: tensor<900xf32>, %y: tensor<900xf32>) -> tensor<900xf32> {
  %e = tensor.empty() : tensor<900xf32>
  %r = linalg.generic #each ins(%x, %y : tensor<900xf32>, tensor<900xf32>) outs(%e : tensor<900xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %ogt = arith.cmpf ogt, %a, %b : f32
    %sel = arith.select %ogt, %a, %b : f32
    linalg.yield %sel : f32
  } -> tensor<900xf32>
  return %r : tensor<900xf32>
}

// x where it is not below y, else y. Shows where x is NaN and y is not.
func.func @wrong_select_unordered(%x: tensor<900xf32>, %y: tensor<900xf32>) -> tensor<900xf32> {
  %e = tensor.empty() : tensor<900xf32>
  %r = linalg.generic #each ins(%x, %y : tensor<900xf32>, tensor<900xf32>) outs(%e : tensor<900xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %uge = arith.cmpf uge, %a, %b : f32
    %sel = arith.select %uge, %a, %b : f32
    linalg.yield %sel : f32
  } -> tensor<900xf32>
  return %r : tensor<900xf32>
}

// NaN replaced by -3.4e38. Shows where both are NaN, or one is and the other -infinity.
func.func @wrong_floor(%x: tensor<900xf32>, %y: tensor<900xf32>) -> tensor<900xf32> {
  %e = tensor.empty() : tensor<900xf32>
  %r = linalg.generic #each ins(%x, %y : tensor<900xf32>, tensor<900xf32>) outs(%e : tensor<900xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %c = arith.constant -3.4028235e38 : f32
    %uno = arith.cmpf uno, %a, %a : f32
    %sel = arith.select %uno, %c, %a : f32
    %uno_2 = arith.cmpf uno, %b, %b : f32
    %sel_2 = arith.select %uno_2, %c, %b : f32
    %max = arith.maximumf %sel, %sel_2 : f32
    linalg.yield %max : f32
  } -> tensor<900xf32>
  return %r : tensor<900xf32>
}

// (x + y + |x - y|) / 2, NaN replaced before. Shows for infinities, values above 8e37 and 2e7 apart.
func.func @wrong_difference(%x: tensor<900xf32>, %y: tensor<900xf32>) -> tensor<900xf32> {
  %e = tensor.empty() : tensor<900xf32>
  %r = linalg.generic #each ins(%x, %y : tensor<900xf32>, tensor<900xf32>) outs(%e : tensor<900xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %isnan = math.isnan %a : f32
    %sel = arith.select %isnan, %b, %a : f32
    %isnan_2 = math.isnan %b : f32
    %sel_2 = arith.select %isnan_2, %a, %b : f32
    %add = arith.addf %sel, %sel_2 : f32
    %sub = arith.subf %sel, %sel_2 : f32
    %abs = math.absf %sub : f32
    %add_2 = arith.addf %add, %abs : f32
    %c = arith.constant 0.5 : f32
    %mul = arith.mulf %add_2, %c : f32
    linalg.yield %mul : f32
  } -> tensor<900xf32>
  return %r : tensor<900xf32>
}

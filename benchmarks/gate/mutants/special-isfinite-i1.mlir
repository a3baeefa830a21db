// Whether each f32 is finite, i1.

#each = {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
  iterator_types = ["parallel", "parallel"]}

func.func @kernel(%x: tensor<32x40xf32>) -> tensor<32x40xi1> {
  %e = tensor.empty() : tensor<32x40xi1>
  %r = linalg.generic #each ins(%x : tensor<32x40xf32>) outs(%e : tensor<32x40xi1>) {
  ^bb0(%a: f32, %o: i1):
    %abs = math.absf %a : f32
    %c = arith.constant 0x7F800000 : f32
    %olt = arith.cmpf olt, %abs, %c : f32
    linalg.yield %olt : i1
  } -> tensor<32x40xi1>
  return %r : tensor<32x40xi1>
}

// Whether x - x is 0.
func.func @right_difference(%x: tensor<32x40xf32>) -> tensor<32x40xi1> {
  %e = tensor.empty() : tensor<32x40xi1>
  %r = linalg.generic #each ins(%x : tensor<32x40xf32>) outs(%e : tensor<32x40xi1>) {
  ^bb0(%a: f32, %o: i1):
    %sub = arith.subf %a, %a : f32
    %c = arith.constant 0.0 : f32
    %oeq = arith.cmpf oeq, %sub, %c : f32
    linalg.yield %oeq : i1
  } -> tensor<32x40xi1>
  return %r : tensor<32x40xi1>
}

// Whether the exponent bits are not all set.
func.func @right_exponent(%x: tensor<32x40xf32>) -> tensor<32x40xi1> {
  %e = tensor.empty() : tensor<32x40xi1>
  %r = linalg.generic #each ins(%x : tensor<32x40xf32>) outs(%e : tensor<32x40xi1>) {
  ^bb0(%a: f32, %o: i1):
    %bits = arith.bitcast %a : f32 to i32
    %c = arith.constant 2139095040 : i32
    %and = arith.andi %bits, %c : i32
    %ne = arith.cmpi ne, %and, %c : i32
    linalg.yield %ne : i1
  } -> tensor<32x40xi1>
  return %r : tensor<32x40xi1>
}

// Whether x * 0 is a number.
func.func @right_product(%x: tensor<32x40xf32>) -> tensor<32x40xi1> {
  %e = tensor.empty() : tensor<32x40xi1>
  %r = linalg.generic #each ins(%x : tensor<32x40xf32>) outs(%e : tensor<32x40xi1>) {
  ^bb0(%a: f32, %o: i1):
    %c = arith.constant 0.0 : f32
    %mul = arith.mulf %a, %c : f32
    %ord = arith.cmpf ord, %mul, %mul : f32
    linalg.yield %ord : i1
  } -> tensor<32x40xi1>
  return %r : tensor<32x40xi1>
}

// x - x folded to 0: always. Shows for NaN and infinities.
func.func @wrong_folded(%x: tensor<32x40xf32>) -> tensor<32x40xi1> {
  %e = tensor.empty() : tensor<32x40xi1>
  %r = linalg.generic #each ins(%x : tensor<32x40xf32>) outs(%e : tensor<32x40xi1>) {
  ^bb0(%a: f32, %o: i1):
    %c = arith.constant 0.0 : f32
    %oeq = arith.cmpf oeq, %c, %c : f32
    linalg.yield %oeq : i1
  } -> tensor<32x40xi1>
  return %r : tensor<32x40xi1>
}

// Whether x is a number. Shows for infinities.
func.func @wrong_isnan(%x: tensor<32x40xf32>) -> tensor<32x40xi1> {
  %e = tensor.empty() : tensor<32x40xi1>
  %r = linalg.generic #each ins(%x : tensor<32x40xf32>) outs(%e : tensor<32x40xi1>) {
  ^bb0(%a: f32, %o: i1):
    %ord = arith.cmpf ord, %a, %a : f32
    linalg.yield %ord : i1
  } -> tensor<32x40xi1>
  return %r : tensor<32x40xi1>
}

// The comparison unordered. Shows for NaN.
func.func @wrong_unordered(%x: tensor<32x40xf32>) -> tensor<32x40xi1> {
  %e = tensor.empty() : tensor<32x40xi1>
  %r = linalg.generic #each ins(%x : tensor<32x40xf32>) outs(%e : tensor<32x40xi1>) {
  ^bb0(%a: f32, %o: i1):
    %abs = math.absf %a : f32
    %c = arith.constant 0x7F800000 : f32
    %ult = arith.cmpf ult, %abs, %c : f32
    linalg.yield %ult : i1
  } -> tensor<32x40xi1>
  return %r : tensor<32x40xi1>
}

// Without the magnitude. Shows for -infinity.
func.func @wrong_one_sided(%x: tensor<32x40xf32>) -> tensor<32x40xi1> {
  %e = tensor.empty() : tensor<32x40xi1>
  %r = linalg.generic #each ins(%x : tensor<32x40xf32>) outs(%e : tensor<32x40xi1>) {
  ^bb0(%a: f32, %o: i1):
    %c = arith.constant 0x7F800000 : f32
    %olt = arith.cmpf olt, %a, %c : f32
    linalg.yield %olt : i1
  } -> tensor<32x40xi1>
  return %r : tensor<32x40xi1>
}

// Whether 2 x is finite. Shows above 1.7e38.
func.func @wrong_doubled(%x: tensor<32x40xf32>) -> tensor<32x40xi1> {
  %e = tensor.empty() : tensor<32x40xi1>
  %r = linalg.generic #each ins(%x : tensor<32x40xf32>) outs(%e : tensor<32x40xi1>) {
  ^bb0(%a: f32, %o: i1):
    %add = arith.addf %a, %a : f32
    %abs = math.absf %add : f32
    %c = arith.constant 0x7F800000 : f32
    %olt = arith.cmpf olt, %abs, %c : f32
    linalg.yield %olt : i1
  } -> tensor<32x40xi1>
  return %r : tensor<32x40xi1>
}

// Whether x + 1 differs from x. Shows above 1.6e7.
func.func @wrong_successor(%x: tensor<32x40xf32>) -> tensor<32x40xi1> {
  %e = tensor.empty() : tensor<32x40xi1>
  %r = linalg.generic #each ins(%x : tensor<32x40xf32>) outs(%e : tensor<32x40xi1>) {
  ^bb0(%a: f32, %o: i1):
    %abs = math.absf %a : f32
    %c = arith.constant 1.0 : f32
    %add = arith.addf %abs, %c : f32
    %one = arith.cmpf one, %add, %abs : f32
    linalg.yield %one : i1
  } -> tensor<32x40xi1>
  return %r : tensor<32x40xi1>
}

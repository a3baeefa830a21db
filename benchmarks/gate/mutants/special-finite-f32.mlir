// NaN gives 0, values beyond 1e30 and infinities give 1e30 with the sign, all else stays, f32.

#each = {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
  iterator_types = ["parallel"]}

func.func @kernel(%x: tensor<1024xf32>) -> tensor<1024xf32> {
  %e = tensor.empty() : tensor<1024xf32>
  %r = linalg.generic #each ins(%x : tensor<1024xf32>) outs(%e : tensor<1024xf32>) {
  ^bb0(%a: f32, %o: f32):
    %uno = arith.cmpf uno, %a, %a : f32
    %c = arith.constant 0.0 : f32
    %c_2 = arith.constant -1.0e30 : f32
    %max = arith.maximumf %a, %c_2 : f32
    %c_3 = arith.constant 1.0e30 : f32
    %min = arith.minimumf %max, %c_3 : f32
    %sel = arith.select %uno, %c, %min : f32
    linalg.yield %sel : f32
  } -> tensor<1024xf32>
  return %r : tensor<1024xf32>
}

// By math.isnan.
func.func @right_isnan(%x: tensor<1024xf32>) -> tensor<1024xf32> {
  %e = tensor.empty() : tensor<1024xf32>
  %r = linalg.generic #each ins(%x : tensor<1024xf32>) outs(%e : tensor<1024xf32>) {
  ^bb0(%a: f32, %o: f32):
    %isnan = math.isnan %a : f32
    %c = arith.constant 0.0 : f32
    %c_2 = arith.constant -1.0e30 : f32
    %max = arith.maximumf %a, %c_2 : f32
    %c_3 = arith.constant 1.0e30 : f32
    %min = arith.minimumf %max, %c_3 : f32
    %sel = arith.select %isnan, %c, %min : f32
    linalg.yield %sel : f32
  } -> tensor<1024xf32>
  return %r : tensor<1024xf32>
}

// By three comparisons.
func.func @right_selects(%x: tensor<1024xf32>) -> tensor<1024xf32> {
  %e = tensor.empty() : tensor<1024xf32>
  %r = linalg.generic #each ins(%x : tensor<1024xf32>) outs(%e : tensor<1024xf32>) {
  ^bb0(%a: f32, %o: f32):
    %c = arith.constant 1.0e30 : f32
    %ogt = arith.cmpf ogt, %a, %c : f32
    %sel = arith.select %ogt, %c, %a : f32
    %c_2 = arith.constant -1.0e30 : f32
    %olt = arith.cmpf olt, %a, %c_2 : f32
    %sel_2 = arith.select %olt, %c_2, %sel : f32
    %ord = arith.cmpf ord, %a, %a : f32
    %c_3 = arith.constant 0.0 : f32
    %sel_3 = arith.select %ord, %sel_2, %c_3 : f32
    linalg.yield %sel_3 : f32
  } -> tensor<1024xf32>
  return %r : tensor<1024xf32>
}

// NaN found in the bits.
func.func @right_bits(%x: tensor<1024xf32>) -> tensor<1024xf32> {
  %e = tensor.empty() : tensor<1024xf32>
  %r = linalg.generic #each ins(%x : tensor<1024xf32>) outs(%e : tensor<1024xf32>) {
  ^bb0(%a: f32, %o: f32):
    %bits = arith.bitcast %a : f32 to i32
    %c = arith.constant 2147483647 : i32
    %and = arith.andi %bits, %c : i32
    %c_2 = arith.constant 2139095040 : i32
    %ugt = arith.cmpi ugt, %and, %c_2 : i32
    %c_3 = arith.constant 0.0 : f32
    %c_4 = arith.constant -1.0e30 : f32
    %max = arith.maximumf %a, %c_4 : f32
    %c_5 = arith.constant 1.0e30 : f32
    %min = arith.minimumf %max, %c_5 : f32
    %sel = arith.select %ugt, %c_3, %min : f32
    linalg.yield %sel : f32
  } -> tensor<1024xf32>
  return %r : tensor<1024xf32>
}

// The check for NaN is gone. Shows for NaN.
func.func @wrong_test_folded(%x: tensor<1024xf32>) -> tensor<1024xf32> {
  %e = tensor.empty() : tensor<1024xf32>
  %r = linalg.generic #each ins(%x : tensor<1024xf32>) outs(%e : tensor<1024xf32>) {
  ^bb0(%a: f32, %o: f32):
    %c = arith.constant -1.0e30 : f32
    %max = arith.maximumf %a, %c : f32
    %c_2 = arith.constant 1.0e30 : f32
    %min = arith.minimumf %max, %c_2 : f32
    linalg.yield %min : f32
  } -> tensor<1024xf32>
  return %r : tensor<1024xf32>
}

// Bounds by maximum and minimum numbers, then the check. Shows for NaN: -1e30.
func.func @wrong_bounds_first(%x: tensor<1024xf32>) -> tensor<1024xf32> {
  %e = tensor.empty() : tensor<1024xf32>
  %r = linalg.generic #each ins(%x : tensor<1024xf32>) outs(%e : tensor<1024xf32>) {
  ^bb0(%a: f32, %o: f32):
    %c = arith.constant -1.0e30 : f32
    %maxnum = arith.maxnumf %a, %c : f32
    %c_2 = arith.constant 1.0e30 : f32
    %minnum = arith.minnumf %maxnum, %c_2 : f32
    %uno = arith.cmpf uno, %minnum, %minnum : f32
    %c_3 = arith.constant 0.0 : f32
    %sel = arith.select %uno, %c_3, %minnum : f32
    linalg.yield %sel : f32
  } -> tensor<1024xf32>
  return %r : tensor<1024xf32>
}

// x - x compared with itself. Shows for infinities: 0.
func.func @wrong_infinities_zero(%x: tensor<1024xf32>) -> tensor<1024xf32> {
  %e = tensor.empty() : tensor<1024xf32>
  %r = linalg.generic #each ins(%x : tensor<1024xf32>) outs(%e : tensor<1024xf32>) {
  ^bb0(%a: f32, %o: f32):
    %sub = arith.subf %a, %a : f32
    %uno = arith.cmpf uno, %sub, %sub : f32
    %c = arith.constant 0.0 : f32
    %c_2 = arith.constant -1.0e30 : f32
    %max = arith.maximumf %a, %c_2 : f32
    %c_3 = arith.constant 1.0e30 : f32
    %min = arith.minimumf %max, %c_3 : f32
    %sel = arith.select %uno, %c, %min : f32
    linalg.yield %sel : f32
  } -> tensor<1024xf32>
  return %r : tensor<1024xf32>
}

// No lower bound. Shows for -infinity and below -1e30.
func.func @wrong_positive_only(%x: tensor<1024xf32>) -> tensor<1024xf32> {
  %e = tensor.empty() : tensor<1024xf32>
  %r = linalg.generic #each ins(%x : tensor<1024xf32>) outs(%e : tensor<1024xf32>) {
  ^bb0(%a: f32, %o: f32):
    %uno = arith.cmpf uno, %a, %a : f32
    %c = arith.constant 0.0 : f32
    %c_2 = arith.constant 1.0e30 : f32
    %min = arith.minimumf %a, %c_2 : f32
    %sel = arith.select %uno, %c, %min : f32
    linalg.yield %sel : f32
  } -> tensor<1024xf32>
  return %r : tensor<1024xf32>
}

// Bounds infinities alone. Shows for finite values beyond 1e30.
func.func @wrong_infinite_only(%x: tensor<1024xf32>) -> tensor<1024xf32> {
  %e = tensor.empty() : tensor<1024xf32>
  %r = linalg.generic #each ins(%x : tensor<1024xf32>) outs(%e : tensor<1024xf32>) {
  ^bb0(%a: f32, %o: f32):
    %abs = math.absf %a : f32
    %c = arith.constant 0x7F800000 : f32
    %oeq = arith.cmpf oeq, %abs, %c : f32
    %c_2 = arith.constant 1.0e30 : f32
    %sgn = math.copysign %c_2, %a : f32
    %sel = arith.select %oeq, %sgn, %a : f32
    %uno = arith.cmpf uno, %a, %a : f32
    %c_3 = arith.constant 0.0 : f32
    %sel_2 = arith.select %uno, %c_3, %sel : f32
    linalg.yield %sel_2 : f32
  } -> tensor<1024xf32>
  return %r : tensor<1024xf32>
}

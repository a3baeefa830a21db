// min(max(x, y), z), f16: z where the bounds cross, NaN where any of the three is.

#each = {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
  iterator_types = ["parallel", "parallel"]}

func.func @kernel(%x: tensor<20x40xf16>, %y: tensor<20x40xf16>, %z: tensor<20x40xf16>) -> tensor<20x40xf16> {
  %e = tensor.empty() : tensor<20x40xf16>
  %r = linalg.generic #each ins(%x, %y, %z : tensor<20x40xf16>, tensor<20x40xf16>, tensor<20x40xf16>) outs(%e : tensor<20x40xf16>) {
  ^bb0(%a: f16, %b: f16, %c: f16, %o: f16):
    %max = arith.maximumf %a, %b : f16
    %min = arith.minimumf %max, %c : f16
    linalg.yield %min : f16
  } -> tensor<20x40xf16>
  return %r : tensor<20x40xf16>
}

// In f32.
func.func @right_f32(%x: tensor<20x40xf16>, %y: tensor<20x40xf16>, %z: tensor<20x40xf16>) -> tensor<20x40xf16> {
  %e = tensor.empty() : tensor<20x40xf16>
  %r = linalg.generic #each ins(%x, %y, %z : tensor<20x40xf16>, tensor<20x40xf16>, tensor<20x40xf16>) outs(%e : tensor<20x40xf16>) {
  ^bb0(%a: f16, %b: f16, %c: f16, %o: f16):
    %wide = arith.extf %a : f16 to f32
    %wide_2 = arith.extf %b : f16 to f32
    %max = arith.maximumf %wide, %wide_2 : f32
    %wide_3 = arith.extf %c : f16 to f32
    %min = arith.minimumf %max, %wide_3 : f32
    %cut = arith.truncf %min : f32 to f16
    linalg.yield %cut : f16
  } -> tensor<20x40xf16>
  return %r : tensor<20x40xf16>
}

// Two selections, then NaN put back.
func.func @right_selects(%x: tensor<20x40xf16>, %y: tensor<20x40xf16>, %z: tensor<20x40xf16>) -> tensor<20x40xf16> {
  %e = tensor.empty() : tensor<20x40xf16>
  %r = linalg.generic #each ins(%x, %y, %z : tensor<20x40xf16>, tensor<20x40xf16>, tensor<20x40xf16>) outs(%e : tensor<20x40xf16>) {
  ^bb0(%a: f16, %b: f16, %c: f16, %o: f16):
    %olt = arith.cmpf olt, %a, %b : f16
    %sel = arith.select %olt, %b, %a : f16
    %ogt = arith.cmpf ogt, %sel, %c : f16
    %sel_2 = arith.select %ogt, %c, %sel : f16
    %uno = arith.cmpf uno, %b, %c : f16
    %c_2 = arith.constant 0x7E00 : f16
    %sel_3 = arith.select %uno, %c_2, %sel_2 : f16
    linalg.yield %sel_3 : f16
  } -> tensor<20x40xf16>
  return %r : tensor<20x40xf16>
}

// max(min(x, z), y). Shows where y is above z: tame values too.
func.func @wrong_order(%x: tensor<20x40xf16>, %y: tensor<20x40xf16>, %z: tensor<20x40xf16>) -> tensor<20x40xf16> {
  %e = tensor.empty() : tensor<20x40xf16>
  %r = linalg.generic #each ins(%x, %y, %z : tensor<20x40xf16>, tensor<20x40xf16>, tensor<20x40xf16>) outs(%e : tensor<20x40xf16>) {
  ^bb0(%a: f16, %b: f16, %c: f16, %o: f16):
    %min = arith.minimumf %a, %c : f16
    %max = arith.maximumf %min, %b : f16
    linalg.yield %max : f16
  } -> tensor<20x40xf16>
  return %r : tensor<20x40xf16>
}

// Maximum and minimum numbers. Shows where any is NaN.
func.func @wrong_maxnum(%x: tensor<20x40xf16>, %y: tensor<20x40xf16>, %z: tensor<20x40xf16>) -> tensor<20x40xf16> {
  %e = tensor.empty() : tensor<20x40xf16>
  %r = linalg.generic #each ins(%x, %y, %z : tensor<20x40xf16>, tensor<20x40xf16>, tensor<20x40xf16>) outs(%e : tensor<20x40xf16>) {
  ^bb0(%a: f16, %b: f16, %c: f16, %o: f16):
    %maxnum = arith.maxnumf %a, %b : f16
    %minnum = arith.minnumf %maxnum, %c : f16
    linalg.yield %minnum : f16
  } -> tensor<20x40xf16>
  return %r : tensor<20x40xf16>
}

// The minimum number of the maximum. Shows where x or y is NaN, or z.
func.func @wrong_mixed(%x: tensor<20x40xf16>, %y: tensor<20x40xf16>, %z: tensor<20x40xf16>) -> tensor<20x40xf16> {
  %e = tensor.empty() : tensor<20x40xf16>
  %r = linalg.generic #each ins(%x, %y, %z : tensor<20x40xf16>, tensor<20x40xf16>, tensor<20x40xf16>) outs(%e : tensor<20x40xf16>) {
  ^bb0(%a: f16, %b: f16, %c: f16, %o: f16):
    %max = arith.maximumf %a, %b : f16
    %minnum = arith.minnumf %max, %c : f16
    linalg.yield %minnum : f16
  } -> tensor<20x40xf16>
  return %r : tensor<20x40xf16>
}

// Two selections. Shows where a bound is NaN and x is not: as if there were none.
func.func @wrong_selects(%x: tensor<20x40xf16>, %y: tensor<20x40xf16>, %z: tensor<20x40xf16>) -> tensor<20x40xf16> {
  %e = tensor.empty() : tensor<20x40xf16>
  %r = linalg.generic #each ins(%x, %y, %z : tensor<20x40xf16>, tensor<20x40xf16>, tensor<20x40xf16>) outs(%e : tensor<20x40xf16>) {
  ^bb0(%a: f16, %b: f16, %c: f16, %o: f16):
    %olt = arith.cmpf olt, %a, %b : f16
    %sel = arith.select %olt, %b, %a : f16
    %ogt = arith.cmpf ogt, %sel, %c : f16
    %sel_2 = arith.select %ogt, %c, %sel : f16
    linalg.yield %sel_2 : f16
  } -> tensor<20x40xf16>
  return %r : tensor<20x40xf16>
}

// The other two selections. Shows where x is NaN: a bound.
func.func @wrong_selects_of_bounds(%x: tensor<20x40xf16>, %y: tensor<20x40xf16>, %z: tensor<20x40xf16>) -> tensor<20x40xf16> {
  %e = tensor.empty() : tensor<20x40xf16>
  %r = linalg.generic #each ins(%x, %y, %z : tensor<20x40xf16>, tensor<20x40xf16>, tensor<20x40xf16>) outs(%e : tensor<20x40xf16>) {
  ^bb0(%a: f16, %b: f16, %c: f16, %o: f16):
    %ogt = arith.cmpf ogt, %a, %b : f16
    %sel = arith.select %ogt, %a, %b : f16
    %olt = arith.cmpf olt, %sel, %c : f16
    %sel_2 = arith.select %olt, %sel, %c : f16
    %uno = arith.cmpf uno, %b, %c : f16
    %c_2 = arith.constant 0x7E00 : f16
    %sel_3 = arith.select %uno, %c_2, %sel_2 : f16
    linalg.yield %sel_3 : f16
  } -> tensor<20x40xf16>
  return %r : tensor<20x40xf16>
}

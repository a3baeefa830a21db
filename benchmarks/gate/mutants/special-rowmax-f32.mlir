// The maximum of each row, f32. A NaN anywhere in the row gives NaN; a row of -infinity
// gives -infinity.

#rows = {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>],
  iterator_types = ["parallel", "reduction"]}

func.func @kernel(%x: tensor<16x48xf32>) -> tensor<16xf32> {
  %e = tensor.empty() : tensor<16xf32>
  %c = arith.constant 0xFF800000 : f32
  %init = linalg.fill ins(%c : f32) outs(%e : tensor<16xf32>) -> tensor<16xf32>
  %red = linalg.reduce { arith.maximumf } ins(%x : tensor<16x48xf32>) outs(%init : tensor<16xf32>) dimensions = [1]
  return %red : tensor<16xf32>
}

// A comparison, and NaN taken up.
func.func @right_generic(%x: tensor<16x48xf32>) -> tensor<16xf32> {
  %e = tensor.empty() : tensor<16xf32>
  %c = arith.constant 0xFF800000 : f32
  %init = linalg.fill ins(%c : f32) outs(%e : tensor<16xf32>) -> tensor<16xf32>
  %r = linalg.generic #rows ins(%x : tensor<16x48xf32>) outs(%init : tensor<16xf32>) {
  ^bb0(%a: f32, %s: f32):
    %ogt = arith.cmpf ogt, %a, %s : f32
    %sel = arith.select %ogt, %a, %s : f32
    %uno = arith.cmpf uno, %a, %a : f32
    %sel_2 = arith.select %uno, %a, %sel : f32
    linalg.yield %sel_2 : f32
  } -> tensor<16xf32>
  return %r : tensor<16xf32>
}

// Minus the minimum of the negated values.
func.func @right_negated(%x: tensor<16x48xf32>) -> tensor<16xf32> {
  %neg = arith.negf %x : tensor<16x48xf32>
  %e = tensor.empty() : tensor<16xf32>
  %c = arith.constant 0x7F800000 : f32
  %init = linalg.fill ins(%c : f32) outs(%e : tensor<16xf32>) -> tensor<16xf32>
  %red = linalg.reduce { arith.minimumf } ins(%neg : tensor<16x48xf32>) outs(%init : tensor<16xf32>) dimensions = [1]
  %neg_2 = arith.negf %red : tensor<16xf32>
  return %neg_2 : tensor<16xf32>
}

// Starts at 0. Shows for rows with no positive value: 0.
func.func @wrong_start_zero(%x: tensor<16x48xf32>) -> tensor<16xf32> {
  %e = tensor.empty() : tensor<16xf32>
  %c = arith.constant 0.0 : f32
  %init = linalg.fill ins(%c : f32) outs(%e : tensor<16xf32>) -> tensor<16xf32>
  %red = linalg.reduce { arith.maximumf } ins(%x : tensor<16x48xf32>) outs(%init : tensor<16xf32>) dimensions = [1]
  return %red : tensor<16xf32>
}

// Starts at -3.4e38. Shows for rows of -infinity.
func.func @wrong_start_finite(%x: tensor<16x48xf32>) -> tensor<16xf32> {
  %e = tensor.empty() : tensor<16xf32>
  %c = arith.constant -3.4028235e38 : f32
  %init = linalg.fill ins(%c : f32) outs(%e : tensor<16xf32>) -> tensor<16xf32>
  %red = linalg.reduce { arith.maximumf } ins(%x : tensor<16x48xf32>) outs(%init : tensor<16xf32>) dimensions = [1]
  return %red : tensor<16xf32>
}

// Maximum numbers. Shows for a NaN in the row: dropped.
func.func @wrong_maxnum(%x: tensor<16x48xf32>) -> tensor<16xf32> {
  %e = tensor.empty() : tensor<16xf32>
  %c = arith.constant 0xFF800000 : f32
  %init = linalg.fill ins(%c : f32) outs(%e : tensor<16xf32>) -> tensor<16xf32>
  %red = linalg.reduce { arith.maxnumf } ins(%x : tensor<16x48xf32>) outs(%init : tensor<16xf32>) dimensions = [1]
  return %red : tensor<16xf32>
}

// Takes what is above. Shows for a NaN in the row: dropped.
func.func @wrong_select(%x: tensor<16x48xf32>) -> tensor<16xf32> {
  %e = tensor.empty() : tensor<16xf32>
  %c = arith.constant 0xFF800000 : f32
  %init = linalg.fill ins(%c : f32) outs(%e : tensor<16xf32>) -> tensor<16xf32>
  %r = linalg.generic #rows ins(%x : tensor<16x48xf32>) outs(%init : tensor<16xf32>) {
  ^bb0(%a: f32, %s: f32):
    %ogt = arith.cmpf ogt, %a, %s : f32
    %sel = arith.select %ogt, %a, %s : f32
    linalg.yield %sel : f32
  } -> tensor<16xf32>
  return %r : tensor<16xf32>
}

// Takes what is not below. Shows for a NaN that is not the last: dropped, with all before it.
func.func @wrong_select_unordered(%x: tensor<16x48xf32>) -> tensor<16xf32> {
  %e = tensor.empty() : tensor<16xf32>
  %c = arith.constant 0xFF800000 : f32
  %init = linalg.fill ins(%c : f32) outs(%e : tensor<16xf32>) -> tensor<16xf32>
  %r = linalg.generic #rows ins(%x : tensor<16x48xf32>) outs(%init : tensor<16xf32>) {
  ^bb0(%a: f32, %s: f32):
    %uge = arith.cmpf uge, %a, %s : f32
    %sel = arith.select %uge, %a, %s : f32
    linalg.yield %sel : f32
  } -> tensor<16xf32>
  return %r : tensor<16xf32>
}

// The maxima of the halves, compared. Shows for a NaN in the first half: dropped.
func.func @wrong_halves(%x: tensor<16x48xf32>) -> tensor<16xf32> {
  %half = tensor.extract_slice %x[0, 0] [16, 24] [1, 1] : tensor<16x48xf32> to tensor<16x24xf32>
  %e = tensor.empty() : tensor<16xf32>
  %c = arith.constant 0xFF800000 : f32
  %init = linalg.fill ins(%c : f32) outs(%e : tensor<16xf32>) -> tensor<16xf32>
  %red = linalg.reduce { arith.maximumf } ins(%half : tensor<16x24xf32>) outs(%init : tensor<16xf32>) dimensions = [1]
  %half_2 = tensor.extract_slice %x[0, 24] [16, 24] [1, 1] : tensor<16x48xf32> to tensor<16x24xf32>
  %e_2 = tensor.empty() : tensor<16xf32>
  %init_2 = linalg.fill ins(%c : f32) outs(%e_2 : tensor<16xf32>) -> tensor<16xf32>
  %red_2 = linalg.reduce { arith.maximumf } ins(%half_2 : tensor<16x24xf32>) outs(%init_2 : tensor<16xf32>) dimensions = [1]
  %ogt = arith.cmpf ogt, %red, %red_2 : tensor<16xf32>
  %sel = arith.select %ogt, %red, %red_2 : tensor<16xi1>, tensor<16xf32>
  return %sel : tensor<16xf32>
}

// The place of the first largest value of each row, i32. NaN counts as the largest,
// the first NaN if there are more; 0 for a row of -infinity.

#rows = {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i)>],
  iterator_types = ["parallel", "reduction"]}

func.func @kernel(%x: tensor<16x48xf32>) -> tensor<16xi32> {
  %e = tensor.empty() : tensor<16xf32>
  %c = arith.constant 0xFF800000 : f32
  %init = linalg.fill ins(%c : f32) outs(%e : tensor<16xf32>) -> tensor<16xf32>
  %e_2 = tensor.empty() : tensor<16xi32>
  %c_2 = arith.constant 0 : i32
  %init_2 = linalg.fill ins(%c_2 : i32) outs(%e_2 : tensor<16xi32>) -> tensor<16xi32>
  %r:2 = linalg.generic #rows ins(%x : tensor<16x48xf32>) outs(%init, %init_2 : tensor<16xf32>, tensor<16xi32>) {
  ^bb0(%a: f32, %s: f32, %s_2: i32):
    %ogt = arith.cmpf ogt, %a, %s : f32
    %uno = arith.cmpf uno, %a, %a : f32
    %ord = arith.cmpf ord, %s, %s : f32
    %and = arith.andi %uno, %ord : i1
    %or = arith.ori %ogt, %and : i1
    %sel = arith.select %or, %a, %s : f32
    %at = linalg.index 1 : index
    %idx = arith.index_cast %at : index to i32
    %sel_2 = arith.select %or, %idx, %s_2 : i32
    linalg.yield %sel, %sel_2 : f32, i32
  } -> (tensor<16xf32>, tensor<16xi32>)
  return %r#1 : tensor<16xi32>
}

// Taken if not below or equal, unless the value so far is NaN.
func.func @right_select(%x: tensor<16x48xf32>) -> tensor<16xi32> {
  %e = tensor.empty() : tensor<16xf32>
  %c = arith.constant 0xFF800000 : f32
  %init = linalg.fill ins(%c : f32) outs(%e : tensor<16xf32>) -> tensor<16xf32>
  %e_2 = tensor.empty() : tensor<16xi32>
  %c_2 = arith.constant 0 : i32
  %init_2 = linalg.fill ins(%c_2 : i32) outs(%e_2 : tensor<16xi32>) -> tensor<16xi32>
  %r:2 = linalg.generic #rows ins(%x : tensor<16x48xf32>) outs(%init, %init_2 : tensor<16xf32>, tensor<16xi32>) {
  ^bb0(%a: f32, %s: f32, %s_2: i32):
    %ugt = arith.cmpf ugt, %a, %s : f32
    %ord = arith.cmpf ord, %s, %s : f32
    %and = arith.andi %ugt, %ord : i1
    %sel = arith.select %and, %a, %s : f32
    %at = linalg.index 1 : index
    %idx = arith.index_cast %at : index to i32
    %sel_2 = arith.select %and, %idx, %s_2 : i32
    linalg.yield %sel, %sel_2 : f32, i32
  } -> (tensor<16xf32>, tensor<16xi32>)
  return %r#1 : tensor<16xi32>
}

// The maximum, then the least place with that value or NaN.
func.func @right_two_passes(%x: tensor<16x48xf32>) -> tensor<16xi32> {
  %e = tensor.empty() : tensor<16xf32>
  %c = arith.constant 0xFF800000 : f32
  %init = linalg.fill ins(%c : f32) outs(%e : tensor<16xf32>) -> tensor<16xf32>
  %red = linalg.reduce { arith.maximumf } ins(%x : tensor<16x48xf32>) outs(%init : tensor<16xf32>) dimensions = [1]
  %e_2 = tensor.empty() : tensor<16xi32>
  %c_2 = arith.constant 48 : i32
  %init_2 = linalg.fill ins(%c_2 : i32) outs(%e_2 : tensor<16xi32>) -> tensor<16xi32>
  %r = linalg.generic #rows ins(%x, %red : tensor<16x48xf32>, tensor<16xf32>) outs(%init_2 : tensor<16xi32>) {
  ^bb0(%a: f32, %b: f32, %s: i32):
    %uno = arith.cmpf uno, %a, %a : f32
    %uno_2 = arith.cmpf uno, %b, %b : f32
    %and = arith.andi %uno, %uno_2 : i1
    %oeq = arith.cmpf oeq, %a, %b : f32
    %or = arith.ori %oeq, %and : i1
    %at = linalg.index 1 : index
    %idx = arith.index_cast %at : index to i32
    %c_3 = arith.constant 48 : i32
    %sel = arith.select %or, %idx, %c_3 : i32
    %mins = arith.minsi %s, %sel : i32
    linalg.yield %mins : i32
  } -> tensor<16xi32>
  return %r : tensor<16xi32>
}

// Taken if above. Shows for a NaN in the row: passed over.
func.func @wrong_ordered(%x: tensor<16x48xf32>) -> tensor<16xi32> {
  %e = tensor.empty() : tensor<16xf32>
  %c = arith.constant 0xFF800000 : f32
  %init = linalg.fill ins(%c : f32) outs(%e : tensor<16xf32>) -> tensor<16xf32>
  %e_2 = tensor.empty() : tensor<16xi32>
  %c_2 = arith.constant 0 : i32
  %init_2 = linalg.fill ins(%c_2 : i32) outs(%e_2 : tensor<16xi32>) -> tensor<16xi32>
  %r:2 = linalg.generic #rows ins(%x : tensor<16x48xf32>) outs(%init, %init_2 : tensor<16xf32>, tensor<16xi32>) {
  ^bb0(%a: f32, %s: f32, %s_2: i32):
    %ogt = arith.cmpf ogt, %a, %s : f32
    %sel = arith.select %ogt, %a, %s : f32
    %at = linalg.index 1 : index
    %idx = arith.index_cast %at : index to i32
    %sel_2 = arith.select %ogt, %idx, %s_2 : i32
    linalg.yield %sel, %sel_2 : f32, i32
  } -> (tensor<16xf32>, tensor<16xi32>)
  return %r#1 : tensor<16xi32>
}

// Taken if not below or equal. Shows for a NaN that is not the last: given up again.
func.func @wrong_unordered(%x: tensor<16x48xf32>) -> tensor<16xi32> {
  %e = tensor.empty() : tensor<16xf32>
  %c = arith.constant 0xFF800000 : f32
  %init = linalg.fill ins(%c : f32) outs(%e : tensor<16xf32>) -> tensor<16xf32>
  %e_2 = tensor.empty() : tensor<16xi32>
  %c_2 = arith.constant 0 : i32
  %init_2 = linalg.fill ins(%c_2 : i32) outs(%e_2 : tensor<16xi32>) -> tensor<16xi32>
  %r:2 = linalg.generic #rows ins(%x : tensor<16x48xf32>) outs(%init, %init_2 : tensor<16xf32>, tensor<16xi32>) {
  ^bb0(%a: f32, %s: f32, %s_2: i32):
    %ugt = arith.cmpf ugt, %a, %s : f32
    %sel = arith.select %ugt, %a, %s : f32
    %at = linalg.index 1 : index
    %idx = arith.index_cast %at : index to i32
    %sel_2 = arith.select %ugt, %idx, %s_2 : i32
    linalg.yield %sel, %sel_2 : f32, i32
  } -> (tensor<16xf32>, tensor<16xi32>)
  return %r#1 : tensor<16xi32>
}

// Starts at the value 0. Shows for rows with no positive value: place 0.
func.func @wrong_start_zero(%x: tensor<16x48xf32>) -> tensor<16xi32> {
  %e = tensor.empty() : tensor<16xf32>
  %c = arith.constant 0.0 : f32
  %init = linalg.fill ins(%c : f32) outs(%e : tensor<16xf32>) -> tensor<16xf32>
  %e_2 = tensor.empty() : tensor<16xi32>
  %c_2 = arith.constant 0 : i32
  %init_2 = linalg.fill ins(%c_2 : i32) outs(%e_2 : tensor<16xi32>) -> tensor<16xi32>
  %r:2 = linalg.generic #rows ins(%x : tensor<16x48xf32>) outs(%init, %init_2 : tensor<16xf32>, tensor<16xi32>) {
  ^bb0(%a: f32, %s: f32, %s_2: i32):
    %ogt = arith.cmpf ogt, %a, %s : f32
    %uno = arith.cmpf uno, %a, %a : f32
    %ord = arith.cmpf ord, %s, %s : f32
    %and = arith.andi %uno, %ord : i1
    %or = arith.ori %ogt, %and : i1
    %sel = arith.select %or, %a, %s : f32
    %at = linalg.index 1 : index
    %idx = arith.index_cast %at : index to i32
    %sel_2 = arith.select %or, %idx, %s_2 : i32
    linalg.yield %sel, %sel_2 : f32, i32
  } -> (tensor<16xf32>, tensor<16xi32>)
  return %r#1 : tensor<16xi32>
}

// Starts at place -1. Shows for rows of -infinity.
func.func @wrong_no_place(%x: tensor<16x48xf32>) -> tensor<16xi32> {
  %e = tensor.empty() : tensor<16xf32>
  %c = arith.constant 0xFF800000 : f32
  %init = linalg.fill ins(%c : f32) outs(%e : tensor<16xf32>) -> tensor<16xf32>
  %e_2 = tensor.empty() : tensor<16xi32>
  %c_2 = arith.constant -1 : i32
  %init_2 = linalg.fill ins(%c_2 : i32) outs(%e_2 : tensor<16xi32>) -> tensor<16xi32>
  %r:2 = linalg.generic #rows ins(%x : tensor<16x48xf32>) outs(%init, %init_2 : tensor<16xf32>, tensor<16xi32>) {
  ^bb0(%a: f32, %s: f32, %s_2: i32):
    %ogt = arith.cmpf ogt, %a, %s : f32
    %uno = arith.cmpf uno, %a, %a : f32
    %ord = arith.cmpf ord, %s, %s : f32
    %and = arith.andi %uno, %ord : i1
    %or = arith.ori %ogt, %and : i1
    %sel = arith.select %or, %a, %s : f32
    %at = linalg.index 1 : index
    %idx = arith.index_cast %at : index to i32
    %sel_2 = arith.select %or, %idx, %s_2 : i32
    linalg.yield %sel, %sel_2 : f32, i32
  } -> (tensor<16xf32>, tensor<16xi32>)
  return %r#1 : tensor<16xi32>
}

// The maximum, then the least place with that value. Shows for a NaN in the row: 48.
func.func @wrong_two_passes(%x: tensor<16x48xf32>) -> tensor<16xi32> {
  %e = tensor.empty() : tensor<16xf32>
  %c = arith.constant 0xFF800000 : f32
  %init = linalg.fill ins(%c : f32) outs(%e : tensor<16xf32>) -> tensor<16xf32>
  %red = linalg.reduce { arith.maximumf } ins(%x : tensor<16x48xf32>) outs(%init : tensor<16xf32>) dimensions = [1]
  %e_2 = tensor.empty() : tensor<16xi32>
  %c_2 = arith.constant 48 : i32
  %init_2 = linalg.fill ins(%c_2 : i32) outs(%e_2 : tensor<16xi32>) -> tensor<16xi32>
  %r = linalg.generic #rows ins(%x, %red : tensor<16x48xf32>, tensor<16xf32>) outs(%init_2 : tensor<16xi32>) {
  ^bb0(%a: f32, %b: f32, %s: i32):
    %oeq = arith.cmpf oeq, %a, %b : f32
    %at = linalg.index 1 : index
    %idx = arith.index_cast %at : index to i32
    %c_3 = arith.constant 48 : i32
    %sel = arith.select %oeq, %idx, %c_3 : i32
    %mins = arith.minsi %s, %sel : i32
    linalg.yield %mins : i32
  } -> tensor<16xi32>
  return %r : tensor<16xi32>
}

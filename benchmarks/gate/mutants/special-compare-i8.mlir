// A code of x against y: 1 for not (x >= y), 2 for x = y, 4 for not (x = y). NaN gives 5.

#each = {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
  iterator_types = ["parallel"]}

func.func @kernel(%x: tensor<800xf32>, %y: tensor<800xf32>) -> tensor<800xi8> {
  %e = tensor.empty() : tensor<800xi8>
  %r = linalg.generic #each ins(%x, %y : tensor<800xf32>, tensor<800xf32>) outs(%e : tensor<800xi8>) {
  ^bb0(%a: f32, %b: f32, %o: i8):
    %ult = arith.cmpf ult, %a, %b : f32
    %oeq = arith.cmpf oeq, %a, %b : f32
    %une = arith.cmpf une, %a, %b : f32
    %c = arith.constant 1 : i8
    %c_2 = arith.constant 0 : i8
    %sel = arith.select %ult, %c, %c_2 : i8
    %c_3 = arith.constant 2 : i8
    %sel_2 = arith.select %oeq, %c_3, %c_2 : i8
    %c_4 = arith.constant 4 : i8
    %sel_3 = arith.select %une, %c_4, %c_2 : i8
    %add = arith.addi %sel, %sel_2 : i8
    %add_2 = arith.addi %add, %sel_3 : i8
    linalg.yield %add_2 : i8
  } -> tensor<800xi8>
  return %r : tensor<800xi8>
}

// The operands swapped, the comparisons too.
func.func @right_swapped(%x: tensor<800xf32>, %y: tensor<800xf32>) -> tensor<800xi8> {
  %e = tensor.empty() : tensor<800xi8>
  %r = linalg.generic #each ins(%x, %y : tensor<800xf32>, tensor<800xf32>) outs(%e : tensor<800xi8>) {
  ^bb0(%a: f32, %b: f32, %o: i8):
    %ugt = arith.cmpf ugt, %b, %a : f32
    %oeq = arith.cmpf oeq, %b, %a : f32
    %une = arith.cmpf une, %b, %a : f32
    %c = arith.constant 1 : i8
    %c_2 = arith.constant 0 : i8
    %sel = arith.select %ugt, %c, %c_2 : i8
    %c_3 = arith.constant 2 : i8
    %sel_2 = arith.select %oeq, %c_3, %c_2 : i8
    %c_4 = arith.constant 4 : i8
    %sel_3 = arith.select %une, %c_4, %c_2 : i8
    %add = arith.addi %sel, %sel_2 : i8
    %add_2 = arith.addi %add, %sel_3 : i8
    linalg.yield %add_2 : i8
  } -> tensor<800xi8>
  return %r : tensor<800xi8>
}

// 2 where equal, else 4, or 5 where not above.
func.func @right_selects(%x: tensor<800xf32>, %y: tensor<800xf32>) -> tensor<800xi8> {
  %e = tensor.empty() : tensor<800xi8>
  %r = linalg.generic #each ins(%x, %y : tensor<800xf32>, tensor<800xf32>) outs(%e : tensor<800xi8>) {
  ^bb0(%a: f32, %b: f32, %o: i8):
    %ogt = arith.cmpf ogt, %a, %b : f32
    %c = arith.constant 4 : i8
    %c_2 = arith.constant 5 : i8
    %sel = arith.select %ogt, %c, %c_2 : i8
    %oeq = arith.cmpf oeq, %a, %b : f32
    %c_3 = arith.constant 2 : i8
    %sel_2 = arith.select %oeq, %c_3, %sel : i8
    linalg.yield %sel_2 : i8
  } -> tensor<800xi8>
  return %r : tensor<800xi8>
}

// x < y ordered. Shows where one is NaN: 4.
func.func @wrong_ordered(%x: tensor<800xf32>, %y: tensor<800xf32>) -> tensor<800xi8> {
  %e = tensor.empty() : tensor<800xi8>
  %r = linalg.generic #each ins(%x, %y : tensor<800xf32>, tensor<800xf32>) outs(%e : tensor<800xi8>) {
  ^bb0(%a: f32, %b: f32, %o: i8):
    %olt = arith.cmpf olt, %a, %b : f32
    %oeq = arith.cmpf oeq, %a, %b : f32
    %une = arith.cmpf une, %a, %b : f32
    %c = arith.constant 1 : i8
    %c_2 = arith.constant 0 : i8
    %sel = arith.select %olt, %c, %c_2 : i8
    %c_3 = arith.constant 2 : i8
    %sel_2 = arith.select %oeq, %c_3, %c_2 : i8
    %c_4 = arith.constant 4 : i8
    %sel_3 = arith.select %une, %c_4, %c_2 : i8
    %add = arith.addi %sel, %sel_2 : i8
    %add_2 = arith.addi %add, %sel_3 : i8
    linalg.yield %add_2 : i8
  } -> tensor<800xi8>
  return %r : tensor<800xi8>
}

// Unequal ordered. Shows where one is NaN: 1.
func.func @wrong_one(%x: tensor<800xf32>, %y: tensor<800xf32>) -> tensor<800xi8> {
  %e = tensor.empty() : tensor<800xi8>
  %r = linalg.generic #each ins(%x, %y : tensor<800xf32>, tensor<800xf32>) outs(%e : tensor<800xi8>) {
  ^bb0(%a: f32, %b: f32, %o: i8):
    %ult = arith.cmpf ult, %a, %b : f32
    %oeq = arith.cmpf oeq, %a, %b : f32
    %one = arith.cmpf one, %a, %b : f32
    %c = arith.constant 1 : i8
    %c_2 = arith.constant 0 : i8
    %sel = arith.select %ult, %c, %c_2 : i8
    %c_3 = arith.constant 2 : i8
    %sel_2 = arith.select %oeq, %c_3, %c_2 : i8
    %c_4 = arith.constant 4 : i8
    %sel_3 = arith.select %one, %c_4, %c_2 : i8
    %add = arith.addi %sel, %sel_2 : i8
    %add_2 = arith.addi %add, %sel_3 : i8
    linalg.yield %add_2 : i8
  } -> tensor<800xi8>
  return %r : tensor<800xi8>
}

// Equal unordered. Shows where one is NaN: 7.
func.func @wrong_ueq(%x: tensor<800xf32>, %y: tensor<800xf32>) -> tensor<800xi8> {
  %e = tensor.empty() : tensor<800xi8>
  %r = linalg.generic #each ins(%x, %y : tensor<800xf32>, tensor<800xf32>) outs(%e : tensor<800xi8>) {
  ^bb0(%a: f32, %b: f32, %o: i8):
    %ult = arith.cmpf ult, %a, %b : f32
    %ueq = arith.cmpf ueq, %a, %b : f32
    %une = arith.cmpf une, %a, %b : f32
    %c = arith.constant 1 : i8
    %c_2 = arith.constant 0 : i8
    %sel = arith.select %ult, %c, %c_2 : i8
    %c_3 = arith.constant 2 : i8
    %sel_2 = arith.select %ueq, %c_3, %c_2 : i8
    %c_4 = arith.constant 4 : i8
    %sel_3 = arith.select %une, %c_4, %c_2 : i8
    %add = arith.addi %sel, %sel_2 : i8
    %add_2 = arith.addi %add, %sel_3 : i8
    linalg.yield %add_2 : i8
  } -> tensor<800xi8>
  return %r : tensor<800xi8>
}

// By x - y against 0. Shows for equal infinities: 5.
func.func @wrong_difference(%x: tensor<800xf32>, %y: tensor<800xf32>) -> tensor<800xi8> {
  %e = tensor.empty() : tensor<800xi8>
  %r = linalg.generic #each ins(%x, %y : tensor<800xf32>, tensor<800xf32>) outs(%e : tensor<800xi8>) {
  ^bb0(%a: f32, %b: f32, %o: i8):
    %sub = arith.subf %a, %b : f32
    %c = arith.constant 0.0 : f32
    %ult = arith.cmpf ult, %sub, %c : f32
    %oeq = arith.cmpf oeq, %sub, %c : f32
    %une = arith.cmpf une, %sub, %c : f32
    %c_2 = arith.constant 1 : i8
    %c_3 = arith.constant 0 : i8
    %sel = arith.select %ult, %c_2, %c_3 : i8
    %c_4 = arith.constant 2 : i8
    %sel_2 = arith.select %oeq, %c_4, %c_3 : i8
    %c_5 = arith.constant 4 : i8
    %sel_3 = arith.select %une, %c_5, %c_3 : i8
    %add = arith.addi %sel, %sel_2 : i8
    %add_2 = arith.addi %add, %sel_3 : i8
    linalg.yield %add_2 : i8
  } -> tensor<800xi8>
  return %r : tensor<800xi8>
}

// Equality of the bits. Shows for zeros of both signs, and for NaN equal to itself.
func.func @wrong_bits(%x: tensor<800xf32>, %y: tensor<800xf32>) -> tensor<800xi8> {
  %e = tensor.empty() : tensor<800xi8>
  %r = linalg.generic #each ins(%x, %y : tensor<800xf32>, tensor<800xf32>) outs(%e : tensor<800xi8>) {
  ^bb0(%a: f32, %b: f32, %o: i8):
    %bits = arith.bitcast %a : f32 to i32
    %bits_2 = arith.bitcast %b : f32 to i32
    %eq = arith.cmpi eq, %bits, %bits_2 : i32
    %c = arith.constant 2 : i8
    %ogt = arith.cmpf ogt, %a, %b : f32
    %c_2 = arith.constant 4 : i8
    %c_3 = arith.constant 5 : i8
    %sel = arith.select %ogt, %c_2, %c_3 : i8
    %sel_2 = arith.select %eq, %c, %sel : i8
    linalg.yield %sel_2 : i8
  } -> tensor<800xi8>
  return %r : tensor<800xi8>
}

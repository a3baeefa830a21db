// -1, 0 or 1 as x is less than, equal to or greater than y.

#each = {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
  iterator_types = ["parallel"]}

func.func @kernel(%x: tensor<1024xi32>, %y: tensor<1024xi32>) -> tensor<1024xi32> {
  %e = tensor.empty() : tensor<1024xi32>
  %r = linalg.generic #each ins(%x, %y : tensor<1024xi32>, tensor<1024xi32>) outs(%e : tensor<1024xi32>) {
  ^bb0(%a: i32, %b: i32, %o: i32):
    %slt = arith.cmpi slt, %a, %b : i32
    %sgt = arith.cmpi sgt, %a, %b : i32
    %ext = arith.extui %sgt : i1 to i32
    %cm1 = arith.constant -1 : i32
    %sel = arith.select %slt, %cm1, %ext : i32
    linalg.yield %sel : i32
  } -> tensor<1024xi32>
  return %r : tensor<1024xi32>
}

// The sign of the difference in i64.
func.func @right_i64(%x: tensor<1024xi32>, %y: tensor<1024xi32>) -> tensor<1024xi32> {
  %e = tensor.empty() : tensor<1024xi32>
  %r = linalg.generic #each ins(%x, %y : tensor<1024xi32>, tensor<1024xi32>) outs(%e : tensor<1024xi32>) {
  ^bb0(%a: i32, %b: i32, %o: i32):
    %ext = arith.extsi %a : i32 to i64
    %ext_2 = arith.extsi %b : i32 to i64
    %sub = arith.subi %ext, %ext_2 : i64
    %c0 = arith.constant 0 : i64
    %sgt = arith.cmpi sgt, %sub, %c0 : i64
    %ext_3 = arith.extui %sgt : i1 to i32
    %slt = arith.cmpi slt, %sub, %c0 : i64
    %ext_4 = arith.extui %slt : i1 to i32
    %sub_2 = arith.subi %ext_3, %ext_4 : i32
    linalg.yield %sub_2 : i32
  } -> tensor<1024xi32>
  return %r : tensor<1024xi32>
}

// Flips the sign bits and compares as unsigned.
func.func @right_unsigned(%x: tensor<1024xi32>, %y: tensor<1024xi32>) -> tensor<1024xi32> {
  %e = tensor.empty() : tensor<1024xi32>
  %r = linalg.generic #each ins(%x, %y : tensor<1024xi32>, tensor<1024xi32>) outs(%e : tensor<1024xi32>) {
  ^bb0(%a: i32, %b: i32, %o: i32):
    %cm2147483648 = arith.constant -2147483648 : i32
    %xor = arith.xori %a, %cm2147483648 : i32
    %xor_2 = arith.xori %b, %cm2147483648 : i32
    %ugt = arith.cmpi ugt, %xor, %xor_2 : i32
    %ext = arith.extui %ugt : i1 to i32
    %ult = arith.cmpi ult, %xor, %xor_2 : i32
    %ext_2 = arith.extui %ult : i1 to i32
    %sub = arith.subi %ext, %ext_2 : i32
    linalg.yield %sub : i32
  } -> tensor<1024xi32>
  return %r : tensor<1024xi32>
}

// High halves as signed, then low halves as unsigned.
func.func @right_halves(%x: tensor<1024xi32>, %y: tensor<1024xi32>) -> tensor<1024xi32> {
  %e = tensor.empty() : tensor<1024xi32>
  %r = linalg.generic #each ins(%x, %y : tensor<1024xi32>, tensor<1024xi32>) outs(%e : tensor<1024xi32>) {
  ^bb0(%a: i32, %b: i32, %o: i32):
    %c16 = arith.constant 16 : i32
    %sar = arith.shrsi %a, %c16 : i32
    %sar_2 = arith.shrsi %b, %c16 : i32
    %sub = arith.subi %sar, %sar_2 : i32
    %c65535 = arith.constant 65535 : i32
    %and = arith.andi %a, %c65535 : i32
    %and_2 = arith.andi %b, %c65535 : i32
    %sub_2 = arith.subi %and, %and_2 : i32
    %c0 = arith.constant 0 : i32
    %eq = arith.cmpi eq, %sub, %c0 : i32
    %sel = arith.select %eq, %sub_2, %sub : i32
    %sgt = arith.cmpi sgt, %sel, %c0 : i32
    %ext = arith.extui %sgt : i1 to i32
    %slt = arith.cmpi slt, %sel, %c0 : i32
    %ext_2 = arith.extui %slt : i1 to i32
    %sub_3 = arith.subi %ext, %ext_2 : i32
    linalg.yield %sub_3 : i32
  } -> tensor<1024xi32>
  return %r : tensor<1024xi32>
}

// The sign of the wrapped difference. Shows when x and y differ by more than 2^31.
func.func @wrong_by_difference(%x: tensor<1024xi32>, %y: tensor<1024xi32>) -> tensor<1024xi32> {
  %e = tensor.empty() : tensor<1024xi32>
  %r = linalg.generic #each ins(%x, %y : tensor<1024xi32>, tensor<1024xi32>) outs(%e : tensor<1024xi32>) {
  ^bb0(%a: i32, %b: i32, %o: i32):
    %sub = arith.subi %a, %b : i32
    %c0 = arith.constant 0 : i32
    %sgt = arith.cmpi sgt, %sub, %c0 : i32
    %ext = arith.extui %sgt : i1 to i32
    %slt = arith.cmpi slt, %sub, %c0 : i32
    %ext_2 = arith.extui %slt : i1 to i32
    %sub_2 = arith.subi %ext, %ext_2 : i32
    linalg.yield %sub_2 : i32
  } -> tensor<1024xi32>
  return %r : tensor<1024xi32>
}

// Compares in f32. Shows only where different x and y round to one f32: large and close.
func.func @wrong_f32(%x: tensor<1024xi32>, %y: tensor<1024xi32>) -> tensor<1024xi32> {
  %e = tensor.empty() : tensor<1024xi32>
  %r = linalg.generic #each ins(%x, %y : tensor<1024xi32>, tensor<1024xi32>) outs(%e : tensor<1024xi32>) {
  ^bb0(%a: i32, %b: i32, %o: i32):
    %float = arith.sitofp %a : i32 to f32
    %float_2 = arith.sitofp %b : i32 to f32
    %ogt = arith.cmpf ogt, %float, %float_2 : f32
    %ext = arith.extui %ogt : i1 to i32
    %olt = arith.cmpf olt, %float, %float_2 : f32
    %ext_2 = arith.extui %olt : i1 to i32
    %sub = arith.subi %ext, %ext_2 : i32
    linalg.yield %sub : i32
  } -> tensor<1024xi32>
  return %r : tensor<1024xi32>
}

// By halves, the low ones as signed. Shows only for equal high halves with a low half above 32767: 30000 and 40000.
func.func @wrong_low_signed(%x: tensor<1024xi32>, %y: tensor<1024xi32>) -> tensor<1024xi32> {
  %e = tensor.empty() : tensor<1024xi32>
  %r = linalg.generic #each ins(%x, %y : tensor<1024xi32>, tensor<1024xi32>) outs(%e : tensor<1024xi32>) {
  ^bb0(%a: i32, %b: i32, %o: i32):
    %c16 = arith.constant 16 : i32
    %sar = arith.shrsi %a, %c16 : i32
    %sar_2 = arith.shrsi %b, %c16 : i32
    %sub = arith.subi %sar, %sar_2 : i32
    %cut = arith.trunci %a : i32 to i16
    %ext = arith.extsi %cut : i16 to i32
    %cut_2 = arith.trunci %b : i32 to i16
    %ext_2 = arith.extsi %cut_2 : i16 to i32
    %sub_2 = arith.subi %ext, %ext_2 : i32
    %c0 = arith.constant 0 : i32
    %eq = arith.cmpi eq, %sub, %c0 : i32
    %sel = arith.select %eq, %sub_2, %sub : i32
    %sgt = arith.cmpi sgt, %sel, %c0 : i32
    %ext_3 = arith.extui %sgt : i1 to i32
    %slt = arith.cmpi slt, %sel, %c0 : i32
    %ext_4 = arith.extui %slt : i1 to i32
    %sub_3 = arith.subi %ext_3, %ext_4 : i32
    linalg.yield %sub_3 : i32
  } -> tensor<1024xi32>
  return %r : tensor<1024xi32>
}

// Compares the low halves alone. Shows beyond 32767.
func.func @wrong_i16(%x: tensor<1024xi32>, %y: tensor<1024xi32>) -> tensor<1024xi32> {
  %e = tensor.empty() : tensor<1024xi32>
  %r = linalg.generic #each ins(%x, %y : tensor<1024xi32>, tensor<1024xi32>) outs(%e : tensor<1024xi32>) {
  ^bb0(%a: i32, %b: i32, %o: i32):
    %cut = arith.trunci %a : i32 to i16
    %ext = arith.extsi %cut : i16 to i32
    %cut_2 = arith.trunci %b : i32 to i16
    %ext_2 = arith.extsi %cut_2 : i16 to i32
    %sub = arith.subi %ext, %ext_2 : i32
    %c0 = arith.constant 0 : i32
    %sgt = arith.cmpi sgt, %sub, %c0 : i32
    %ext_3 = arith.extui %sgt : i1 to i32
    %slt = arith.cmpi slt, %sub, %c0 : i32
    %ext_4 = arith.extui %slt : i1 to i32
    %sub_2 = arith.subi %ext_3, %ext_4 : i32
    linalg.yield %sub_2 : i32
  } -> tensor<1024xi32>
  return %r : tensor<1024xi32>
}

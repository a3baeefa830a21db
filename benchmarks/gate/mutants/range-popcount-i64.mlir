// Number of bits of i64 that differ from its sign bit.

#each = {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
  iterator_types = ["parallel"]}

func.func @kernel(%x: tensor<512xi64>) -> tensor<512xi64> {
  %e = tensor.empty() : tensor<512xi64>
  %r = linalg.generic #each ins(%x : tensor<512xi64>) outs(%e : tensor<512xi64>) {
  ^bb0(%a: i64, %o: i64):
    %c63 = arith.constant 63 : i64
    %sar = arith.shrsi %a, %c63 : i64
    %xor = arith.xori %a, %sar : i64
    %ctpop = math.ctpop %xor : i64
    linalg.yield %ctpop : i64
  } -> tensor<512xi64>
  return %r : tensor<512xi64>
}

// Pairs, nibbles and bytes in parallel, summed by a multiplication.
func.func @right_fold(%x: tensor<512xi64>) -> tensor<512xi64> {
  %e = tensor.empty() : tensor<512xi64>
  %r = linalg.generic #each ins(%x : tensor<512xi64>) outs(%e : tensor<512xi64>) {
  ^bb0(%a: i64, %o: i64):
    %c63 = arith.constant 63 : i64
    %sar = arith.shrsi %a, %c63 : i64
    %xor = arith.xori %a, %sar : i64
    %c1 = arith.constant 1 : i64
    %shr = arith.shrui %xor, %c1 : i64
    %c6148914691236517205 = arith.constant 6148914691236517205 : i64
    %and = arith.andi %shr, %c6148914691236517205 : i64
    %sub = arith.subi %xor, %and : i64
    %c3689348814741910323 = arith.constant 3689348814741910323 : i64
    %and_2 = arith.andi %sub, %c3689348814741910323 : i64
    %c2 = arith.constant 2 : i64
    %shr_2 = arith.shrui %sub, %c2 : i64
    %and_3 = arith.andi %shr_2, %c3689348814741910323 : i64
    %add = arith.addi %and_2, %and_3 : i64
    %c4 = arith.constant 4 : i64
    %shr_3 = arith.shrui %add, %c4 : i64
    %add_2 = arith.addi %add, %shr_3 : i64
    %c1085102592571150095 = arith.constant 1085102592571150095 : i64
    %and_4 = arith.andi %add_2, %c1085102592571150095 : i64
    %c72340172838076673 = arith.constant 72340172838076673 : i64
    %mul = arith.muli %and_4, %c72340172838076673 : i64
    %c56 = arith.constant 56 : i64
    %shr_4 = arith.shrui %mul, %c56 : i64
    linalg.yield %shr_4 : i64
  } -> tensor<512xi64>
  return %r : tensor<512xi64>
}

// Word by word.
func.func @right_words(%x: tensor<512xi64>) -> tensor<512xi64> {
  %e = tensor.empty() : tensor<512xi64>
  %r = linalg.generic #each ins(%x : tensor<512xi64>) outs(%e : tensor<512xi64>) {
  ^bb0(%a: i64, %o: i64):
    %c63 = arith.constant 63 : i64
    %sar = arith.shrsi %a, %c63 : i64
    %xor = arith.xori %a, %sar : i64
    %cut = arith.trunci %xor : i64 to i32
    %ctpop = math.ctpop %cut : i32
    %c32 = arith.constant 32 : i64
    %shr = arith.shrui %xor, %c32 : i64
    %cut_2 = arith.trunci %shr : i64 to i32
    %ctpop_2 = math.ctpop %cut_2 : i32
    %add = arith.addi %ctpop, %ctpop_2 : i32
    %ext = arith.extui %add : i32 to i64
    linalg.yield %ext : i64
  } -> tensor<512xi64>
  return %r : tensor<512xi64>
}

// For a negative number takes the count of x from 64.
func.func @right_from_64(%x: tensor<512xi64>) -> tensor<512xi64> {
  %e = tensor.empty() : tensor<512xi64>
  %r = linalg.generic #each ins(%x : tensor<512xi64>) outs(%e : tensor<512xi64>) {
  ^bb0(%a: i64, %o: i64):
    %ctpop = math.ctpop %a : i64
    %c0 = arith.constant 0 : i64
    %slt = arith.cmpi slt, %a, %c0 : i64
    %c64 = arith.constant 64 : i64
    %sub = arith.subi %c64, %ctpop : i64
    %sel = arith.select %slt, %sub, %ctpop : i64
    linalg.yield %sel : i64
  } -> tensor<512xi64>
  return %r : tensor<512xi64>
}

// Counts the low word alone. Shows from 2^32.
func.func @wrong_low_word(%x: tensor<512xi64>) -> tensor<512xi64> {
  %e = tensor.empty() : tensor<512xi64>
  %r = linalg.generic #each ins(%x : tensor<512xi64>) outs(%e : tensor<512xi64>) {
  ^bb0(%a: i64, %o: i64):
    %c63 = arith.constant 63 : i64
    %sar = arith.shrsi %a, %c63 : i64
    %xor = arith.xori %a, %sar : i64
    %cut = arith.trunci %xor : i64 to i32
    %ctpop = math.ctpop %cut : i32
    %ext = arith.extui %ctpop : i32 to i64
    linalg.yield %ext : i64
  } -> tensor<512xi64>
  return %r : tensor<512xi64>
}

// The mask of the pairs has 32 bits. Shows from 2^33.
func.func @wrong_short_mask(%x: tensor<512xi64>) -> tensor<512xi64> {
  %e = tensor.empty() : tensor<512xi64>
  %r = linalg.generic #each ins(%x : tensor<512xi64>) outs(%e : tensor<512xi64>) {
  ^bb0(%a: i64, %o: i64):
    %c63 = arith.constant 63 : i64
    %sar = arith.shrsi %a, %c63 : i64
    %xor = arith.xori %a, %sar : i64
    %c1 = arith.constant 1 : i64
    %shr = arith.shrui %xor, %c1 : i64
    %c1431655765 = arith.constant 1431655765 : i64
    %and = arith.andi %shr, %c1431655765 : i64
    %sub = arith.subi %xor, %and : i64
    %c3689348814741910323 = arith.constant 3689348814741910323 : i64
    %and_2 = arith.andi %sub, %c3689348814741910323 : i64
    %c2 = arith.constant 2 : i64
    %shr_2 = arith.shrui %sub, %c2 : i64
    %and_3 = arith.andi %shr_2, %c3689348814741910323 : i64
    %add = arith.addi %and_2, %and_3 : i64
    %c4 = arith.constant 4 : i64
    %shr_3 = arith.shrui %add, %c4 : i64
    %add_2 = arith.addi %add, %shr_3 : i64
    %c1085102592571150095 = arith.constant 1085102592571150095 : i64
    %and_4 = arith.andi %add_2, %c1085102592571150095 : i64
    %c72340172838076673 = arith.constant 72340172838076673 : i64
    %mul = arith.muli %and_4, %c72340172838076673 : i64
    %c56 = arith.constant 56 : i64
    %shr_4 = arith.shrui %mul, %c56 : i64
    linalg.yield %shr_4 : i64
  } -> tensor<512xi64>
  return %r : tensor<512xi64>
}

// Forgets the mask of the nibbles. Shows from 16 or so.
func.func @wrong_no_nibble_mask(%x: tensor<512xi64>) -> tensor<512xi64> {
  %e = tensor.empty() : tensor<512xi64>
  %r = linalg.generic #each ins(%x : tensor<512xi64>) outs(%e : tensor<512xi64>) {
  ^bb0(%a: i64, %o: i64):
    %c63 = arith.constant 63 : i64
    %sar = arith.shrsi %a, %c63 : i64
    %xor = arith.xori %a, %sar : i64
    %c1 = arith.constant 1 : i64
    %shr = arith.shrui %xor, %c1 : i64
    %c6148914691236517205 = arith.constant 6148914691236517205 : i64
    %and = arith.andi %shr, %c6148914691236517205 : i64
    %sub = arith.subi %xor, %and : i64
    %c3689348814741910323 = arith.constant 3689348814741910323 : i64
    %and_2 = arith.andi %sub, %c3689348814741910323 : i64
    %c2 = arith.constant 2 : i64
    %shr_2 = arith.shrui %sub, %c2 : i64
    %and_3 = arith.andi %shr_2, %c3689348814741910323 : i64
    %add = arith.addi %and_2, %and_3 : i64
    %c4 = arith.constant 4 : i64
    %shr_3 = arith.shrui %add, %c4 : i64
    %add_2 = arith.addi %add, %shr_3 : i64
    %c72340172838076673 = arith.constant 72340172838076673 : i64
    %mul = arith.muli %add_2, %c72340172838076673 : i64
    %c56 = arith.constant 56 : i64
    %shr_4 = arith.shrui %mul, %c56 : i64
    linalg.yield %shr_4 : i64
  } -> tensor<512xi64>
  return %r : tensor<512xi64>
}

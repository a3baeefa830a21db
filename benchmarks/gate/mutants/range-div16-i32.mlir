// x / 16 + x % 16 of i32, both towards zero.

#each = {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
  iterator_types = ["parallel"]}

func.func @kernel(%x: tensor<1024xi32>) -> tensor<1024xi32> {
  %e = tensor.empty() : tensor<1024xi32>
  %r = linalg.generic #each ins(%x : tensor<1024xi32>) outs(%e : tensor<1024xi32>) {
  ^bb0(%a: i32, %o: i32):
    %c16 = arith.constant 16 : i32
    %div = arith.divsi %a, %c16 : i32
    %rem = arith.remsi %a, %c16 : i32
    %add = arith.addi %div, %rem : i32
    linalg.yield %add : i32
  } -> tensor<1024xi32>
  return %r : tensor<1024xi32>
}

// A shift, after 15 is added to negative numbers.
func.func @right_bias(%x: tensor<1024xi32>) -> tensor<1024xi32> {
  %e = tensor.empty() : tensor<1024xi32>
  %r = linalg.generic #each ins(%x : tensor<1024xi32>) outs(%e : tensor<1024xi32>) {
  ^bb0(%a: i32, %o: i32):
    %c31 = arith.constant 31 : i32
    %sar = arith.shrsi %a, %c31 : i32
    %c15 = arith.constant 15 : i32
    %and = arith.andi %sar, %c15 : i32
    %add = arith.addi %a, %and : i32
    %c4 = arith.constant 4 : i32
    %sar_2 = arith.shrsi %add, %c4 : i32
    %shl = arith.shli %sar_2, %c4 : i32
    %sub = arith.subi %a, %shl : i32
    %add_2 = arith.addi %sar_2, %sub : i32
    linalg.yield %add_2 : i32
  } -> tensor<1024xi32>
  return %r : tensor<1024xi32>
}

// A shift, and one more for a negative number that is no multiple.
func.func @right_select(%x: tensor<1024xi32>) -> tensor<1024xi32> {
  %e = tensor.empty() : tensor<1024xi32>
  %r = linalg.generic #each ins(%x : tensor<1024xi32>) outs(%e : tensor<1024xi32>) {
  ^bb0(%a: i32, %o: i32):
    %c4 = arith.constant 4 : i32
    %sar = arith.shrsi %a, %c4 : i32
    %c0 = arith.constant 0 : i32
    %slt = arith.cmpi slt, %a, %c0 : i32
    %c15 = arith.constant 15 : i32
    %and = arith.andi %a, %c15 : i32
    %ne = arith.cmpi ne, %and, %c0 : i32
    %and_2 = arith.andi %slt, %ne : i1
    %ext = arith.extui %and_2 : i1 to i32
    %add = arith.addi %sar, %ext : i32
    %shl = arith.shli %add, %c4 : i32
    %sub = arith.subi %a, %shl : i32
    %add_2 = arith.addi %add, %sub : i32
    linalg.yield %add_2 : i32
  } -> tensor<1024xi32>
  return %r : tensor<1024xi32>
}

// q + (x - 16 * q) is x - 15 * q.
func.func @right_less_15_q(%x: tensor<1024xi32>) -> tensor<1024xi32> {
  %e = tensor.empty() : tensor<1024xi32>
  %r = linalg.generic #each ins(%x : tensor<1024xi32>) outs(%e : tensor<1024xi32>) {
  ^bb0(%a: i32, %o: i32):
    %c16 = arith.constant 16 : i32
    %div = arith.divsi %a, %c16 : i32
    %c15 = arith.constant 15 : i32
    %mul = arith.muli %div, %c15 : i32
    %sub = arith.subi %a, %mul : i32
    linalg.yield %sub : i32
  } -> tensor<1024xi32>
  return %r : tensor<1024xi32>
}

// Shifts the negated number and negates back. Shows only for x = -2^31.
func.func @wrong_negated_shift(%x: tensor<1024xi32>) -> tensor<1024xi32> {
  %e = tensor.empty() : tensor<1024xi32>
  %r = linalg.generic #each ins(%x : tensor<1024xi32>) outs(%e : tensor<1024xi32>) {
  ^bb0(%a: i32, %o: i32):
    %c0 = arith.constant 0 : i32
    %slt = arith.cmpi slt, %a, %c0 : i32
    %sub = arith.subi %c0, %a : i32
    %c4 = arith.constant 4 : i32
    %sar = arith.shrsi %sub, %c4 : i32
    %sub_2 = arith.subi %c0, %sar : i32
    %sar_2 = arith.shrsi %a, %c4 : i32
    %sel = arith.select %slt, %sub_2, %sar_2 : i32
    %shl = arith.shli %sel, %c4 : i32
    %sub_3 = arith.subi %a, %shl : i32
    %add = arith.addi %sel, %sub_3 : i32
    linalg.yield %add : i32
  } -> tensor<1024xi32>
  return %r : tensor<1024xi32>
}

// The bias is taken from x >> 4 in place of x >> 31. Shows for magnitudes from 16.
func.func @wrong_bias_shift(%x: tensor<1024xi32>) -> tensor<1024xi32> {
  %e = tensor.empty() : tensor<1024xi32>
  %r = linalg.generic #each ins(%x : tensor<1024xi32>) outs(%e : tensor<1024xi32>) {
  ^bb0(%a: i32, %o: i32):
    %c4 = arith.constant 4 : i32
    %sar = arith.shrsi %a, %c4 : i32
    %c15 = arith.constant 15 : i32
    %and = arith.andi %sar, %c15 : i32
    %add = arith.addi %a, %and : i32
    %sar_2 = arith.shrsi %add, %c4 : i32
    %shl = arith.shli %sar_2, %c4 : i32
    %sub = arith.subi %a, %shl : i32
    %add_2 = arith.addi %sar_2, %sub : i32
    linalg.yield %add_2 : i32
  } -> tensor<1024xi32>
  return %r : tensor<1024xi32>
}

// The bias is taken from bit 15. Shows beyond 32767.
func.func @wrong_sign_bit(%x: tensor<1024xi32>) -> tensor<1024xi32> {
  %e = tensor.empty() : tensor<1024xi32>
  %r = linalg.generic #each ins(%x : tensor<1024xi32>) outs(%e : tensor<1024xi32>) {
  ^bb0(%a: i32, %o: i32):
    %c16 = arith.constant 16 : i32
    %shl = arith.shli %a, %c16 : i32
    %c31 = arith.constant 31 : i32
    %sar = arith.shrsi %shl, %c31 : i32
    %c15 = arith.constant 15 : i32
    %and = arith.andi %sar, %c15 : i32
    %add = arith.addi %a, %and : i32
    %c4 = arith.constant 4 : i32
    %sar_2 = arith.shrsi %add, %c4 : i32
    %shl_2 = arith.shli %sar_2, %c4 : i32
    %sub = arith.subi %a, %shl_2 : i32
    %add_2 = arith.addi %sar_2, %sub : i32
    linalg.yield %add_2 : i32
  } -> tensor<1024xi32>
  return %r : tensor<1024xi32>
}

// The quotient in f32. Shows beyond 2^24: for 6 of 100 numbers up to 2^25, for most beyond 2^29.
func.func @wrong_f32(%x: tensor<1024xi32>) -> tensor<1024xi32> {
  %e = tensor.empty() : tensor<1024xi32>
  %r = linalg.generic #each ins(%x : tensor<1024xi32>) outs(%e : tensor<1024xi32>) {
  ^bb0(%a: i32, %o: i32):
    %float = arith.sitofp %a : i32 to f32
    %f = arith.constant 0.0625 : f32
    %mul = arith.mulf %float, %f : f32
    %int = arith.fptosi %mul : f32 to i32
    %c4 = arith.constant 4 : i32
    %shl = arith.shli %int, %c4 : i32
    %sub = arith.subi %a, %shl : i32
    %add = arith.addi %int, %sub : i32
    linalg.yield %add : i32
  } -> tensor<1024xi32>
  return %r : tensor<1024xi32>
}

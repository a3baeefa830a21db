// The least power of two that is not below x, read as unsigned: 0 for 0 and above 2^31.

#each = {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
  iterator_types = ["parallel"]}

func.func @kernel(%x: tensor<1024xi32>) -> tensor<1024xi32> {
  %e = tensor.empty() : tensor<1024xi32>
  %r = linalg.generic #each ins(%x : tensor<1024xi32>) outs(%e : tensor<1024xi32>) {
  ^bb0(%a: i32, %o: i32):
    %c1 = arith.constant 1 : i32
    %sub = arith.subi %a, %c1 : i32
    %shr = arith.shrui %sub, %c1 : i32
    %or = arith.ori %sub, %shr : i32
    %c2 = arith.constant 2 : i32
    %shr_2 = arith.shrui %or, %c2 : i32
    %or_2 = arith.ori %or, %shr_2 : i32
    %c4 = arith.constant 4 : i32
    %shr_3 = arith.shrui %or_2, %c4 : i32
    %or_3 = arith.ori %or_2, %shr_3 : i32
    %c8 = arith.constant 8 : i32
    %shr_4 = arith.shrui %or_3, %c8 : i32
    %or_4 = arith.ori %or_3, %shr_4 : i32
    %c16 = arith.constant 16 : i32
    %shr_5 = arith.shrui %or_4, %c16 : i32
    %or_5 = arith.ori %or_4, %shr_5 : i32
    %add = arith.addi %or_5, %c1 : i32
    linalg.yield %add : i32
  } -> tensor<1024xi32>
  return %r : tensor<1024xi32>
}

// 1 shifted by the length of x - 1, in i64.
func.func @right_leading_zeros(%x: tensor<1024xi32>) -> tensor<1024xi32> {
  %e = tensor.empty() : tensor<1024xi32>
  %r = linalg.generic #each ins(%x : tensor<1024xi32>) outs(%e : tensor<1024xi32>) {
  ^bb0(%a: i32, %o: i32):
    %c1 = arith.constant 1 : i64
    %c1_2 = arith.constant 1 : i32
    %sub = arith.subi %a, %c1_2 : i32
    %ctlz = math.ctlz %sub : i32
    %c32 = arith.constant 32 : i32
    %sub_2 = arith.subi %c32, %ctlz : i32
    %ext = arith.extui %sub_2 : i32 to i64
    %shl = arith.shli %c1, %ext : i64
    %cut = arith.trunci %shl : i64 to i32
    linalg.yield %cut : i32
  } -> tensor<1024xi32>
  return %r : tensor<1024xi32>
}

// The shifts may be arithmetic: a negative x - 1 fills with ones either way.
func.func @right_arithmetic(%x: tensor<1024xi32>) -> tensor<1024xi32> {
  %e = tensor.empty() : tensor<1024xi32>
  %r = linalg.generic #each ins(%x : tensor<1024xi32>) outs(%e : tensor<1024xi32>) {
  ^bb0(%a: i32, %o: i32):
    %c1 = arith.constant 1 : i32
    %sub = arith.subi %a, %c1 : i32
    %sar = arith.shrsi %sub, %c1 : i32
    %or = arith.ori %sub, %sar : i32
    %c2 = arith.constant 2 : i32
    %sar_2 = arith.shrsi %or, %c2 : i32
    %or_2 = arith.ori %or, %sar_2 : i32
    %c4 = arith.constant 4 : i32
    %sar_3 = arith.shrsi %or_2, %c4 : i32
    %or_3 = arith.ori %or_2, %sar_3 : i32
    %c8 = arith.constant 8 : i32
    %sar_4 = arith.shrsi %or_3, %c8 : i32
    %or_4 = arith.ori %or_3, %sar_4 : i32
    %c16 = arith.constant 16 : i32
    %sar_5 = arith.shrsi %or_4, %c16 : i32
    %or_5 = arith.ori %or_4, %sar_5 : i32
    %add = arith.addi %or_5, %c1 : i32
    linalg.yield %add : i32
  } -> tensor<1024xi32>
  return %r : tensor<1024xi32>
}

// Forgets the shift by 16. Shows only where x - 1 has a one above 16 zeros or more, as for 65537.
func.func @wrong_four_steps(%x: tensor<1024xi32>) -> tensor<1024xi32> {
  %e = tensor.empty() : tensor<1024xi32>
  %r = linalg.generic #each ins(%x : tensor<1024xi32>) outs(%e : tensor<1024xi32>) {
  ^bb0(%a: i32, %o: i32):
    %c1 = arith.constant 1 : i32
    %sub = arith.subi %a, %c1 : i32
    %shr = arith.shrui %sub, %c1 : i32
    %or = arith.ori %sub, %shr : i32
    %c2 = arith.constant 2 : i32
    %shr_2 = arith.shrui %or, %c2 : i32
    %or_2 = arith.ori %or, %shr_2 : i32
    %c4 = arith.constant 4 : i32
    %shr_3 = arith.shrui %or_2, %c4 : i32
    %or_3 = arith.ori %or_2, %shr_3 : i32
    %c8 = arith.constant 8 : i32
    %shr_4 = arith.shrui %or_3, %c8 : i32
    %or_4 = arith.ori %or_3, %shr_4 : i32
    %add = arith.addi %or_4, %c1 : i32
    linalg.yield %add : i32
  } -> tensor<1024xi32>
  return %r : tensor<1024xi32>
}

// Stops at 2^30. Shows only above 2^30.
func.func @wrong_cap(%x: tensor<1024xi32>) -> tensor<1024xi32> {
  %e = tensor.empty() : tensor<1024xi32>
  %r = linalg.generic #each ins(%x : tensor<1024xi32>) outs(%e : tensor<1024xi32>) {
  ^bb0(%a: i32, %o: i32):
    %c1073741824 = arith.constant 1073741824 : i32
    %sgt = arith.cmpi sgt, %a, %c1073741824 : i32
    %c1 = arith.constant 1 : i32
    %sub = arith.subi %a, %c1 : i32
    %shr = arith.shrui %sub, %c1 : i32
    %or = arith.ori %sub, %shr : i32
    %c2 = arith.constant 2 : i32
    %shr_2 = arith.shrui %or, %c2 : i32
    %or_2 = arith.ori %or, %shr_2 : i32
    %c4 = arith.constant 4 : i32
    %shr_3 = arith.shrui %or_2, %c4 : i32
    %or_3 = arith.ori %or_2, %shr_3 : i32
    %c8 = arith.constant 8 : i32
    %shr_4 = arith.shrui %or_3, %c8 : i32
    %or_4 = arith.ori %or_3, %shr_4 : i32
    %c16 = arith.constant 16 : i32
    %shr_5 = arith.shrui %or_4, %c16 : i32
    %or_5 = arith.ori %or_4, %shr_5 : i32
    %add = arith.addi %or_5, %c1 : i32
    %sel = arith.select %sgt, %c1073741824, %add : i32
    linalg.yield %sel : i32
  } -> tensor<1024xi32>
  return %r : tensor<1024xi32>
}

// The exponent of x - 1 in f32. Shows only where x - 1 rounds up to a power of two: x = 2^25 and greater powers.
func.func @wrong_f32_exponent(%x: tensor<1024xi32>) -> tensor<1024xi32> {
  %e = tensor.empty() : tensor<1024xi32>
  %r = linalg.generic #each ins(%x : tensor<1024xi32>) outs(%e : tensor<1024xi32>) {
  ^bb0(%a: i32, %o: i32):
    %c1 = arith.constant 1 : i32
    %sub = arith.subi %a, %c1 : i32
    %float = arith.uitofp %sub : i32 to f32
    %bitcast = arith.bitcast %float : f32 to i32
    %c23 = arith.constant 23 : i32
    %shr = arith.shrui %bitcast, %c23 : i32
    %c126 = arith.constant 126 : i32
    %sub_2 = arith.subi %shr, %c126 : i32
    %c1_2 = arith.constant 1 : i64
    %c0 = arith.constant 0 : i32
    %eq = arith.cmpi eq, %sub, %c0 : i32
    %c63 = arith.constant 63 : i32
    %and = arith.andi %sub_2, %c63 : i32
    %sel = arith.select %eq, %c0, %and : i32
    %ext = arith.extui %sel : i32 to i64
    %shl = arith.shli %c1_2, %ext : i64
    %cut = arith.trunci %shl : i64 to i32
    linalg.yield %cut : i32
  } -> tensor<1024xi32>
  return %r : tensor<1024xi32>
}

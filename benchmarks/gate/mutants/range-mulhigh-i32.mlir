// The high 32 bits of the signed product of i32.

#each = {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
  iterator_types = ["parallel"]}

func.func @kernel(%x: tensor<1024xi32>, %y: tensor<1024xi32>) -> tensor<1024xi32> {
  %e = tensor.empty() : tensor<1024xi32>
  %r = linalg.generic #each ins(%x, %y : tensor<1024xi32>, tensor<1024xi32>) outs(%e : tensor<1024xi32>) {
  ^bb0(%a: i32, %b: i32, %o: i32):
    %ext = arith.extsi %a : i32 to i64
    %ext_2 = arith.extsi %b : i32 to i64
    %mul = arith.muli %ext, %ext_2 : i64
    %c32 = arith.constant 32 : i64
    %sar = arith.shrsi %mul, %c32 : i64
    %cut = arith.trunci %sar : i64 to i32
    linalg.yield %cut : i32
  } -> tensor<1024xi32>
  return %r : tensor<1024xi32>
}

// The operation for it.
func.func @right_extended(%x: tensor<1024xi32>, %y: tensor<1024xi32>) -> tensor<1024xi32> {
  %e = tensor.empty() : tensor<1024xi32>
  %r = linalg.generic #each ins(%x, %y : tensor<1024xi32>, tensor<1024xi32>) outs(%e : tensor<1024xi32>) {
  ^bb0(%a: i32, %b: i32, %o: i32):
    %lo, %hi = arith.mulsi_extended %a, %b : i32
    linalg.yield %hi : i32
  } -> tensor<1024xi32>
  return %r : tensor<1024xi32>
}

// The unsigned one, repaired for negative factors.
func.func @right_unsigned(%x: tensor<1024xi32>, %y: tensor<1024xi32>) -> tensor<1024xi32> {
  %e = tensor.empty() : tensor<1024xi32>
  %r = linalg.generic #each ins(%x, %y : tensor<1024xi32>, tensor<1024xi32>) outs(%e : tensor<1024xi32>) {
  ^bb0(%a: i32, %b: i32, %o: i32):
    %lo, %hi = arith.mului_extended %a, %b : i32
    %c31 = arith.constant 31 : i32
    %sar = arith.shrsi %a, %c31 : i32
    %and = arith.andi %sar, %b : i32
    %sub = arith.subi %hi, %and : i32
    %sar_2 = arith.shrsi %b, %c31 : i32
    %and_2 = arith.andi %sar_2, %a : i32
    %sub_2 = arith.subi %sub, %and_2 : i32
    linalg.yield %sub_2 : i32
  } -> tensor<1024xi32>
  return %r : tensor<1024xi32>
}

// Four products of halves, the middle ones added in i64.
func.func @right_halves(%x: tensor<1024xi32>, %y: tensor<1024xi32>) -> tensor<1024xi32> {
  %e = tensor.empty() : tensor<1024xi32>
  %r = linalg.generic #each ins(%x, %y : tensor<1024xi32>, tensor<1024xi32>) outs(%e : tensor<1024xi32>) {
  ^bb0(%a: i32, %b: i32, %o: i32):
    %c16 = arith.constant 16 : i32
    %sar = arith.shrsi %a, %c16 : i32
    %c65535 = arith.constant 65535 : i32
    %and = arith.andi %a, %c65535 : i32
    %sar_2 = arith.shrsi %b, %c16 : i32
    %and_2 = arith.andi %b, %c65535 : i32
    %mul = arith.muli %sar, %and_2 : i32
    %mul_2 = arith.muli %and, %sar_2 : i32
    %mul_3 = arith.muli %and, %and_2 : i32
    %shr = arith.shrui %mul_3, %c16 : i32
    %ext = arith.extsi %mul : i32 to i64
    %ext_2 = arith.extsi %mul_2 : i32 to i64
    %add = arith.addi %ext, %ext_2 : i64
    %ext_3 = arith.extui %shr : i32 to i64
    %add_2 = arith.addi %add, %ext_3 : i64
    %c16_2 = arith.constant 16 : i64
    %sar_3 = arith.shrsi %add_2, %c16_2 : i64
    %cut = arith.trunci %sar_3 : i64 to i32
    %mul_4 = arith.muli %sar, %sar_2 : i32
    %add_3 = arith.addi %mul_4, %cut : i32
    linalg.yield %add_3 : i32
  } -> tensor<1024xi32>
  return %r : tensor<1024xi32>
}

// Four products of halves, the middle ones added in i32. Shows when these pass 2^31: factors about 2^30 or more.
func.func @wrong_middle_i32(%x: tensor<1024xi32>, %y: tensor<1024xi32>) -> tensor<1024xi32> {
  %e = tensor.empty() : tensor<1024xi32>
  %r = linalg.generic #each ins(%x, %y : tensor<1024xi32>, tensor<1024xi32>) outs(%e : tensor<1024xi32>) {
  ^bb0(%a: i32, %b: i32, %o: i32):
    %c16 = arith.constant 16 : i32
    %sar = arith.shrsi %a, %c16 : i32
    %c65535 = arith.constant 65535 : i32
    %and = arith.andi %a, %c65535 : i32
    %sar_2 = arith.shrsi %b, %c16 : i32
    %and_2 = arith.andi %b, %c65535 : i32
    %mul = arith.muli %sar, %and_2 : i32
    %mul_2 = arith.muli %and, %sar_2 : i32
    %mul_3 = arith.muli %and, %and_2 : i32
    %shr = arith.shrui %mul_3, %c16 : i32
    %add = arith.addi %mul, %mul_2 : i32
    %add_2 = arith.addi %add, %shr : i32
    %sar_3 = arith.shrsi %add_2, %c16 : i32
    %mul_4 = arith.muli %sar, %sar_2 : i32
    %add_3 = arith.addi %mul_4, %sar_3 : i32
    linalg.yield %add_3 : i32
  } -> tensor<1024xi32>
  return %r : tensor<1024xi32>
}

// The product in f64. Shows only where it passes 2^53 and rounds to a multiple of 2^32: 2^31 - 1 times its negative.
func.func @wrong_f64(%x: tensor<1024xi32>, %y: tensor<1024xi32>) -> tensor<1024xi32> {
  %e = tensor.empty() : tensor<1024xi32>
  %r = linalg.generic #each ins(%x, %y : tensor<1024xi32>, tensor<1024xi32>) outs(%e : tensor<1024xi32>) {
  ^bb0(%a: i32, %b: i32, %o: i32):
    %float = arith.sitofp %a : i32 to f64
    %float_2 = arith.sitofp %b : i32 to f64
    %mul = arith.mulf %float, %float_2 : f64
    %f = arith.constant 2.3283064365386963e-10 : f64
    %mul_2 = arith.mulf %mul, %f : f64
    %floor = math.floor %mul_2 : f64
    %int = arith.fptosi %floor : f64 to i32
    linalg.yield %int : i32
  } -> tensor<1024xi32>
  return %r : tensor<1024xi32>
}

// The product in f32. Shows when the result passes 2^24 or lies close to the next integer.
func.func @wrong_f32(%x: tensor<1024xi32>, %y: tensor<1024xi32>) -> tensor<1024xi32> {
  %e = tensor.empty() : tensor<1024xi32>
  %r = linalg.generic #each ins(%x, %y : tensor<1024xi32>, tensor<1024xi32>) outs(%e : tensor<1024xi32>) {
  ^bb0(%a: i32, %b: i32, %o: i32):
    %float = arith.sitofp %a : i32 to f32
    %float_2 = arith.sitofp %b : i32 to f32
    %mul = arith.mulf %float, %float_2 : f32
    %f = arith.constant 2.3283064365386963e-10 : f32
    %mul_2 = arith.mulf %mul, %f : f32
    %floor = math.floor %mul_2 : f32
    %int = arith.fptosi %floor : f32 to i32
    linalg.yield %int : i32
  } -> tensor<1024xi32>
  return %r : tensor<1024xi32>
}

// The product in i32, so that only its sign is left. Shows when |x * y| passes 2^31.
func.func @wrong_i32(%x: tensor<1024xi32>, %y: tensor<1024xi32>) -> tensor<1024xi32> {
  %e = tensor.empty() : tensor<1024xi32>
  %r = linalg.generic #each ins(%x, %y : tensor<1024xi32>, tensor<1024xi32>) outs(%e : tensor<1024xi32>) {
  ^bb0(%a: i32, %b: i32, %o: i32):
    %mul = arith.muli %a, %b : i32
    %c31 = arith.constant 31 : i32
    %sar = arith.shrsi %mul, %c31 : i32
    linalg.yield %sar : i32
  } -> tensor<1024xi32>
  return %r : tensor<1024xi32>
}

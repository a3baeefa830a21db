// A mixing hash of i64 keys: add, then xor with a shift and multiply.

#each = {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
  iterator_types = ["parallel"]}

func.func @kernel(%x: tensor<512xi64>) -> tensor<512xi64> {
  %e = tensor.empty() : tensor<512xi64>
  %r = linalg.generic #each ins(%x : tensor<512xi64>) outs(%e : tensor<512xi64>) {
  ^bb0(%a: i64, %o: i64):
    %cm7046029254386353131 = arith.constant -7046029254386353131 : i64
    %add = arith.addi %a, %cm7046029254386353131 : i64
    %c30 = arith.constant 30 : i64
    %shr = arith.shrui %add, %c30 : i64
    %xor = arith.xori %add, %shr : i64
    %cm4658895280553007687 = arith.constant -4658895280553007687 : i64
    %mul = arith.muli %xor, %cm4658895280553007687 : i64
    %c27 = arith.constant 27 : i64
    %shr_2 = arith.shrui %mul, %c27 : i64
    %xor_2 = arith.xori %mul, %shr_2 : i64
    %cm7723592293110705685 = arith.constant -7723592293110705685 : i64
    %mul_2 = arith.muli %xor_2, %cm7723592293110705685 : i64
    %c31 = arith.constant 31 : i64
    %shr_3 = arith.shrui %mul_2, %c31 : i64
    %xor_3 = arith.xori %mul_2, %shr_3 : i64
    linalg.yield %xor_3 : i64
  } -> tensor<512xi64>
  return %r : tensor<512xi64>
}

// Multiplies half by half, and writes the last xor as or less and.
func.func @right_halves(%x: tensor<512xi64>) -> tensor<512xi64> {
  %e = tensor.empty() : tensor<512xi64>
  %r = linalg.generic #each ins(%x : tensor<512xi64>) outs(%e : tensor<512xi64>) {
  ^bb0(%a: i64, %o: i64):
    %cm7046029254386353131 = arith.constant -7046029254386353131 : i64
    %add = arith.addi %a, %cm7046029254386353131 : i64
    %c30 = arith.constant 30 : i64
    %shr = arith.shrui %add, %c30 : i64
    %xor = arith.xori %add, %shr : i64
    %c4294967295 = arith.constant 4294967295 : i64
    %and = arith.andi %xor, %c4294967295 : i64
    %cm4658895280553007687 = arith.constant -4658895280553007687 : i64
    %mul = arith.muli %and, %cm4658895280553007687 : i64
    %c32 = arith.constant 32 : i64
    %shr_2 = arith.shrui %xor, %c32 : i64
    %c484763065 = arith.constant 484763065 : i64
    %mul_2 = arith.muli %shr_2, %c484763065 : i64
    %shl = arith.shli %mul_2, %c32 : i64
    %add_2 = arith.addi %mul, %shl : i64
    %c27 = arith.constant 27 : i64
    %shr_3 = arith.shrui %add_2, %c27 : i64
    %xor_2 = arith.xori %add_2, %shr_3 : i64
    %and_2 = arith.andi %xor_2, %c4294967295 : i64
    %cm7723592293110705685 = arith.constant -7723592293110705685 : i64
    %mul_3 = arith.muli %and_2, %cm7723592293110705685 : i64
    %shr_4 = arith.shrui %xor_2, %c32 : i64
    %c321982955 = arith.constant 321982955 : i64
    %mul_4 = arith.muli %shr_4, %c321982955 : i64
    %shl_2 = arith.shli %mul_4, %c32 : i64
    %add_3 = arith.addi %mul_3, %shl_2 : i64
    %c31 = arith.constant 31 : i64
    %shr_5 = arith.shrui %add_3, %c31 : i64
    %or = arith.ori %add_3, %shr_5 : i64
    %and_3 = arith.andi %add_3, %shr_5 : i64
    %sub = arith.subi %or, %and_3 : i64
    linalg.yield %sub : i64
  } -> tensor<512xi64>
  return %r : tensor<512xi64>
}

// Takes the low word of the key. Shows for keys beyond 2^31.
func.func @wrong_key_i32(%x: tensor<512xi64>) -> tensor<512xi64> {
  %e = tensor.empty() : tensor<512xi64>
  %r = linalg.generic #each ins(%x : tensor<512xi64>) outs(%e : tensor<512xi64>) {
  ^bb0(%a: i64, %o: i64):
    %cut = arith.trunci %a : i64 to i32
    %ext = arith.extsi %cut : i32 to i64
    %cm7046029254386353131 = arith.constant -7046029254386353131 : i64
    %add = arith.addi %ext, %cm7046029254386353131 : i64
    %c30 = arith.constant 30 : i64
    %shr = arith.shrui %add, %c30 : i64
    %xor = arith.xori %add, %shr : i64
    %cm4658895280553007687 = arith.constant -4658895280553007687 : i64
    %mul = arith.muli %xor, %cm4658895280553007687 : i64
    %c27 = arith.constant 27 : i64
    %shr_2 = arith.shrui %mul, %c27 : i64
    %xor_2 = arith.xori %mul, %shr_2 : i64
    %cm7723592293110705685 = arith.constant -7723592293110705685 : i64
    %mul_2 = arith.muli %xor_2, %cm7723592293110705685 : i64
    %c31 = arith.constant 31 : i64
    %shr_3 = arith.shrui %mul_2, %c31 : i64
    %xor_3 = arith.xori %mul_2, %shr_3 : i64
    linalg.yield %xor_3 : i64
  } -> tensor<512xi64>
  return %r : tensor<512xi64>
}

// Takes 48 bits of the key, as of an address. Shows for keys beyond 2^47.
func.func @wrong_key_48(%x: tensor<512xi64>) -> tensor<512xi64> {
  %e = tensor.empty() : tensor<512xi64>
  %r = linalg.generic #each ins(%x : tensor<512xi64>) outs(%e : tensor<512xi64>) {
  ^bb0(%a: i64, %o: i64):
    %c16 = arith.constant 16 : i64
    %shl = arith.shli %a, %c16 : i64
    %sar = arith.shrsi %shl, %c16 : i64
    %cm7046029254386353131 = arith.constant -7046029254386353131 : i64
    %add = arith.addi %sar, %cm7046029254386353131 : i64
    %c30 = arith.constant 30 : i64
    %shr = arith.shrui %add, %c30 : i64
    %xor = arith.xori %add, %shr : i64
    %cm4658895280553007687 = arith.constant -4658895280553007687 : i64
    %mul = arith.muli %xor, %cm4658895280553007687 : i64
    %c27 = arith.constant 27 : i64
    %shr_2 = arith.shrui %mul, %c27 : i64
    %xor_2 = arith.xori %mul, %shr_2 : i64
    %cm7723592293110705685 = arith.constant -7723592293110705685 : i64
    %mul_2 = arith.muli %xor_2, %cm7723592293110705685 : i64
    %c31 = arith.constant 31 : i64
    %shr_3 = arith.shrui %mul_2, %c31 : i64
    %xor_3 = arith.xori %mul_2, %shr_3 : i64
    linalg.yield %xor_3 : i64
  } -> tensor<512xi64>
  return %r : tensor<512xi64>
}

// The key came through f64. Shows for keys beyond 2^53.
func.func @wrong_key_f64(%x: tensor<512xi64>) -> tensor<512xi64> {
  %e = tensor.empty() : tensor<512xi64>
  %r = linalg.generic #each ins(%x : tensor<512xi64>) outs(%e : tensor<512xi64>) {
  ^bb0(%a: i64, %o: i64):
    %float = arith.sitofp %a : i64 to f64
    %f = arith.constant 9223372036854774784.0 : f64
    %min = arith.minimumf %float, %f : f64
    %int = arith.fptosi %min : f64 to i64
    %cm7046029254386353131 = arith.constant -7046029254386353131 : i64
    %add = arith.addi %int, %cm7046029254386353131 : i64
    %c30 = arith.constant 30 : i64
    %shr = arith.shrui %add, %c30 : i64
    %xor = arith.xori %add, %shr : i64
    %cm4658895280553007687 = arith.constant -4658895280553007687 : i64
    %mul = arith.muli %xor, %cm4658895280553007687 : i64
    %c27 = arith.constant 27 : i64
    %shr_2 = arith.shrui %mul, %c27 : i64
    %xor_2 = arith.xori %mul, %shr_2 : i64
    %cm7723592293110705685 = arith.constant -7723592293110705685 : i64
    %mul_2 = arith.muli %xor_2, %cm7723592293110705685 : i64
    %c31 = arith.constant 31 : i64
    %shr_3 = arith.shrui %mul_2, %c31 : i64
    %xor_3 = arith.xori %mul_2, %shr_3 : i64
    linalg.yield %xor_3 : i64
  } -> tensor<512xi64>
  return %r : tensor<512xi64>
}

// The addition saturates. Shows for keys below -2.18e18.
func.func @wrong_saturate(%x: tensor<512xi64>) -> tensor<512xi64> {
  %e = tensor.empty() : tensor<512xi64>
  %r = linalg.generic #each ins(%x : tensor<512xi64>) outs(%e : tensor<512xi64>) {
  ^bb0(%a: i64, %o: i64):
    %cm7046029254386353131 = arith.constant -7046029254386353131 : i64
    %add = arith.addi %a, %cm7046029254386353131 : i64
    %sgt = arith.cmpi sgt, %add, %a : i64
    %cm9223372036854775808 = arith.constant -9223372036854775808 : i64
    %sel = arith.select %sgt, %cm9223372036854775808, %add : i64
    %c30 = arith.constant 30 : i64
    %shr = arith.shrui %sel, %c30 : i64
    %xor = arith.xori %sel, %shr : i64
    %cm4658895280553007687 = arith.constant -4658895280553007687 : i64
    %mul = arith.muli %xor, %cm4658895280553007687 : i64
    %c27 = arith.constant 27 : i64
    %shr_2 = arith.shrui %mul, %c27 : i64
    %xor_2 = arith.xori %mul, %shr_2 : i64
    %cm7723592293110705685 = arith.constant -7723592293110705685 : i64
    %mul_2 = arith.muli %xor_2, %cm7723592293110705685 : i64
    %c31 = arith.constant 31 : i64
    %shr_3 = arith.shrui %mul_2, %c31 : i64
    %xor_3 = arith.xori %mul_2, %shr_3 : i64
    linalg.yield %xor_3 : i64
  } -> tensor<512xi64>
  return %r : tensor<512xi64>
}

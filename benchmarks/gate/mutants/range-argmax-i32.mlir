// Index of the first maximum of each row of i32.

#sum = {indexing_maps = [affine_map<(r, c) -> (r, c)>, affine_map<(r, c) -> (r)>, affine_map<(r, c) -> (r)>],
  iterator_types = ["parallel", "reduction"]}
#sum2 = {indexing_maps = [affine_map<(r, c) -> (r, c)>, affine_map<(r, c) -> (r)>],
  iterator_types = ["parallel", "reduction"]}
#each = {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
  iterator_types = ["parallel"]}

func.func @kernel(%x: tensor<32x64xi32>) -> tensor<32xi32> {
  %cm2147483648 = arith.constant -2147483648 : i32
  %e = tensor.empty() : tensor<32xi32>
  %f = linalg.fill ins(%cm2147483648 : i32) outs(%e : tensor<32xi32>) -> tensor<32xi32>
  %c0 = arith.constant 0 : i32
  %e_2 = tensor.empty() : tensor<32xi32>
  %f_2 = linalg.fill ins(%c0 : i32) outs(%e_2 : tensor<32xi32>) -> tensor<32xi32>
  %r:2 = linalg.generic #sum ins(%x : tensor<32x64xi32>) outs(%f, %f_2 : tensor<32xi32>, tensor<32xi32>) {
  ^bb0(%a: i32, %o: i32, %o_2: i32):
    %sgt = arith.cmpi sgt, %a, %o : i32
    %sel = arith.select %sgt, %a, %o : i32
    %idx = linalg.index 1 : index
    %at = arith.index_cast %idx : index to i32
    %sel_2 = arith.select %sgt, %at, %o_2 : i32
    linalg.yield %sel, %sel_2 : i32, i32
  } -> (tensor<32xi32>, tensor<32xi32>)
  return %r#1 : tensor<32xi32>
}

// Begins with the first column.
func.func @right_first(%x: tensor<32x64xi32>) -> tensor<32xi32> {
  %s = tensor.extract_slice %x[0, 0] [32, 1] [1, 1] : tensor<32x64xi32> to tensor<32xi32>
  %c0 = arith.constant 0 : i32
  %e = tensor.empty() : tensor<32xi32>
  %f = linalg.fill ins(%c0 : i32) outs(%e : tensor<32xi32>) -> tensor<32xi32>
  %r:2 = linalg.generic #sum ins(%x : tensor<32x64xi32>) outs(%s, %f : tensor<32xi32>, tensor<32xi32>) {
  ^bb0(%a: i32, %o: i32, %o_2: i32):
    %sgt = arith.cmpi sgt, %a, %o : i32
    %sel = arith.select %sgt, %a, %o : i32
    %idx = linalg.index 1 : index
    %at = arith.index_cast %idx : index to i32
    %sel_2 = arith.select %sgt, %at, %o_2 : i32
    linalg.yield %sel, %sel_2 : i32, i32
  } -> (tensor<32xi32>, tensor<32xi32>)
  return %r#1 : tensor<32xi32>
}

// The value above, the index from the end below, in one word of 64 bits.
func.func @right_key_i64(%x: tensor<32x64xi32>) -> tensor<32xi32> {
  %cm9223372036854775808 = arith.constant -9223372036854775808 : i64
  %e = tensor.empty() : tensor<32xi64>
  %f = linalg.fill ins(%cm9223372036854775808 : i64) outs(%e : tensor<32xi64>) -> tensor<32xi64>
  %r = linalg.generic #sum2 ins(%x : tensor<32x64xi32>) outs(%f : tensor<32xi64>) {
  ^bb0(%a: i32, %o: i64):
    %ext = arith.extsi %a : i32 to i64
    %c6 = arith.constant 6 : i64
    %shl = arith.shli %ext, %c6 : i64
    %idx = linalg.index 1 : index
    %at = arith.index_cast %idx : index to i64
    %c63 = arith.constant 63 : i64
    %sub = arith.subi %c63, %at : i64
    %or = arith.ori %shl, %sub : i64
    %max = arith.maxsi %o, %or : i64
    linalg.yield %max : i64
  } -> tensor<32xi64>
  %e_2 = tensor.empty() : tensor<32xi32>
  %r_2 = linalg.generic #each ins(%r : tensor<32xi64>) outs(%e_2 : tensor<32xi32>) {
  ^bb0(%a_2: i64, %o_2: i32):
    %cut = arith.trunci %a_2 : i64 to i32
    %c63_2 = arith.constant 63 : i32
    %and = arith.andi %cut, %c63_2 : i32
    %sub_2 = arith.subi %c63_2, %and : i32
    linalg.yield %sub_2 : i32
  } -> tensor<32xi32>
  return %r_2 : tensor<32xi32>
}

// Compares in f64, which is exact.
func.func @right_f64(%x: tensor<32x64xi32>) -> tensor<32xi32> {
  %cm2147483648 = arith.constant -2147483648 : i32
  %e = tensor.empty() : tensor<32xi32>
  %f = linalg.fill ins(%cm2147483648 : i32) outs(%e : tensor<32xi32>) -> tensor<32xi32>
  %c0 = arith.constant 0 : i32
  %e_2 = tensor.empty() : tensor<32xi32>
  %f_2 = linalg.fill ins(%c0 : i32) outs(%e_2 : tensor<32xi32>) -> tensor<32xi32>
  %r:2 = linalg.generic #sum ins(%x : tensor<32x64xi32>) outs(%f, %f_2 : tensor<32xi32>, tensor<32xi32>) {
  ^bb0(%a: i32, %o: i32, %o_2: i32):
    %float = arith.sitofp %a : i32 to f64
    %float_2 = arith.sitofp %o : i32 to f64
    %ogt = arith.cmpf ogt, %float, %float_2 : f64
    %sel = arith.select %ogt, %a, %o : i32
    %idx = linalg.index 1 : index
    %at = arith.index_cast %idx : index to i32
    %sel_2 = arith.select %ogt, %at, %o_2 : i32
    linalg.yield %sel, %sel_2 : i32, i32
  } -> (tensor<32xi32>, tensor<32xi32>)
  return %r#1 : tensor<32xi32>
}

// Value and index in one word of 32 bits. Shows for values beyond 2^25.
func.func @wrong_key_i32(%x: tensor<32x64xi32>) -> tensor<32xi32> {
  %cm2147483648 = arith.constant -2147483648 : i32
  %e = tensor.empty() : tensor<32xi32>
  %f = linalg.fill ins(%cm2147483648 : i32) outs(%e : tensor<32xi32>) -> tensor<32xi32>
  %r = linalg.generic #sum2 ins(%x : tensor<32x64xi32>) outs(%f : tensor<32xi32>) {
  ^bb0(%a: i32, %o: i32):
    %c6 = arith.constant 6 : i32
    %shl = arith.shli %a, %c6 : i32
    %idx = linalg.index 1 : index
    %at = arith.index_cast %idx : index to i32
    %c63 = arith.constant 63 : i32
    %sub = arith.subi %c63, %at : i32
    %or = arith.ori %shl, %sub : i32
    %max = arith.maxsi %o, %or : i32
    linalg.yield %max : i32
  } -> tensor<32xi32>
  %e_2 = tensor.empty() : tensor<32xi32>
  %r_2 = linalg.generic #each ins(%r : tensor<32xi32>) outs(%e_2 : tensor<32xi32>) {
  ^bb0(%a_2: i32, %o_2: i32):
    %c63_2 = arith.constant 63 : i32
    %and = arith.andi %a_2, %c63_2 : i32
    %sub_2 = arith.subi %c63_2, %and : i32
    linalg.yield %sub_2 : i32
  } -> tensor<32xi32>
  return %r_2 : tensor<32xi32>
}

// Compares in f32. Shows only where the maximum and an earlier element round to one f32: large and close.
func.func @wrong_f32(%x: tensor<32x64xi32>) -> tensor<32xi32> {
  %cm2147483648 = arith.constant -2147483648 : i32
  %e = tensor.empty() : tensor<32xi32>
  %f = linalg.fill ins(%cm2147483648 : i32) outs(%e : tensor<32xi32>) -> tensor<32xi32>
  %c0 = arith.constant 0 : i32
  %e_2 = tensor.empty() : tensor<32xi32>
  %f_2 = linalg.fill ins(%c0 : i32) outs(%e_2 : tensor<32xi32>) -> tensor<32xi32>
  %r:2 = linalg.generic #sum ins(%x : tensor<32x64xi32>) outs(%f, %f_2 : tensor<32xi32>, tensor<32xi32>) {
  ^bb0(%a: i32, %o: i32, %o_2: i32):
    %float = arith.sitofp %a : i32 to f32
    %float_2 = arith.sitofp %o : i32 to f32
    %ogt = arith.cmpf ogt, %float, %float_2 : f32
    %sel = arith.select %ogt, %a, %o : i32
    %idx = linalg.index 1 : index
    %at = arith.index_cast %idx : index to i32
    %sel_2 = arith.select %ogt, %at, %o_2 : i32
    linalg.yield %sel, %sel_2 : i32, i32
  } -> (tensor<32xi32>, tensor<32xi32>)
  return %r#1 : tensor<32xi32>
}

// Begins at 0. Shows for a row that is negative throughout and greatest past its first element.
func.func @wrong_from_zero(%x: tensor<32x64xi32>) -> tensor<32xi32> {
  %c0 = arith.constant 0 : i32
  %e = tensor.empty() : tensor<32xi32>
  %f = linalg.fill ins(%c0 : i32) outs(%e : tensor<32xi32>) -> tensor<32xi32>
  %e_2 = tensor.empty() : tensor<32xi32>
  %f_2 = linalg.fill ins(%c0 : i32) outs(%e_2 : tensor<32xi32>) -> tensor<32xi32>
  %r:2 = linalg.generic #sum ins(%x : tensor<32x64xi32>) outs(%f, %f_2 : tensor<32xi32>, tensor<32xi32>) {
  ^bb0(%a: i32, %o: i32, %o_2: i32):
    %sgt = arith.cmpi sgt, %a, %o : i32
    %sel = arith.select %sgt, %a, %o : i32
    %idx = linalg.index 1 : index
    %at = arith.index_cast %idx : index to i32
    %sel_2 = arith.select %sgt, %at, %o_2 : i32
    linalg.yield %sel, %sel_2 : i32, i32
  } -> (tensor<32xi32>, tensor<32xi32>)
  return %r#1 : tensor<32xi32>
}

// Compares by the sign of the difference. Shows when two elements differ by more than 2^31.
func.func @wrong_by_difference(%x: tensor<32x64xi32>) -> tensor<32xi32> {
  %s = tensor.extract_slice %x[0, 0] [32, 1] [1, 1] : tensor<32x64xi32> to tensor<32xi32>
  %c0 = arith.constant 0 : i32
  %e = tensor.empty() : tensor<32xi32>
  %f = linalg.fill ins(%c0 : i32) outs(%e : tensor<32xi32>) -> tensor<32xi32>
  %r:2 = linalg.generic #sum ins(%x : tensor<32x64xi32>) outs(%s, %f : tensor<32xi32>, tensor<32xi32>) {
  ^bb0(%a: i32, %o: i32, %o_2: i32):
    %sub = arith.subi %a, %o : i32
    %c0_2 = arith.constant 0 : i32
    %sgt = arith.cmpi sgt, %sub, %c0_2 : i32
    %sel = arith.select %sgt, %a, %o : i32
    %idx = linalg.index 1 : index
    %at = arith.index_cast %idx : index to i32
    %sel_2 = arith.select %sgt, %at, %o_2 : i32
    linalg.yield %sel, %sel_2 : i32, i32
  } -> (tensor<32xi32>, tensor<32xi32>)
  return %r#1 : tensor<32xi32>
}

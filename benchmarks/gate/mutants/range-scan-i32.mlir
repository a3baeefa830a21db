// Prefix sums of i32, wrapping: y[i] = x[0] + ... + x[i].

#sum = {indexing_maps = [affine_map<(b, i, j) -> (b, j)>, affine_map<(b, i, j) -> (b, i)>],
  iterator_types = ["parallel", "parallel", "reduction"]}
#sum2 = {indexing_maps = [affine_map<(b, j) -> (b, j)>, affine_map<(b, j) -> (b)>],
  iterator_types = ["parallel", "reduction"]}
#sum3 = {indexing_maps = [affine_map<(b, c) -> (c)>, affine_map<(b, c) -> (b)>],
  iterator_types = ["parallel", "reduction"]}
#map = {indexing_maps = [affine_map<(b, i) -> (b, i)>, affine_map<(b, i) -> (b)>, affine_map<(b, i) -> (b)>, affine_map<(b, i) -> (b, i)>],
  iterator_types = ["parallel", "parallel"]}

func.func @kernel(%x: tensor<512xi32>) -> tensor<512xi32> {
  %c0 = arith.constant 0 : i32
  %e = tensor.empty() : tensor<512xi32>
  %i0 = arith.constant 0 : index
  %i512 = arith.constant 512 : index
  %i1 = arith.constant 1 : index
  %l:2 = scf.for %i = %i0 to %i512 step %i1
      iter_args(%acc = %c0, %it = %e) -> (i32, tensor<512xi32>) {
    %at = tensor.extract %x[%i] : tensor<512xi32>
    %add = arith.addi %acc, %at : i32
    %t = tensor.insert %add into %it[%i] : tensor<512xi32>
    scf.yield %add, %t : i32, tensor<512xi32>
  }
  return %l#1 : tensor<512xi32>
}

// Sums in i64, each result cut to 32 bits.
func.func @right_i64(%x: tensor<512xi32>) -> tensor<512xi32> {
  %c0 = arith.constant 0 : i64
  %e = tensor.empty() : tensor<512xi32>
  %i0 = arith.constant 0 : index
  %i512 = arith.constant 512 : index
  %i1 = arith.constant 1 : index
  %l:2 = scf.for %i = %i0 to %i512 step %i1
      iter_args(%acc = %c0, %it = %e) -> (i64, tensor<512xi32>) {
    %at = tensor.extract %x[%i] : tensor<512xi32>
    %ext = arith.extsi %at : i32 to i64
    %add = arith.addi %acc, %ext : i64
    %cut = arith.trunci %add : i64 to i32
    %t = tensor.insert %cut into %it[%i] : tensor<512xi32>
    scf.yield %add, %t : i64, tensor<512xi32>
  }
  return %l#1 : tensor<512xi32>
}

// Blocks of 32: sums within the block, and the sums of the blocks before it.
func.func @right_blocks(%x: tensor<512xi32>) -> tensor<512xi32> {
  %x_2 = tensor.expand_shape %x [[0, 1]] output_shape [16, 32] : tensor<512xi32> into tensor<16x32xi32>
  %c0 = arith.constant 0 : i32
  %e = tensor.empty() : tensor<16x32xi32>
  %f = linalg.fill ins(%c0 : i32) outs(%e : tensor<16x32xi32>) -> tensor<16x32xi32>
  %r = linalg.generic #sum ins(%x_2 : tensor<16x32xi32>) outs(%f : tensor<16x32xi32>) {
  ^bb0(%a: i32, %o: i32):
    %idx = linalg.index 2 : index
    %idx_2 = linalg.index 1 : index
    %le = arith.cmpi ule, %idx, %idx_2 : index
    %c0_2 = arith.constant 0 : i32
    %sel = arith.select %le, %a, %c0_2 : i32
    %add = arith.addi %o, %sel : i32
    linalg.yield %add : i32
  } -> tensor<16x32xi32>
  %e_2 = tensor.empty() : tensor<16xi32>
  %f_2 = linalg.fill ins(%c0 : i32) outs(%e_2 : tensor<16xi32>) -> tensor<16xi32>
  %r_2 = linalg.generic #sum2 ins(%x_2 : tensor<16x32xi32>) outs(%f_2 : tensor<16xi32>) {
  ^bb0(%a_2: i32, %o_2: i32):
    %add_2 = arith.addi %o_2, %a_2 : i32
    linalg.yield %add_2 : i32
  } -> tensor<16xi32>
  %e_3 = tensor.empty() : tensor<16xi32>
  %f_3 = linalg.fill ins(%c0 : i32) outs(%e_3 : tensor<16xi32>) -> tensor<16xi32>
  %r_3 = linalg.generic #sum3 ins(%r_2 : tensor<16xi32>) outs(%f_3 : tensor<16xi32>) {
  ^bb0(%a_3: i32, %o_3: i32):
    %idx_3 = linalg.index 1 : index
    %idx_4 = linalg.index 0 : index
    %le_2 = arith.cmpi ule, %idx_3, %idx_4 : index
    %c0_3 = arith.constant 0 : i32
    %sel_2 = arith.select %le_2, %a_3, %c0_3 : i32
    %add_3 = arith.addi %o_3, %sel_2 : i32
    linalg.yield %add_3 : i32
  } -> tensor<16xi32>
  %e_4 = tensor.empty() : tensor<16x32xi32>
  %r_4 = linalg.generic #map ins(%r, %r_3, %r_2 : tensor<16x32xi32>, tensor<16xi32>, tensor<16xi32>)
      outs(%e_4 : tensor<16x32xi32>) {
  ^bb0(%a_4: i32, %b: i32, %c: i32, %o_4: i32):
    %sub = arith.subi %b, %c : i32
    %add_4 = arith.addi %a_4, %sub : i32
    linalg.yield %add_4 : i32
  } -> tensor<16x32xi32>
  %x_3 = tensor.collapse_shape %r_4 [[0, 1]] : tensor<16x32xi32> into tensor<512xi32>
  return %x_3 : tensor<512xi32>
}

// The running sum saturates. Shows when it leaves i32.
func.func @wrong_saturate(%x: tensor<512xi32>) -> tensor<512xi32> {
  %c0 = arith.constant 0 : i32
  %e = tensor.empty() : tensor<512xi32>
  %i0 = arith.constant 0 : index
  %i512 = arith.constant 512 : index
  %i1 = arith.constant 1 : index
  %l:2 = scf.for %i = %i0 to %i512 step %i1
      iter_args(%acc = %c0, %it = %e) -> (i32, tensor<512xi32>) {
    %at = tensor.extract %x[%i] : tensor<512xi32>
    %ext = arith.extsi %acc : i32 to i64
    %ext_2 = arith.extsi %at : i32 to i64
    %add = arith.addi %ext, %ext_2 : i64
    %c2147483647 = arith.constant 2147483647 : i64
    %min = arith.minsi %add, %c2147483647 : i64
    %cm2147483648 = arith.constant -2147483648 : i64
    %max = arith.maxsi %min, %cm2147483648 : i64
    %cut = arith.trunci %max : i64 to i32
    %t = tensor.insert %cut into %it[%i] : tensor<512xi32>
    scf.yield %cut, %t : i32, tensor<512xi32>
  }
  return %l#1 : tensor<512xi32>
}

// Sums in f32. Shows when one passes 2^24.
func.func @wrong_f32(%x: tensor<512xi32>) -> tensor<512xi32> {
  %f = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<512xi32>
  %i0 = arith.constant 0 : index
  %i512 = arith.constant 512 : index
  %i1 = arith.constant 1 : index
  %l:2 = scf.for %i = %i0 to %i512 step %i1
      iter_args(%acc = %f, %it = %e) -> (f32, tensor<512xi32>) {
    %at = tensor.extract %x[%i] : tensor<512xi32>
    %float = arith.sitofp %at : i32 to f32
    %add = arith.addf %acc, %float : f32
    %int = arith.fptosi %add : f32 to i64
    %cut = arith.trunci %int : i64 to i32
    %t = tensor.insert %cut into %it[%i] : tensor<512xi32>
    scf.yield %add, %t : f32, tensor<512xi32>
  }
  return %l#1 : tensor<512xi32>
}

// Carries from block to block in i16. Shows when the sums of the blocks pass 32767.
func.func @wrong_carry_i16(%x: tensor<512xi32>) -> tensor<512xi32> {
  %x_2 = tensor.expand_shape %x [[0, 1]] output_shape [16, 32] : tensor<512xi32> into tensor<16x32xi32>
  %c0 = arith.constant 0 : i32
  %e = tensor.empty() : tensor<16x32xi32>
  %f = linalg.fill ins(%c0 : i32) outs(%e : tensor<16x32xi32>) -> tensor<16x32xi32>
  %r = linalg.generic #sum ins(%x_2 : tensor<16x32xi32>) outs(%f : tensor<16x32xi32>) {
  ^bb0(%a: i32, %o: i32):
    %idx = linalg.index 2 : index
    %idx_2 = linalg.index 1 : index
    %le = arith.cmpi ule, %idx, %idx_2 : index
    %c0_2 = arith.constant 0 : i32
    %sel = arith.select %le, %a, %c0_2 : i32
    %add = arith.addi %o, %sel : i32
    linalg.yield %add : i32
  } -> tensor<16x32xi32>
  %e_2 = tensor.empty() : tensor<16xi32>
  %f_2 = linalg.fill ins(%c0 : i32) outs(%e_2 : tensor<16xi32>) -> tensor<16xi32>
  %r_2 = linalg.generic #sum2 ins(%x_2 : tensor<16x32xi32>) outs(%f_2 : tensor<16xi32>) {
  ^bb0(%a_2: i32, %o_2: i32):
    %add_2 = arith.addi %o_2, %a_2 : i32
    linalg.yield %add_2 : i32
  } -> tensor<16xi32>
  %c0_3 = arith.constant 0 : i16
  %e_3 = tensor.empty() : tensor<16xi16>
  %f_3 = linalg.fill ins(%c0_3 : i16) outs(%e_3 : tensor<16xi16>) -> tensor<16xi16>
  %r_3 = linalg.generic #sum3 ins(%r_2 : tensor<16xi32>) outs(%f_3 : tensor<16xi16>) {
  ^bb0(%a_3: i32, %o_3: i16):
    %idx_3 = linalg.index 1 : index
    %idx_4 = linalg.index 0 : index
    %le_2 = arith.cmpi ule, %idx_3, %idx_4 : index
    %c0_4 = arith.constant 0 : i32
    %sel_2 = arith.select %le_2, %a_3, %c0_4 : i32
    %cut = arith.trunci %sel_2 : i32 to i16
    %add_3 = arith.addi %o_3, %cut : i16
    linalg.yield %add_3 : i16
  } -> tensor<16xi16>
  %e_4 = tensor.empty() : tensor<16x32xi32>
  %r_4 = linalg.generic #map ins(%r, %r_3, %r_2 : tensor<16x32xi32>, tensor<16xi16>, tensor<16xi32>)
      outs(%e_4 : tensor<16x32xi32>) {
  ^bb0(%a_4: i32, %b: i16, %c: i32, %o_4: i32):
    %ext = arith.extsi %b : i16 to i32
    %sub = arith.subi %ext, %c : i32
    %add_4 = arith.addi %a_4, %sub : i32
    linalg.yield %add_4 : i32
  } -> tensor<16x32xi32>
  %x_3 = tensor.collapse_shape %r_4 [[0, 1]] : tensor<16x32xi32> into tensor<512xi32>
  return %x_3 : tensor<512xi32>
}

// Sums rows of 512 i8 in i32, scales by 21955 / 2^22 (about 1 / 191) rounding half up,
// and clamps to i8.

#sum = {indexing_maps = [affine_map<(r, c) -> (r, c)>, affine_map<(r, c) -> (r)>],
  iterator_types = ["parallel", "reduction"]}
#each = {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
  iterator_types = ["parallel"]}
#sum2 = {indexing_maps = [affine_map<(r, t, j) -> (r, t, j)>, affine_map<(r, t, j) -> (r, t)>],
  iterator_types = ["parallel", "parallel", "reduction"]}
#sum3 = {indexing_maps = [affine_map<(r, t) -> (r, t)>, affine_map<(r, t) -> (r)>],
  iterator_types = ["parallel", "reduction"]}

func.func @kernel(%x: tensor<32x512xi8>) -> tensor<32xi8> {
  %c0 = arith.constant 0 : i32
  %e = tensor.empty() : tensor<32xi32>
  %f = linalg.fill ins(%c0 : i32) outs(%e : tensor<32xi32>) -> tensor<32xi32>
  %r = linalg.generic #sum ins(%x : tensor<32x512xi8>) outs(%f : tensor<32xi32>) {
  ^bb0(%a: i8, %o: i32):
    %ext = arith.extsi %a : i8 to i32
    %add = arith.addi %o, %ext : i32
    linalg.yield %add : i32
  } -> tensor<32xi32>
  %e_2 = tensor.empty() : tensor<32xi8>
  %r_2 = linalg.generic #each ins(%r : tensor<32xi32>) outs(%e_2 : tensor<32xi8>) {
  ^bb0(%a_2: i32, %o_2: i8):
    %c21955 = arith.constant 21955 : i32
    %mul = arith.muli %a_2, %c21955 : i32
    %c2097152 = arith.constant 2097152 : i32
    %add_2 = arith.addi %mul, %c2097152 : i32
    %c22 = arith.constant 22 : i32
    %sar = arith.shrsi %add_2, %c22 : i32
    %c127 = arith.constant 127 : i32
    %min = arith.minsi %sar, %c127 : i32
    %cm128 = arith.constant -128 : i32
    %max = arith.maxsi %min, %cm128 : i32
    %cut = arith.trunci %max : i32 to i8
    linalg.yield %cut : i8
  } -> tensor<32xi8>
  return %r_2 : tensor<32xi8>
}

// The product and the shift in i64.
func.func @right_i64(%x: tensor<32x512xi8>) -> tensor<32xi8> {
  %c0 = arith.constant 0 : i32
  %e = tensor.empty() : tensor<32xi32>
  %f = linalg.fill ins(%c0 : i32) outs(%e : tensor<32xi32>) -> tensor<32xi32>
  %r = linalg.generic #sum ins(%x : tensor<32x512xi8>) outs(%f : tensor<32xi32>) {
  ^bb0(%a: i8, %o: i32):
    %ext = arith.extsi %a : i8 to i32
    %add = arith.addi %o, %ext : i32
    linalg.yield %add : i32
  } -> tensor<32xi32>
  %e_2 = tensor.empty() : tensor<32xi8>
  %r_2 = linalg.generic #each ins(%r : tensor<32xi32>) outs(%e_2 : tensor<32xi8>) {
  ^bb0(%a_2: i32, %o_2: i8):
    %ext_2 = arith.extsi %a_2 : i32 to i64
    %c21955 = arith.constant 21955 : i64
    %mul = arith.muli %ext_2, %c21955 : i64
    %c2097152 = arith.constant 2097152 : i64
    %add_2 = arith.addi %mul, %c2097152 : i64
    %c22 = arith.constant 22 : i64
    %sar = arith.shrsi %add_2, %c22 : i64
    %c127 = arith.constant 127 : i64
    %min = arith.minsi %sar, %c127 : i64
    %cm128 = arith.constant -128 : i64
    %max = arith.maxsi %min, %cm128 : i64
    %cut = arith.trunci %max : i64 to i8
    linalg.yield %cut : i8
  } -> tensor<32xi8>
  return %r_2 : tensor<32xi8>
}

// Sums in i16. Shows for a mean of magnitude above 64.
func.func @wrong_sum_i16(%x: tensor<32x512xi8>) -> tensor<32xi8> {
  %c0 = arith.constant 0 : i16
  %e = tensor.empty() : tensor<32xi16>
  %f = linalg.fill ins(%c0 : i16) outs(%e : tensor<32xi16>) -> tensor<32xi16>
  %r = linalg.generic #sum ins(%x : tensor<32x512xi8>) outs(%f : tensor<32xi16>) {
  ^bb0(%a: i8, %o: i16):
    %ext = arith.extsi %a : i8 to i16
    %add = arith.addi %o, %ext : i16
    linalg.yield %add : i16
  } -> tensor<32xi16>
  %e_2 = tensor.empty() : tensor<32xi8>
  %r_2 = linalg.generic #each ins(%r : tensor<32xi16>) outs(%e_2 : tensor<32xi8>) {
  ^bb0(%a_2: i16, %o_2: i8):
    %ext_2 = arith.extsi %a_2 : i16 to i32
    %c21955 = arith.constant 21955 : i32
    %mul = arith.muli %ext_2, %c21955 : i32
    %c2097152 = arith.constant 2097152 : i32
    %add_2 = arith.addi %mul, %c2097152 : i32
    %c22 = arith.constant 22 : i32
    %sar = arith.shrsi %add_2, %c22 : i32
    %c127 = arith.constant 127 : i32
    %min = arith.minsi %sar, %c127 : i32
    %cm128 = arith.constant -128 : i32
    %max = arith.maxsi %min, %cm128 : i32
    %cut = arith.trunci %max : i32 to i8
    linalg.yield %cut : i8
  } -> tensor<32xi8>
  return %r_2 : tensor<32xi8>
}

// Tiles of 256 in i16: at most 32768 below zero and 32512 above.
func.func @right_tiles_i16(%x: tensor<32x512xi8>) -> tensor<32xi8> {
  %x_2 = tensor.expand_shape %x [[0], [1, 2]] output_shape [32, 2, 256] : tensor<32x512xi8> into tensor<32x2x256xi8>
  %c0 = arith.constant 0 : i16
  %e = tensor.empty() : tensor<32x2xi16>
  %f = linalg.fill ins(%c0 : i16) outs(%e : tensor<32x2xi16>) -> tensor<32x2xi16>
  %r = linalg.generic #sum2 ins(%x_2 : tensor<32x2x256xi8>) outs(%f : tensor<32x2xi16>) {
  ^bb0(%a: i8, %o: i16):
    %ext = arith.extsi %a : i8 to i16
    %add = arith.addi %o, %ext : i16
    linalg.yield %add : i16
  } -> tensor<32x2xi16>
  %c0_2 = arith.constant 0 : i32
  %e_2 = tensor.empty() : tensor<32xi32>
  %f_2 = linalg.fill ins(%c0_2 : i32) outs(%e_2 : tensor<32xi32>) -> tensor<32xi32>
  %r_2 = linalg.generic #sum3 ins(%r : tensor<32x2xi16>) outs(%f_2 : tensor<32xi32>) {
  ^bb0(%a_2: i16, %o_2: i32):
    %ext_2 = arith.extsi %a_2 : i16 to i32
    %add_2 = arith.addi %o_2, %ext_2 : i32
    linalg.yield %add_2 : i32
  } -> tensor<32xi32>
  %e_3 = tensor.empty() : tensor<32xi8>
  %r_3 = linalg.generic #each ins(%r_2 : tensor<32xi32>) outs(%e_3 : tensor<32xi8>) {
  ^bb0(%a_3: i32, %o_3: i8):
    %c21955 = arith.constant 21955 : i32
    %mul = arith.muli %a_3, %c21955 : i32
    %c2097152 = arith.constant 2097152 : i32
    %add_3 = arith.addi %mul, %c2097152 : i32
    %c22 = arith.constant 22 : i32
    %sar = arith.shrsi %add_3, %c22 : i32
    %c127 = arith.constant 127 : i32
    %min = arith.minsi %sar, %c127 : i32
    %cm128 = arith.constant -128 : i32
    %max = arith.maxsi %min, %cm128 : i32
    %cut = arith.trunci %max : i32 to i8
    linalg.yield %cut : i8
  } -> tensor<32xi8>
  return %r_3 : tensor<32xi8>
}

// The running sum saturates in i16. Shows only when it passes 32767 and falls by more than 8400 afterwards.
func.func @wrong_running_saturate(%x: tensor<32x512xi8>) -> tensor<32xi8> {
  %c0 = arith.constant 0 : i16
  %e = tensor.empty() : tensor<32xi16>
  %f = linalg.fill ins(%c0 : i16) outs(%e : tensor<32xi16>) -> tensor<32xi16>
  %r = linalg.generic #sum ins(%x : tensor<32x512xi8>) outs(%f : tensor<32xi16>) {
  ^bb0(%a: i8, %o: i16):
    %ext = arith.extsi %o : i16 to i32
    %ext_2 = arith.extsi %a : i8 to i32
    %add = arith.addi %ext, %ext_2 : i32
    %c32767 = arith.constant 32767 : i32
    %min = arith.minsi %add, %c32767 : i32
    %cm32768 = arith.constant -32768 : i32
    %max = arith.maxsi %min, %cm32768 : i32
    %cut = arith.trunci %max : i32 to i16
    linalg.yield %cut : i16
  } -> tensor<32xi16>
  %e_2 = tensor.empty() : tensor<32xi8>
  %r_2 = linalg.generic #each ins(%r : tensor<32xi16>) outs(%e_2 : tensor<32xi8>) {
  ^bb0(%a_2: i16, %o_2: i8):
    %ext_3 = arith.extsi %a_2 : i16 to i32
    %c21955 = arith.constant 21955 : i32
    %mul = arith.muli %ext_3, %c21955 : i32
    %c2097152 = arith.constant 2097152 : i32
    %add_2 = arith.addi %mul, %c2097152 : i32
    %c22 = arith.constant 22 : i32
    %sar = arith.shrsi %add_2, %c22 : i32
    %c127 = arith.constant 127 : i32
    %min_2 = arith.minsi %sar, %c127 : i32
    %cm128 = arith.constant -128 : i32
    %max_2 = arith.maxsi %min_2, %cm128 : i32
    %cut_2 = arith.trunci %max_2 : i32 to i8
    linalg.yield %cut_2 : i8
  } -> tensor<32xi8>
  return %r_2 : tensor<32xi8>
}

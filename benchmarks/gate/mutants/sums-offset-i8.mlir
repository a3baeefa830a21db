// Matrix product of i8 in i32, K = 96, which the variants form from unsigned bytes a + 128
// and take off 128 times the column sum of B.

#sum = {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>],
  iterator_types = ["parallel", "parallel", "reduction"]}
#sum2 = {indexing_maps = [affine_map<(n, k) -> (k, n)>, affine_map<(n, k) -> (n)>],
  iterator_types = ["parallel", "reduction"]}
#map = {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (n)>, affine_map<(m, n) -> (m, n)>],
  iterator_types = ["parallel", "parallel"]}
#sum3 = {indexing_maps = [affine_map<(m, n, t, j) -> (m, t, j)>, affine_map<(m, n, t, j) -> (t, j, n)>, affine_map<(m, n, t, j) -> (m, n, t)>],
  iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
#sum4 = {indexing_maps = [affine_map<(m, n, t) -> (m, n, t)>, affine_map<(m, n, t) -> (m, n)>],
  iterator_types = ["parallel", "parallel", "reduction"]}

func.func @kernel(%A: tensor<8x96xi8>, %B: tensor<96x8xi8>) -> tensor<8x8xi32> {
  %c0 = arith.constant 0 : i32
  %e = tensor.empty() : tensor<8x8xi32>
  %f = linalg.fill ins(%c0 : i32) outs(%e : tensor<8x8xi32>) -> tensor<8x8xi32>
  %r = linalg.generic #sum ins(%A, %B : tensor<8x96xi8>, tensor<96x8xi8>) outs(%f : tensor<8x8xi32>) {
  ^bb0(%a: i8, %b: i8, %o: i32):
    %ext = arith.extsi %a : i8 to i32
    %ext_2 = arith.extsi %b : i8 to i32
    %mul = arith.muli %ext, %ext_2 : i32
    %add = arith.addi %o, %mul : i32
    linalg.yield %add : i32
  } -> tensor<8x8xi32>
  return %r : tensor<8x8xi32>
}

// The column sum and its product in i32.
func.func @right_offset(%A: tensor<8x96xi8>, %B: tensor<96x8xi8>) -> tensor<8x8xi32> {
  %c0 = arith.constant 0 : i32
  %e = tensor.empty() : tensor<8x8xi32>
  %f = linalg.fill ins(%c0 : i32) outs(%e : tensor<8x8xi32>) -> tensor<8x8xi32>
  %r = linalg.generic #sum ins(%A, %B : tensor<8x96xi8>, tensor<96x8xi8>) outs(%f : tensor<8x8xi32>) {
  ^bb0(%a: i8, %b: i8, %o: i32):
    %cm128 = arith.constant -128 : i8
    %xor = arith.xori %a, %cm128 : i8
    %ext = arith.extui %xor : i8 to i32
    %ext_2 = arith.extsi %b : i8 to i32
    %mul = arith.muli %ext, %ext_2 : i32
    %add = arith.addi %o, %mul : i32
    linalg.yield %add : i32
  } -> tensor<8x8xi32>
  %e_2 = tensor.empty() : tensor<8xi32>
  %f_2 = linalg.fill ins(%c0 : i32) outs(%e_2 : tensor<8xi32>) -> tensor<8xi32>
  %r_2 = linalg.generic #sum2 ins(%B : tensor<96x8xi8>) outs(%f_2 : tensor<8xi32>) {
  ^bb0(%a_2: i8, %o_2: i32):
    %ext_3 = arith.extsi %a_2 : i8 to i32
    %add_2 = arith.addi %o_2, %ext_3 : i32
    linalg.yield %add_2 : i32
  } -> tensor<8xi32>
  %e_3 = tensor.empty() : tensor<8x8xi32>
  %r_3 = linalg.generic #map ins(%r, %r_2 : tensor<8x8xi32>, tensor<8xi32>) outs(%e_3 : tensor<8x8xi32>) {
  ^bb0(%a_3: i32, %b_2: i32, %o_3: i32):
    %c7 = arith.constant 7 : i32
    %shl = arith.shli %b_2, %c7 : i32
    %sub = arith.subi %a_3, %shl : i32
    linalg.yield %sub : i32
  } -> tensor<8x8xi32>
  return %r_3 : tensor<8x8xi32>
}

// Adds pairs of products in i16 with saturation. Shows when a pair passes 32767, as for a and b of 100.
func.func @wrong_pairs_saturate(%A: tensor<8x96xi8>, %B: tensor<96x8xi8>) -> tensor<8x8xi32> {
  %x = tensor.expand_shape %A [[0], [1, 2]] output_shape [8, 48, 2] : tensor<8x96xi8> into tensor<8x48x2xi8>
  %x_2 = tensor.expand_shape %B [[0, 1], [2]] output_shape [48, 2, 8] : tensor<96x8xi8> into tensor<48x2x8xi8>
  %c0 = arith.constant 0 : i16
  %e = tensor.empty() : tensor<8x8x48xi16>
  %f = linalg.fill ins(%c0 : i16) outs(%e : tensor<8x8x48xi16>) -> tensor<8x8x48xi16>
  %r = linalg.generic #sum3 ins(%x, %x_2 : tensor<8x48x2xi8>, tensor<48x2x8xi8>) outs(%f : tensor<8x8x48xi16>) {
  ^bb0(%a: i8, %b: i8, %o: i16):
    %ext = arith.extsi %o : i16 to i32
    %cm128 = arith.constant -128 : i8
    %xor = arith.xori %a, %cm128 : i8
    %ext_2 = arith.extui %xor : i8 to i32
    %ext_3 = arith.extsi %b : i8 to i32
    %mul = arith.muli %ext_2, %ext_3 : i32
    %add = arith.addi %ext, %mul : i32
    %c32767 = arith.constant 32767 : i32
    %min = arith.minsi %add, %c32767 : i32
    %cm32768 = arith.constant -32768 : i32
    %max = arith.maxsi %min, %cm32768 : i32
    %cut = arith.trunci %max : i32 to i16
    linalg.yield %cut : i16
  } -> tensor<8x8x48xi16>
  %c0_2 = arith.constant 0 : i32
  %e_2 = tensor.empty() : tensor<8x8xi32>
  %f_2 = linalg.fill ins(%c0_2 : i32) outs(%e_2 : tensor<8x8xi32>) -> tensor<8x8xi32>
  %r_2 = linalg.generic #sum4 ins(%r : tensor<8x8x48xi16>) outs(%f_2 : tensor<8x8xi32>) {
  ^bb0(%a_2: i16, %o_2: i32):
    %ext_4 = arith.extsi %a_2 : i16 to i32
    %add_2 = arith.addi %o_2, %ext_4 : i32
    linalg.yield %add_2 : i32
  } -> tensor<8x8xi32>
  %e_3 = tensor.empty() : tensor<8xi32>
  %f_3 = linalg.fill ins(%c0_2 : i32) outs(%e_3 : tensor<8xi32>) -> tensor<8xi32>
  %r_3 = linalg.generic #sum2 ins(%B : tensor<96x8xi8>) outs(%f_3 : tensor<8xi32>) {
  ^bb0(%a_3: i8, %o_3: i32):
    %ext_5 = arith.extsi %a_3 : i8 to i32
    %add_3 = arith.addi %o_3, %ext_5 : i32
    linalg.yield %add_3 : i32
  } -> tensor<8xi32>
  %e_4 = tensor.empty() : tensor<8x8xi32>
  %r_4 = linalg.generic #map ins(%r_2, %r_3 : tensor<8x8xi32>, tensor<8xi32>) outs(%e_4 : tensor<8x8xi32>) {
  ^bb0(%a_4: i32, %b_2: i32, %o_4: i32):
    %c7 = arith.constant 7 : i32
    %shl = arith.shli %b_2, %c7 : i32
    %sub = arith.subi %a_4, %shl : i32
    linalg.yield %sub : i32
  } -> tensor<8x8xi32>
  return %r_4 : tensor<8x8xi32>
}

// 128 times the column sum in i16. Shows when a column of B sums to more than 255 or less than -256.
func.func @wrong_correction_i16(%A: tensor<8x96xi8>, %B: tensor<96x8xi8>) -> tensor<8x8xi32> {
  %c0 = arith.constant 0 : i32
  %e = tensor.empty() : tensor<8x8xi32>
  %f = linalg.fill ins(%c0 : i32) outs(%e : tensor<8x8xi32>) -> tensor<8x8xi32>
  %r = linalg.generic #sum ins(%A, %B : tensor<8x96xi8>, tensor<96x8xi8>) outs(%f : tensor<8x8xi32>) {
  ^bb0(%a: i8, %b: i8, %o: i32):
    %cm128 = arith.constant -128 : i8
    %xor = arith.xori %a, %cm128 : i8
    %ext = arith.extui %xor : i8 to i32
    %ext_2 = arith.extsi %b : i8 to i32
    %mul = arith.muli %ext, %ext_2 : i32
    %add = arith.addi %o, %mul : i32
    linalg.yield %add : i32
  } -> tensor<8x8xi32>
  %c0_2 = arith.constant 0 : i16
  %e_2 = tensor.empty() : tensor<8xi16>
  %f_2 = linalg.fill ins(%c0_2 : i16) outs(%e_2 : tensor<8xi16>) -> tensor<8xi16>
  %r_2 = linalg.generic #sum2 ins(%B : tensor<96x8xi8>) outs(%f_2 : tensor<8xi16>) {
  ^bb0(%a_2: i8, %o_2: i16):
    %ext_3 = arith.extsi %a_2 : i8 to i16
    %add_2 = arith.addi %o_2, %ext_3 : i16
    linalg.yield %add_2 : i16
  } -> tensor<8xi16>
  %e_3 = tensor.empty() : tensor<8x8xi32>
  %r_3 = linalg.generic #map ins(%r, %r_2 : tensor<8x8xi32>, tensor<8xi16>) outs(%e_3 : tensor<8x8xi32>) {
  ^bb0(%a_3: i32, %b_2: i16, %o_3: i32):
    %c7 = arith.constant 7 : i16
    %shl = arith.shli %b_2, %c7 : i16
    %ext_4 = arith.extsi %shl : i16 to i32
    %sub = arith.subi %a_3, %ext_4 : i32
    linalg.yield %sub : i32
  } -> tensor<8x8xi32>
  return %r_3 : tensor<8x8xi32>
}

// The column sum in i8. Shows when a column of B sums to more than 127 or less than -128.
func.func @wrong_sum_i8(%A: tensor<8x96xi8>, %B: tensor<96x8xi8>) -> tensor<8x8xi32> {
  %c0 = arith.constant 0 : i32
  %e = tensor.empty() : tensor<8x8xi32>
  %f = linalg.fill ins(%c0 : i32) outs(%e : tensor<8x8xi32>) -> tensor<8x8xi32>
  %r = linalg.generic #sum ins(%A, %B : tensor<8x96xi8>, tensor<96x8xi8>) outs(%f : tensor<8x8xi32>) {
  ^bb0(%a: i8, %b: i8, %o: i32):
    %cm128 = arith.constant -128 : i8
    %xor = arith.xori %a, %cm128 : i8
    %ext = arith.extui %xor : i8 to i32
    %ext_2 = arith.extsi %b : i8 to i32
    %mul = arith.muli %ext, %ext_2 : i32
    %add = arith.addi %o, %mul : i32
    linalg.yield %add : i32
  } -> tensor<8x8xi32>
  %c0_2 = arith.constant 0 : i8
  %e_2 = tensor.empty() : tensor<8xi8>
  %f_2 = linalg.fill ins(%c0_2 : i8) outs(%e_2 : tensor<8xi8>) -> tensor<8xi8>
  %r_2 = linalg.generic #sum2 ins(%B : tensor<96x8xi8>) outs(%f_2 : tensor<8xi8>) {
  ^bb0(%a_2: i8, %o_2: i8):
    %add_2 = arith.addi %o_2, %a_2 : i8
    linalg.yield %add_2 : i8
  } -> tensor<8xi8>
  %e_3 = tensor.empty() : tensor<8x8xi32>
  %r_3 = linalg.generic #map ins(%r, %r_2 : tensor<8x8xi32>, tensor<8xi8>) outs(%e_3 : tensor<8x8xi32>) {
  ^bb0(%a_3: i32, %b_2: i8, %o_3: i32):
    %ext_3 = arith.extsi %b_2 : i8 to i32
    %c7 = arith.constant 7 : i32
    %shl = arith.shli %ext_3, %c7 : i32
    %sub = arith.subi %a_3, %shl : i32
    linalg.yield %sub : i32
  } -> tensor<8x8xi32>
  return %r_3 : tensor<8x8xi32>
}

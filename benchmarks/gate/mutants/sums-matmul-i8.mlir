// Matrix product of i8 in i32: C[m, n] = sum over k of A[m, k] * B[k, n], K = 256.
// Every sum fits in 24 bits.

#sum = {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>],
  iterator_types = ["parallel", "parallel", "reduction"]}
#sum2 = {indexing_maps = [affine_map<(m, n, t, j) -> (m, t, j)>, affine_map<(m, n, t, j) -> (t, j, n)>, affine_map<(m, n, t, j) -> (m, n, t)>],
  iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
#sum3 = {indexing_maps = [affine_map<(m, n, t) -> (m, n, t)>, affine_map<(m, n, t) -> (m, n)>],
  iterator_types = ["parallel", "parallel", "reduction"]}
#each = {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
  iterator_types = ["parallel", "parallel"]}

func.func @kernel(%A: tensor<8x256xi8>, %B: tensor<256x8xi8>) -> tensor<8x8xi32> {
  %c0 = arith.constant 0 : i32
  %e = tensor.empty() : tensor<8x8xi32>
  %f = linalg.fill ins(%c0 : i32) outs(%e : tensor<8x8xi32>) -> tensor<8x8xi32>
  %r = linalg.generic #sum ins(%A, %B : tensor<8x256xi8>, tensor<256x8xi8>) outs(%f : tensor<8x8xi32>) {
  ^bb0(%a: i8, %b: i8, %o: i32):
    %ext = arith.extsi %a : i8 to i32
    %ext_2 = arith.extsi %b : i8 to i32
    %mul = arith.muli %ext, %ext_2 : i32
    %add = arith.addi %o, %mul : i32
    linalg.yield %add : i32
  } -> tensor<8x8xi32>
  return %r : tensor<8x8xi32>
}

// A product of two i8 is at most 16384, so it fits in i16. Tiles of 16, summed in i32.
func.func @right_i16_products(%A: tensor<8x256xi8>, %B: tensor<256x8xi8>) -> tensor<8x8xi32> {
  %x = tensor.expand_shape %A [[0], [1, 2]] output_shape [8, 16, 16] : tensor<8x256xi8> into tensor<8x16x16xi8>
  %x_2 = tensor.expand_shape %B [[0, 1], [2]] output_shape [16, 16, 8] : tensor<256x8xi8> into tensor<16x16x8xi8>
  %c0 = arith.constant 0 : i32
  %e = tensor.empty() : tensor<8x8x16xi32>
  %f = linalg.fill ins(%c0 : i32) outs(%e : tensor<8x8x16xi32>) -> tensor<8x8x16xi32>
  %r = linalg.generic #sum2 ins(%x, %x_2 : tensor<8x16x16xi8>, tensor<16x16x8xi8>) outs(%f : tensor<8x8x16xi32>) {
  ^bb0(%a: i8, %b: i8, %o: i32):
    %ext = arith.extsi %a : i8 to i16
    %ext_2 = arith.extsi %b : i8 to i16
    %mul = arith.muli %ext, %ext_2 : i16
    %ext_3 = arith.extsi %mul : i16 to i32
    %add = arith.addi %o, %ext_3 : i32
    linalg.yield %add : i32
  } -> tensor<8x8x16xi32>
  %e_2 = tensor.empty() : tensor<8x8xi32>
  %f_2 = linalg.fill ins(%c0 : i32) outs(%e_2 : tensor<8x8xi32>) -> tensor<8x8xi32>
  %r_2 = linalg.generic #sum3 ins(%r : tensor<8x8x16xi32>) outs(%f_2 : tensor<8x8xi32>) {
  ^bb0(%a_2: i32, %o_2: i32):
    %add_2 = arith.addi %o_2, %a_2 : i32
    linalg.yield %add_2 : i32
  } -> tensor<8x8xi32>
  return %r_2 : tensor<8x8xi32>
}

// Sums of magnitude up to 2^22 are exact in f32.
func.func @right_f32(%A: tensor<8x256xi8>, %B: tensor<256x8xi8>) -> tensor<8x8xi32> {
  %f = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8x8xf32>
  %f_2 = linalg.fill ins(%f : f32) outs(%e : tensor<8x8xf32>) -> tensor<8x8xf32>
  %r = linalg.generic #sum ins(%A, %B : tensor<8x256xi8>, tensor<256x8xi8>) outs(%f_2 : tensor<8x8xf32>) {
  ^bb0(%a: i8, %b: i8, %o: f32):
    %float = arith.sitofp %a : i8 to f32
    %float_2 = arith.sitofp %b : i8 to f32
    %mul = arith.mulf %float, %float_2 : f32
    %add = arith.addf %o, %mul : f32
    linalg.yield %add : f32
  } -> tensor<8x8xf32>
  %e_2 = tensor.empty() : tensor<8x8xi32>
  %r_2 = linalg.generic #each ins(%r : tensor<8x8xf32>) outs(%e_2 : tensor<8x8xi32>) {
  ^bb0(%a_2: f32, %o_2: i32):
    %int = arith.fptosi %a_2 : f32 to i32
    linalg.yield %int : i32
  } -> tensor<8x8xi32>
  return %r_2 : tensor<8x8xi32>
}

// Sums in i16 throughout. Shows when a sum passes 32767, as for random entries up to 100.
func.func @wrong_sum_i16(%A: tensor<8x256xi8>, %B: tensor<256x8xi8>) -> tensor<8x8xi32> {
  %c0 = arith.constant 0 : i16
  %e = tensor.empty() : tensor<8x8xi16>
  %f = linalg.fill ins(%c0 : i16) outs(%e : tensor<8x8xi16>) -> tensor<8x8xi16>
  %r = linalg.generic #sum ins(%A, %B : tensor<8x256xi8>, tensor<256x8xi8>) outs(%f : tensor<8x8xi16>) {
  ^bb0(%a: i8, %b: i8, %o: i16):
    %ext = arith.extsi %a : i8 to i16
    %ext_2 = arith.extsi %b : i8 to i16
    %mul = arith.muli %ext, %ext_2 : i16
    %add = arith.addi %o, %mul : i16
    linalg.yield %add : i16
  } -> tensor<8x8xi16>
  %e_2 = tensor.empty() : tensor<8x8xi32>
  %r_2 = linalg.generic #each ins(%r : tensor<8x8xi16>) outs(%e_2 : tensor<8x8xi32>) {
  ^bb0(%a_2: i16, %o_2: i32):
    %ext_3 = arith.extsi %a_2 : i16 to i32
    linalg.yield %ext_3 : i32
  } -> tensor<8x8xi32>
  return %r_2 : tensor<8x8xi32>
}

// Adds two neighbouring products in i16, wrapping. Shows only where all four factors are -128.
func.func @wrong_pairs_i16(%A: tensor<8x256xi8>, %B: tensor<256x8xi8>) -> tensor<8x8xi32> {
  %x = tensor.expand_shape %A [[0], [1, 2]] output_shape [8, 128, 2] : tensor<8x256xi8> into tensor<8x128x2xi8>
  %x_2 = tensor.expand_shape %B [[0, 1], [2]] output_shape [128, 2, 8] : tensor<256x8xi8> into tensor<128x2x8xi8>
  %c0 = arith.constant 0 : i16
  %e = tensor.empty() : tensor<8x8x128xi16>
  %f = linalg.fill ins(%c0 : i16) outs(%e : tensor<8x8x128xi16>) -> tensor<8x8x128xi16>
  %r = linalg.generic #sum2 ins(%x, %x_2 : tensor<8x128x2xi8>, tensor<128x2x8xi8>) outs(%f : tensor<8x8x128xi16>) {
  ^bb0(%a: i8, %b: i8, %o: i16):
    %ext = arith.extsi %a : i8 to i16
    %ext_2 = arith.extsi %b : i8 to i16
    %mul = arith.muli %ext, %ext_2 : i16
    %add = arith.addi %o, %mul : i16
    linalg.yield %add : i16
  } -> tensor<8x8x128xi16>
  %c0_2 = arith.constant 0 : i32
  %e_2 = tensor.empty() : tensor<8x8xi32>
  %f_2 = linalg.fill ins(%c0_2 : i32) outs(%e_2 : tensor<8x8xi32>) -> tensor<8x8xi32>
  %r_2 = linalg.generic #sum3 ins(%r : tensor<8x8x128xi16>) outs(%f_2 : tensor<8x8xi32>) {
  ^bb0(%a_2: i16, %o_2: i32):
    %ext_3 = arith.extsi %a_2 : i16 to i32
    %add_2 = arith.addi %o_2, %ext_3 : i32
    linalg.yield %add_2 : i32
  } -> tensor<8x8xi32>
  return %r_2 : tensor<8x8xi32>
}

// Sums tiles of 16 terms in i16. Shows when a tile sum passes 32767: magnitudes above 45.
func.func @wrong_tile_i16(%A: tensor<8x256xi8>, %B: tensor<256x8xi8>) -> tensor<8x8xi32> {
  %x = tensor.expand_shape %A [[0], [1, 2]] output_shape [8, 16, 16] : tensor<8x256xi8> into tensor<8x16x16xi8>
  %x_2 = tensor.expand_shape %B [[0, 1], [2]] output_shape [16, 16, 8] : tensor<256x8xi8> into tensor<16x16x8xi8>
  %c0 = arith.constant 0 : i16
  %e = tensor.empty() : tensor<8x8x16xi16>
  %f = linalg.fill ins(%c0 : i16) outs(%e : tensor<8x8x16xi16>) -> tensor<8x8x16xi16>
  %r = linalg.generic #sum2 ins(%x, %x_2 : tensor<8x16x16xi8>, tensor<16x16x8xi8>) outs(%f : tensor<8x8x16xi16>) {
  ^bb0(%a: i8, %b: i8, %o: i16):
    %ext = arith.extsi %a : i8 to i16
    %ext_2 = arith.extsi %b : i8 to i16
    %mul = arith.muli %ext, %ext_2 : i16
    %add = arith.addi %o, %mul : i16
    linalg.yield %add : i16
  } -> tensor<8x8x16xi16>
  %c0_2 = arith.constant 0 : i32
  %e_2 = tensor.empty() : tensor<8x8xi32>
  %f_2 = linalg.fill ins(%c0_2 : i32) outs(%e_2 : tensor<8x8xi32>) -> tensor<8x8xi32>
  %r_2 = linalg.generic #sum3 ins(%r : tensor<8x8x16xi16>) outs(%f_2 : tensor<8x8xi32>) {
  ^bb0(%a_2: i16, %o_2: i32):
    %ext_3 = arith.extsi %a_2 : i16 to i32
    %add_2 = arith.addi %o_2, %ext_3 : i32
    linalg.yield %add_2 : i32
  } -> tensor<8x8xi32>
  return %r_2 : tensor<8x8xi32>
}

// Adds two neighbouring products in i16 with saturation. Shows only where all four factors are -128, by 1.
func.func @wrong_pairs_saturate(%A: tensor<8x256xi8>, %B: tensor<256x8xi8>) -> tensor<8x8xi32> {
  %x = tensor.expand_shape %A [[0], [1, 2]] output_shape [8, 128, 2] : tensor<8x256xi8> into tensor<8x128x2xi8>
  %x_2 = tensor.expand_shape %B [[0, 1], [2]] output_shape [128, 2, 8] : tensor<256x8xi8> into tensor<128x2x8xi8>
  %c0 = arith.constant 0 : i16
  %e = tensor.empty() : tensor<8x8x128xi16>
  %f = linalg.fill ins(%c0 : i16) outs(%e : tensor<8x8x128xi16>) -> tensor<8x8x128xi16>
  %r = linalg.generic #sum2 ins(%x, %x_2 : tensor<8x128x2xi8>, tensor<128x2x8xi8>) outs(%f : tensor<8x8x128xi16>) {
  ^bb0(%a: i8, %b: i8, %o: i16):
    %ext = arith.extsi %o : i16 to i32
    %ext_2 = arith.extsi %a : i8 to i32
    %ext_3 = arith.extsi %b : i8 to i32
    %mul = arith.muli %ext_2, %ext_3 : i32
    %add = arith.addi %ext, %mul : i32
    %c32767 = arith.constant 32767 : i32
    %min = arith.minsi %add, %c32767 : i32
    %cm32768 = arith.constant -32768 : i32
    %max = arith.maxsi %min, %cm32768 : i32
    %cut = arith.trunci %max : i32 to i16
    linalg.yield %cut : i16
  } -> tensor<8x8x128xi16>
  %c0_2 = arith.constant 0 : i32
  %e_2 = tensor.empty() : tensor<8x8xi32>
  %f_2 = linalg.fill ins(%c0_2 : i32) outs(%e_2 : tensor<8x8xi32>) -> tensor<8x8xi32>
  %r_2 = linalg.generic #sum3 ins(%r : tensor<8x8x128xi16>) outs(%f_2 : tensor<8x8xi32>) {
  ^bb0(%a_2: i16, %o_2: i32):
    %ext_4 = arith.extsi %a_2 : i16 to i32
    %add_2 = arith.addi %o_2, %ext_4 : i32
    linalg.yield %add_2 : i32
  } -> tensor<8x8xi32>
  return %r_2 : tensor<8x8xi32>
}

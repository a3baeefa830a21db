// Matrix product of u8 (extui) and i8 (extsi) in i32, K = 96.

#sum = {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>],
  iterator_types = ["parallel", "parallel", "reduction"]}
#sum2 = {indexing_maps = [affine_map<(m, n, t, j) -> (m, t, j)>, affine_map<(m, n, t, j) -> (t, j, n)>, affine_map<(m, n, t, j) -> (m, n, t)>],
  iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
#sum3 = {indexing_maps = [affine_map<(m, n, t) -> (m, n, t)>, affine_map<(m, n, t) -> (m, n)>],
  iterator_types = ["parallel", "parallel", "reduction"]}

func.func @kernel(%A: tensor<4x96xi8>, %B: tensor<96x16xi8>) -> tensor<4x16xi32> {
  %c0 = arith.constant 0 : i32
  %e = tensor.empty() : tensor<4x16xi32>
  %f = linalg.fill ins(%c0 : i32) outs(%e : tensor<4x16xi32>) -> tensor<4x16xi32>
  %r = linalg.generic #sum ins(%A, %B : tensor<4x96xi8>, tensor<96x16xi8>) outs(%f : tensor<4x16xi32>) {
  ^bb0(%a: i8, %b: i8, %o: i32):
    %ext = arith.extui %a : i8 to i32
    %ext_2 = arith.extsi %b : i8 to i32
    %mul = arith.muli %ext, %ext_2 : i32
    %add = arith.addi %o, %mul : i32
    linalg.yield %add : i32
  } -> tensor<4x16xi32>
  return %r : tensor<4x16xi32>
}

// A product lies in [-32640, 32385], so i16 holds it.
func.func @right_i16_products(%A: tensor<4x96xi8>, %B: tensor<96x16xi8>) -> tensor<4x16xi32> {
  %c0 = arith.constant 0 : i32
  %e = tensor.empty() : tensor<4x16xi32>
  %f = linalg.fill ins(%c0 : i32) outs(%e : tensor<4x16xi32>) -> tensor<4x16xi32>
  %r = linalg.generic #sum ins(%A, %B : tensor<4x96xi8>, tensor<96x16xi8>) outs(%f : tensor<4x16xi32>) {
  ^bb0(%a: i8, %b: i8, %o: i32):
    %ext = arith.extui %a : i8 to i16
    %ext_2 = arith.extsi %b : i8 to i16
    %mul = arith.muli %ext, %ext_2 : i16
    %ext_3 = arith.extsi %mul : i16 to i32
    %add = arith.addi %o, %ext_3 : i32
    linalg.yield %add : i32
  } -> tensor<4x16xi32>
  return %r : tensor<4x16xi32>
}

// a = 16 * high + low, each nibble multiplied on its own.
func.func @right_nibbles(%A: tensor<4x96xi8>, %B: tensor<96x16xi8>) -> tensor<4x16xi32> {
  %c0 = arith.constant 0 : i32
  %e = tensor.empty() : tensor<4x16xi32>
  %f = linalg.fill ins(%c0 : i32) outs(%e : tensor<4x16xi32>) -> tensor<4x16xi32>
  %r = linalg.generic #sum ins(%A, %B : tensor<4x96xi8>, tensor<96x16xi8>) outs(%f : tensor<4x16xi32>) {
  ^bb0(%a: i8, %b: i8, %o: i32):
    %c4 = arith.constant 4 : i8
    %shr = arith.shrui %a, %c4 : i8
    %ext = arith.extui %shr : i8 to i32
    %ext_2 = arith.extsi %b : i8 to i32
    %mul = arith.muli %ext, %ext_2 : i32
    %c4_2 = arith.constant 4 : i32
    %shl = arith.shli %mul, %c4_2 : i32
    %add = arith.addi %o, %shl : i32
    %c15 = arith.constant 15 : i8
    %and = arith.andi %a, %c15 : i8
    %ext_3 = arith.extui %and : i8 to i32
    %mul_2 = arith.muli %ext_3, %ext_2 : i32
    %add_2 = arith.addi %add, %mul_2 : i32
    linalg.yield %add_2 : i32
  } -> tensor<4x16xi32>
  return %r : tensor<4x16xi32>
}

// Adds pairs of products in i16 with saturation, as vpmaddubsw does. Shows when a pair passes 32767.
func.func @wrong_pairs_saturate(%A: tensor<4x96xi8>, %B: tensor<96x16xi8>) -> tensor<4x16xi32> {
  %x = tensor.expand_shape %A [[0], [1, 2]] output_shape [4, 48, 2] : tensor<4x96xi8> into tensor<4x48x2xi8>
  %x_2 = tensor.expand_shape %B [[0, 1], [2]] output_shape [48, 2, 16] : tensor<96x16xi8> into tensor<48x2x16xi8>
  %c0 = arith.constant 0 : i16
  %e = tensor.empty() : tensor<4x16x48xi16>
  %f = linalg.fill ins(%c0 : i16) outs(%e : tensor<4x16x48xi16>) -> tensor<4x16x48xi16>
  %r = linalg.generic #sum2 ins(%x, %x_2 : tensor<4x48x2xi8>, tensor<48x2x16xi8>) outs(%f : tensor<4x16x48xi16>) {
  ^bb0(%a: i8, %b: i8, %o: i16):
    %ext = arith.extsi %o : i16 to i32
    %ext_2 = arith.extui %a : i8 to i32
    %ext_3 = arith.extsi %b : i8 to i32
    %mul = arith.muli %ext_2, %ext_3 : i32
    %add = arith.addi %ext, %mul : i32
    %c32767 = arith.constant 32767 : i32
    %min = arith.minsi %add, %c32767 : i32
    %cm32768 = arith.constant -32768 : i32
    %max = arith.maxsi %min, %cm32768 : i32
    %cut = arith.trunci %max : i32 to i16
    linalg.yield %cut : i16
  } -> tensor<4x16x48xi16>
  %c0_2 = arith.constant 0 : i32
  %e_2 = tensor.empty() : tensor<4x16xi32>
  %f_2 = linalg.fill ins(%c0_2 : i32) outs(%e_2 : tensor<4x16xi32>) -> tensor<4x16xi32>
  %r_2 = linalg.generic #sum3 ins(%r : tensor<4x16x48xi16>) outs(%f_2 : tensor<4x16xi32>) {
  ^bb0(%a_2: i16, %o_2: i32):
    %ext_4 = arith.extsi %a_2 : i16 to i32
    %add_2 = arith.addi %o_2, %ext_4 : i32
    linalg.yield %add_2 : i32
  } -> tensor<4x16xi32>
  return %r_2 : tensor<4x16xi32>
}

// Adds two neighbouring products in i16, wrapping. Shows when a pair passes 32767.
func.func @wrong_pairs_wrap(%A: tensor<4x96xi8>, %B: tensor<96x16xi8>) -> tensor<4x16xi32> {
  %x = tensor.expand_shape %A [[0], [1, 2]] output_shape [4, 48, 2] : tensor<4x96xi8> into tensor<4x48x2xi8>
  %x_2 = tensor.expand_shape %B [[0, 1], [2]] output_shape [48, 2, 16] : tensor<96x16xi8> into tensor<48x2x16xi8>
  %c0 = arith.constant 0 : i16
  %e = tensor.empty() : tensor<4x16x48xi16>
  %f = linalg.fill ins(%c0 : i16) outs(%e : tensor<4x16x48xi16>) -> tensor<4x16x48xi16>
  %r = linalg.generic #sum2 ins(%x, %x_2 : tensor<4x48x2xi8>, tensor<48x2x16xi8>) outs(%f : tensor<4x16x48xi16>) {
  ^bb0(%a: i8, %b: i8, %o: i16):
    %ext = arith.extui %a : i8 to i16
    %ext_2 = arith.extsi %b : i8 to i16
    %mul = arith.muli %ext, %ext_2 : i16
    %add = arith.addi %o, %mul : i16
    linalg.yield %add : i16
  } -> tensor<4x16x48xi16>
  %c0_2 = arith.constant 0 : i32
  %e_2 = tensor.empty() : tensor<4x16xi32>
  %f_2 = linalg.fill ins(%c0_2 : i32) outs(%e_2 : tensor<4x16xi32>) -> tensor<4x16xi32>
  %r_2 = linalg.generic #sum3 ins(%r : tensor<4x16x48xi16>) outs(%f_2 : tensor<4x16xi32>) {
  ^bb0(%a_2: i16, %o_2: i32):
    %ext_3 = arith.extsi %a_2 : i16 to i32
    %add_2 = arith.addi %o_2, %ext_3 : i32
    linalg.yield %add_2 : i32
  } -> tensor<4x16xi32>
  return %r_2 : tensor<4x16xi32>
}

// Takes a as signed. Shows for a from 128.
func.func @wrong_both_signed(%A: tensor<4x96xi8>, %B: tensor<96x16xi8>) -> tensor<4x16xi32> {
  %c0 = arith.constant 0 : i32
  %e = tensor.empty() : tensor<4x16xi32>
  %f = linalg.fill ins(%c0 : i32) outs(%e : tensor<4x16xi32>) -> tensor<4x16xi32>
  %r = linalg.generic #sum ins(%A, %B : tensor<4x96xi8>, tensor<96x16xi8>) outs(%f : tensor<4x16xi32>) {
  ^bb0(%a: i8, %b: i8, %o: i32):
    %ext = arith.extsi %a : i8 to i32
    %ext_2 = arith.extsi %b : i8 to i32
    %mul = arith.muli %ext, %ext_2 : i32
    %add = arith.addi %o, %mul : i32
    linalg.yield %add : i32
  } -> tensor<4x16xi32>
  return %r : tensor<4x16xi32>
}

// The product of the high nibble is kept in i8. Shows when (a / 16) * b passes 127.
func.func @wrong_nibbles_i8(%A: tensor<4x96xi8>, %B: tensor<96x16xi8>) -> tensor<4x16xi32> {
  %c0 = arith.constant 0 : i32
  %e = tensor.empty() : tensor<4x16xi32>
  %f = linalg.fill ins(%c0 : i32) outs(%e : tensor<4x16xi32>) -> tensor<4x16xi32>
  %r = linalg.generic #sum ins(%A, %B : tensor<4x96xi8>, tensor<96x16xi8>) outs(%f : tensor<4x16xi32>) {
  ^bb0(%a: i8, %b: i8, %o: i32):
    %c4 = arith.constant 4 : i8
    %shr = arith.shrui %a, %c4 : i8
    %mul = arith.muli %shr, %b : i8
    %ext = arith.extsi %mul : i8 to i32
    %c4_2 = arith.constant 4 : i32
    %shl = arith.shli %ext, %c4_2 : i32
    %add = arith.addi %o, %shl : i32
    %c15 = arith.constant 15 : i8
    %and = arith.andi %a, %c15 : i8
    %ext_2 = arith.extui %and : i8 to i32
    %ext_3 = arith.extsi %b : i8 to i32
    %mul_2 = arith.muli %ext_2, %ext_3 : i32
    %add_2 = arith.addi %add, %mul_2 : i32
    linalg.yield %add_2 : i32
  } -> tensor<4x16xi32>
  return %r : tensor<4x16xi32>
}

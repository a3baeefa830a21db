// Convolution of an i8 image of 4 channels with 3 x 3 weights, zero point 5:
// y[h, w] = sum over p, q, c of (x[h + p, w + q, c] - 5) * k[p, q, c], in i32.

#sum = {indexing_maps = [affine_map<(h, w, p, q, c) -> (h + p, w + q, c)>, affine_map<(h, w, p, q, c) -> (p, q, c)>, affine_map<(h, w, p, q, c) -> (h, w)>],
  iterator_types = ["parallel", "parallel", "reduction", "reduction", "reduction"]}
#sum2 = {indexing_maps = [affine_map<(p, q, c) -> (p, q, c)>, affine_map<(p, q, c) -> ()>],
  iterator_types = ["reduction", "reduction", "reduction"]}
#each = {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
  iterator_types = ["parallel", "parallel"]}
#sum3 = {indexing_maps = [affine_map<(h, w, p, q, c) -> (h + p, w + q, c)>, affine_map<(h, w, p, q, c) -> (p, q, c)>, affine_map<(h, w, p, q, c) -> (h, w, p, q)>],
  iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]}
#sum4 = {indexing_maps = [affine_map<(h, w, p, q) -> (h, w, p, q)>, affine_map<(h, w, p, q) -> (h, w)>],
  iterator_types = ["parallel", "parallel", "reduction", "reduction"]}

func.func @kernel(%x: tensor<18x18x4xi8>, %k: tensor<3x3x4xi8>) -> tensor<16x16xi32> {
  %c0 = arith.constant 0 : i32
  %e = tensor.empty() : tensor<16x16xi32>
  %f = linalg.fill ins(%c0 : i32) outs(%e : tensor<16x16xi32>) -> tensor<16x16xi32>
  %r = linalg.generic #sum ins(%x, %k : tensor<18x18x4xi8>, tensor<3x3x4xi8>) outs(%f : tensor<16x16xi32>) {
  ^bb0(%a: i8, %b: i8, %o: i32):
    %ext = arith.extsi %a : i8 to i32
    %c5 = arith.constant 5 : i32
    %sub = arith.subi %ext, %c5 : i32
    %ext_2 = arith.extsi %b : i8 to i32
    %mul = arith.muli %sub, %ext_2 : i32
    %add = arith.addi %o, %mul : i32
    linalg.yield %add : i32
  } -> tensor<16x16xi32>
  return %r : tensor<16x16xi32>
}

// Convolves x itself and takes off 5 times the sum of the weights.
func.func @right_correction(%x: tensor<18x18x4xi8>, %k: tensor<3x3x4xi8>) -> tensor<16x16xi32> {
  %c0 = arith.constant 0 : i32
  %e = tensor.empty() : tensor<16x16xi32>
  %f = linalg.fill ins(%c0 : i32) outs(%e : tensor<16x16xi32>) -> tensor<16x16xi32>
  %r = linalg.generic #sum ins(%x, %k : tensor<18x18x4xi8>, tensor<3x3x4xi8>) outs(%f : tensor<16x16xi32>) {
  ^bb0(%a: i8, %b: i8, %o: i32):
    %ext = arith.extsi %a : i8 to i32
    %ext_2 = arith.extsi %b : i8 to i32
    %mul = arith.muli %ext, %ext_2 : i32
    %add = arith.addi %o, %mul : i32
    linalg.yield %add : i32
  } -> tensor<16x16xi32>
  %e_2 = tensor.empty() : tensor<i32>
  %f_2 = linalg.fill ins(%c0 : i32) outs(%e_2 : tensor<i32>) -> tensor<i32>
  %r_2 = linalg.generic #sum2 ins(%k : tensor<3x3x4xi8>) outs(%f_2 : tensor<i32>) {
  ^bb0(%a_2: i8, %o_2: i32):
    %ext_3 = arith.extsi %a_2 : i8 to i32
    %add_2 = arith.addi %o_2, %ext_3 : i32
    linalg.yield %add_2 : i32
  } -> tensor<i32>
  %at = tensor.extract %r_2[] : tensor<i32>
  %c5 = arith.constant 5 : i32
  %mul_2 = arith.muli %at, %c5 : i32
  %e_3 = tensor.empty() : tensor<16x16xi32>
  %r_3 = linalg.generic #each ins(%r : tensor<16x16xi32>) outs(%e_3 : tensor<16x16xi32>) {
  ^bb0(%a_3: i32, %o_3: i32):
    %sub = arith.subi %a_3, %mul_2 : i32
    linalg.yield %sub : i32
  } -> tensor<16x16xi32>
  return %r_3 : tensor<16x16xi32>
}

// x - 5 and the products fit in i16: 133 * 128 is 17024.
func.func @right_i16(%x: tensor<18x18x4xi8>, %k: tensor<3x3x4xi8>) -> tensor<16x16xi32> {
  %c0 = arith.constant 0 : i32
  %e = tensor.empty() : tensor<16x16xi32>
  %f = linalg.fill ins(%c0 : i32) outs(%e : tensor<16x16xi32>) -> tensor<16x16xi32>
  %r = linalg.generic #sum ins(%x, %k : tensor<18x18x4xi8>, tensor<3x3x4xi8>) outs(%f : tensor<16x16xi32>) {
  ^bb0(%a: i8, %b: i8, %o: i32):
    %ext = arith.extsi %a : i8 to i16
    %c5 = arith.constant 5 : i16
    %sub = arith.subi %ext, %c5 : i16
    %ext_2 = arith.extsi %b : i8 to i16
    %mul = arith.muli %sub, %ext_2 : i16
    %ext_3 = arith.extsi %mul : i16 to i32
    %add = arith.addi %o, %ext_3 : i32
    linalg.yield %add : i32
  } -> tensor<16x16xi32>
  return %r : tensor<16x16xi32>
}

// x - 5 in i8 wraps. Shows for x below -123.
func.func @wrong_difference_i8(%x: tensor<18x18x4xi8>, %k: tensor<3x3x4xi8>) -> tensor<16x16xi32> {
  %c0 = arith.constant 0 : i32
  %e = tensor.empty() : tensor<16x16xi32>
  %f = linalg.fill ins(%c0 : i32) outs(%e : tensor<16x16xi32>) -> tensor<16x16xi32>
  %r = linalg.generic #sum ins(%x, %k : tensor<18x18x4xi8>, tensor<3x3x4xi8>) outs(%f : tensor<16x16xi32>) {
  ^bb0(%a: i8, %b: i8, %o: i32):
    %c5 = arith.constant 5 : i8
    %sub = arith.subi %a, %c5 : i8
    %ext = arith.extsi %sub : i8 to i32
    %ext_2 = arith.extsi %b : i8 to i32
    %mul = arith.muli %ext, %ext_2 : i32
    %add = arith.addi %o, %mul : i32
    linalg.yield %add : i32
  } -> tensor<16x16xi32>
  return %r : tensor<16x16xi32>
}

// x - 5 saturates in i8. Shows for x below -123, by 5 at most per term.
func.func @wrong_difference_saturates(%x: tensor<18x18x4xi8>, %k: tensor<3x3x4xi8>) -> tensor<16x16xi32> {
  %c0 = arith.constant 0 : i32
  %e = tensor.empty() : tensor<16x16xi32>
  %f = linalg.fill ins(%c0 : i32) outs(%e : tensor<16x16xi32>) -> tensor<16x16xi32>
  %r = linalg.generic #sum ins(%x, %k : tensor<18x18x4xi8>, tensor<3x3x4xi8>) outs(%f : tensor<16x16xi32>) {
  ^bb0(%a: i8, %b: i8, %o: i32):
    %ext = arith.extsi %a : i8 to i32
    %c5 = arith.constant 5 : i32
    %sub = arith.subi %ext, %c5 : i32
    %cm128 = arith.constant -128 : i32
    %max = arith.maxsi %sub, %cm128 : i32
    %ext_2 = arith.extsi %b : i8 to i32
    %mul = arith.muli %max, %ext_2 : i32
    %add = arith.addi %o, %mul : i32
    linalg.yield %add : i32
  } -> tensor<16x16xi32>
  return %r : tensor<16x16xi32>
}

// Corrects with the sum of the weights in i8. Shows when it passes 127.
func.func @wrong_weight_sum_i8(%x: tensor<18x18x4xi8>, %k: tensor<3x3x4xi8>) -> tensor<16x16xi32> {
  %c0 = arith.constant 0 : i32
  %e = tensor.empty() : tensor<16x16xi32>
  %f = linalg.fill ins(%c0 : i32) outs(%e : tensor<16x16xi32>) -> tensor<16x16xi32>
  %r = linalg.generic #sum ins(%x, %k : tensor<18x18x4xi8>, tensor<3x3x4xi8>) outs(%f : tensor<16x16xi32>) {
  ^bb0(%a: i8, %b: i8, %o: i32):
    %ext = arith.extsi %a : i8 to i32
    %ext_2 = arith.extsi %b : i8 to i32
    %mul = arith.muli %ext, %ext_2 : i32
    %add = arith.addi %o, %mul : i32
    linalg.yield %add : i32
  } -> tensor<16x16xi32>
  %c0_2 = arith.constant 0 : i8
  %e_2 = tensor.empty() : tensor<i8>
  %f_2 = linalg.fill ins(%c0_2 : i8) outs(%e_2 : tensor<i8>) -> tensor<i8>
  %r_2 = linalg.generic #sum2 ins(%k : tensor<3x3x4xi8>) outs(%f_2 : tensor<i8>) {
  ^bb0(%a_2: i8, %o_2: i8):
    %add_2 = arith.addi %o_2, %a_2 : i8
    linalg.yield %add_2 : i8
  } -> tensor<i8>
  %at = tensor.extract %r_2[] : tensor<i8>
  %ext_3 = arith.extsi %at : i8 to i32
  %c5 = arith.constant 5 : i32
  %mul_2 = arith.muli %ext_3, %c5 : i32
  %e_3 = tensor.empty() : tensor<16x16xi32>
  %r_3 = linalg.generic #each ins(%r : tensor<16x16xi32>) outs(%e_3 : tensor<16x16xi32>) {
  ^bb0(%a_3: i32, %o_3: i32):
    %sub = arith.subi %a_3, %mul_2 : i32
    linalg.yield %sub : i32
  } -> tensor<16x16xi32>
  return %r_3 : tensor<16x16xi32>
}

// Sums the four channels in i16. Shows when they pass 32767: magnitudes above 88.
func.func @wrong_channels_i16(%x: tensor<18x18x4xi8>, %k: tensor<3x3x4xi8>) -> tensor<16x16xi32> {
  %c0 = arith.constant 0 : i16
  %e = tensor.empty() : tensor<16x16x3x3xi16>
  %f = linalg.fill ins(%c0 : i16) outs(%e : tensor<16x16x3x3xi16>) -> tensor<16x16x3x3xi16>
  %r = linalg.generic #sum3 ins(%x, %k : tensor<18x18x4xi8>, tensor<3x3x4xi8>) outs(%f : tensor<16x16x3x3xi16>) {
  ^bb0(%a: i8, %b: i8, %o: i16):
    %ext = arith.extsi %a : i8 to i16
    %c5 = arith.constant 5 : i16
    %sub = arith.subi %ext, %c5 : i16
    %ext_2 = arith.extsi %b : i8 to i16
    %mul = arith.muli %sub, %ext_2 : i16
    %add = arith.addi %o, %mul : i16
    linalg.yield %add : i16
  } -> tensor<16x16x3x3xi16>
  %c0_2 = arith.constant 0 : i32
  %e_2 = tensor.empty() : tensor<16x16xi32>
  %f_2 = linalg.fill ins(%c0_2 : i32) outs(%e_2 : tensor<16x16xi32>) -> tensor<16x16xi32>
  %r_2 = linalg.generic #sum4 ins(%r : tensor<16x16x3x3xi16>) outs(%f_2 : tensor<16x16xi32>) {
  ^bb0(%a_2: i16, %o_2: i32):
    %ext_3 = arith.extsi %a_2 : i16 to i32
    %add_2 = arith.addi %o_2, %ext_3 : i32
    linalg.yield %add_2 : i32
  } -> tensor<16x16xi32>
  return %r_2 : tensor<16x16xi32>
}

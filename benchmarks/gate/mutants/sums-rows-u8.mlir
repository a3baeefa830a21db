// Row sums of unsigned bytes in i32, 258 to a row. A row sums to 65790 at most, just above 16 bits.

#sum = {indexing_maps = [affine_map<(r, c) -> (r, c)>, affine_map<(r, c) -> (r)>],
  iterator_types = ["parallel", "reduction"]}
#sum2 = {indexing_maps = [affine_map<(r, t, j) -> (r, t, j)>, affine_map<(r, t, j) -> (r, t)>],
  iterator_types = ["parallel", "parallel", "reduction"]}
#sum3 = {indexing_maps = [affine_map<(r, t) -> (r, t)>, affine_map<(r, t) -> (r)>],
  iterator_types = ["parallel", "reduction"]}
#sum4 = {indexing_maps = [affine_map<(r, t, j) -> (r, t, j)>, affine_map<(r, t, j) -> (r)>],
  iterator_types = ["parallel", "reduction", "reduction"]}
#each = {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
  iterator_types = ["parallel"]}
#each2 = {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
  iterator_types = ["parallel"]}

func.func @kernel(%x: tensor<16x258xi8>) -> tensor<16xi32> {
  %c0 = arith.constant 0 : i32
  %e = tensor.empty() : tensor<16xi32>
  %f = linalg.fill ins(%c0 : i32) outs(%e : tensor<16xi32>) -> tensor<16xi32>
  %r = linalg.generic #sum ins(%x : tensor<16x258xi8>) outs(%f : tensor<16xi32>) {
  ^bb0(%a: i8, %o: i32):
    %ext = arith.extui %a : i8 to i32
    %add = arith.addi %o, %ext : i32
    linalg.yield %add : i32
  } -> tensor<16xi32>
  return %r : tensor<16xi32>
}

// Two sums of 129 bytes, at most 32895, in 16 bits unsigned.
func.func @right_halves_u16(%x: tensor<16x258xi8>) -> tensor<16xi32> {
  %x_2 = tensor.expand_shape %x [[0], [1, 2]] output_shape [16, 2, 129] : tensor<16x258xi8> into tensor<16x2x129xi8>
  %c0 = arith.constant 0 : i16
  %e = tensor.empty() : tensor<16x2xi16>
  %f = linalg.fill ins(%c0 : i16) outs(%e : tensor<16x2xi16>) -> tensor<16x2xi16>
  %r = linalg.generic #sum2 ins(%x_2 : tensor<16x2x129xi8>) outs(%f : tensor<16x2xi16>) {
  ^bb0(%a: i8, %o: i16):
    %ext = arith.extui %a : i8 to i16
    %add = arith.addi %o, %ext : i16
    linalg.yield %add : i16
  } -> tensor<16x2xi16>
  %c0_2 = arith.constant 0 : i32
  %e_2 = tensor.empty() : tensor<16xi32>
  %f_2 = linalg.fill ins(%c0_2 : i32) outs(%e_2 : tensor<16xi32>) -> tensor<16xi32>
  %r_2 = linalg.generic #sum3 ins(%r : tensor<16x2xi16>) outs(%f_2 : tensor<16xi32>) {
  ^bb0(%a_2: i16, %o_2: i32):
    %ext_2 = arith.extui %a_2 : i16 to i32
    %add_2 = arith.addi %o_2, %ext_2 : i32
    linalg.yield %add_2 : i32
  } -> tensor<16xi32>
  return %r_2 : tensor<16xi32>
}

// Even elements are summed in the low half of a word and odd ones in the high half.
func.func @right_packed(%x: tensor<16x258xi8>) -> tensor<16xi32> {
  %x_2 = tensor.expand_shape %x [[0], [1, 2]] output_shape [16, 129, 2] : tensor<16x258xi8> into tensor<16x129x2xi8>
  %c0 = arith.constant 0 : i32
  %e = tensor.empty() : tensor<16xi32>
  %f = linalg.fill ins(%c0 : i32) outs(%e : tensor<16xi32>) -> tensor<16xi32>
  %r = linalg.generic #sum4 ins(%x_2 : tensor<16x129x2xi8>) outs(%f : tensor<16xi32>) {
  ^bb0(%a: i8, %o: i32):
    %ext = arith.extui %a : i8 to i32
    %idx = linalg.index 2 : index
    %at = arith.index_cast %idx : index to i32
    %c4 = arith.constant 4 : i32
    %shl = arith.shli %at, %c4 : i32
    %shl_2 = arith.shli %ext, %shl : i32
    %add = arith.addi %o, %shl_2 : i32
    linalg.yield %add : i32
  } -> tensor<16xi32>
  %e_2 = tensor.empty() : tensor<16xi32>
  %r_2 = linalg.generic #each ins(%r : tensor<16xi32>) outs(%e_2 : tensor<16xi32>) {
  ^bb0(%a_2: i32, %o_2: i32):
    %c65535 = arith.constant 65535 : i32
    %and = arith.andi %a_2, %c65535 : i32
    %c16 = arith.constant 16 : i32
    %shr = arith.shrui %a_2, %c16 : i32
    %add_2 = arith.addi %and, %shr : i32
    linalg.yield %add_2 : i32
  } -> tensor<16xi32>
  return %r_2 : tensor<16xi32>
}

// Sums in 16 bits unsigned. Shows only when a row passes 65535: nearly all bytes 255.
func.func @wrong_sum_u16(%x: tensor<16x258xi8>) -> tensor<16xi32> {
  %c0 = arith.constant 0 : i16
  %e = tensor.empty() : tensor<16xi16>
  %f = linalg.fill ins(%c0 : i16) outs(%e : tensor<16xi16>) -> tensor<16xi16>
  %r = linalg.generic #sum ins(%x : tensor<16x258xi8>) outs(%f : tensor<16xi16>) {
  ^bb0(%a: i8, %o: i16):
    %ext = arith.extui %a : i8 to i16
    %add = arith.addi %o, %ext : i16
    linalg.yield %add : i16
  } -> tensor<16xi16>
  %e_2 = tensor.empty() : tensor<16xi32>
  %r_2 = linalg.generic #each ins(%r : tensor<16xi16>) outs(%e_2 : tensor<16xi32>) {
  ^bb0(%a_2: i16, %o_2: i32):
    %ext_2 = arith.extui %a_2 : i16 to i32
    linalg.yield %ext_2 : i32
  } -> tensor<16xi32>
  return %r_2 : tensor<16xi32>
}

// The high half is taken out with its sign. Shows only when the odd elements sum to 32768 or more: nearly all 255.
func.func @wrong_packed_signed(%x: tensor<16x258xi8>) -> tensor<16xi32> {
  %x_2 = tensor.expand_shape %x [[0], [1, 2]] output_shape [16, 129, 2] : tensor<16x258xi8> into tensor<16x129x2xi8>
  %c0 = arith.constant 0 : i32
  %e = tensor.empty() : tensor<16xi32>
  %f = linalg.fill ins(%c0 : i32) outs(%e : tensor<16xi32>) -> tensor<16xi32>
  %r = linalg.generic #sum4 ins(%x_2 : tensor<16x129x2xi8>) outs(%f : tensor<16xi32>) {
  ^bb0(%a: i8, %o: i32):
    %ext = arith.extui %a : i8 to i32
    %idx = linalg.index 2 : index
    %at = arith.index_cast %idx : index to i32
    %c4 = arith.constant 4 : i32
    %shl = arith.shli %at, %c4 : i32
    %shl_2 = arith.shli %ext, %shl : i32
    %add = arith.addi %o, %shl_2 : i32
    linalg.yield %add : i32
  } -> tensor<16xi32>
  %e_2 = tensor.empty() : tensor<16xi32>
  %r_2 = linalg.generic #each ins(%r : tensor<16xi32>) outs(%e_2 : tensor<16xi32>) {
  ^bb0(%a_2: i32, %o_2: i32):
    %c65535 = arith.constant 65535 : i32
    %and = arith.andi %a_2, %c65535 : i32
    %c16 = arith.constant 16 : i32
    %sar = arith.shrsi %a_2, %c16 : i32
    %add_2 = arith.addi %and, %sar : i32
    linalg.yield %add_2 : i32
  } -> tensor<16xi32>
  return %r_2 : tensor<16xi32>
}

// Signed sum and 256 per negative byte, counted in 8 bits. Shows only when 256 bytes or more of a row are above 127.
func.func @wrong_count_u8(%x: tensor<16x258xi8>) -> tensor<16xi32> {
  %c0 = arith.constant 0 : i32
  %e = tensor.empty() : tensor<16xi32>
  %f = linalg.fill ins(%c0 : i32) outs(%e : tensor<16xi32>) -> tensor<16xi32>
  %r = linalg.generic #sum ins(%x : tensor<16x258xi8>) outs(%f : tensor<16xi32>) {
  ^bb0(%a: i8, %o: i32):
    %ext = arith.extsi %a : i8 to i32
    %add = arith.addi %o, %ext : i32
    linalg.yield %add : i32
  } -> tensor<16xi32>
  %c0_2 = arith.constant 0 : i8
  %e_2 = tensor.empty() : tensor<16xi8>
  %f_2 = linalg.fill ins(%c0_2 : i8) outs(%e_2 : tensor<16xi8>) -> tensor<16xi8>
  %r_2 = linalg.generic #sum ins(%x : tensor<16x258xi8>) outs(%f_2 : tensor<16xi8>) {
  ^bb0(%a_2: i8, %o_2: i8):
    %c0_3 = arith.constant 0 : i8
    %slt = arith.cmpi slt, %a_2, %c0_3 : i8
    %ext_2 = arith.extui %slt : i1 to i8
    %add_2 = arith.addi %o_2, %ext_2 : i8
    linalg.yield %add_2 : i8
  } -> tensor<16xi8>
  %e_3 = tensor.empty() : tensor<16xi32>
  %r_3 = linalg.generic #each2 ins(%r, %r_2 : tensor<16xi32>, tensor<16xi8>) outs(%e_3 : tensor<16xi32>) {
  ^bb0(%a_3: i32, %b: i8, %o_3: i32):
    %ext_3 = arith.extui %b : i8 to i32
    %c8 = arith.constant 8 : i32
    %shl = arith.shli %ext_3, %c8 : i32
    %add_3 = arith.addi %a_3, %shl : i32
    linalg.yield %add_3 : i32
  } -> tensor<16xi32>
  return %r_3 : tensor<16xi32>
}

// Counts the flags that are set in each row of 2304.

#sum = {indexing_maps = [affine_map<(r, c) -> (r, c)>, affine_map<(r, c) -> (r)>],
  iterator_types = ["parallel", "reduction"]}
#sum2 = {indexing_maps = [affine_map<(r, t, j) -> (r, t, j)>, affine_map<(r, t, j) -> (r, t)>],
  iterator_types = ["parallel", "parallel", "reduction"]}
#sum3 = {indexing_maps = [affine_map<(r, t) -> (r, t)>, affine_map<(r, t) -> (r)>],
  iterator_types = ["parallel", "reduction"]}
#each = {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
  iterator_types = ["parallel"]}

func.func @kernel(%x: tensor<8x2304xi1>) -> tensor<8xi32> {
  %c0 = arith.constant 0 : i32
  %e = tensor.empty() : tensor<8xi32>
  %f = linalg.fill ins(%c0 : i32) outs(%e : tensor<8xi32>) -> tensor<8xi32>
  %r = linalg.generic #sum ins(%x : tensor<8x2304xi1>) outs(%f : tensor<8xi32>) {
  ^bb0(%a: i1, %o: i32):
    %ext = arith.extui %a : i1 to i32
    %add = arith.addi %o, %ext : i32
    linalg.yield %add : i32
  } -> tensor<8xi32>
  return %r : tensor<8xi32>
}

// A sign-extended flag is -1, and is subtracted.
func.func @right_negated(%x: tensor<8x2304xi1>) -> tensor<8xi32> {
  %c0 = arith.constant 0 : i32
  %e = tensor.empty() : tensor<8xi32>
  %f = linalg.fill ins(%c0 : i32) outs(%e : tensor<8xi32>) -> tensor<8xi32>
  %r = linalg.generic #sum ins(%x : tensor<8x2304xi1>) outs(%f : tensor<8xi32>) {
  ^bb0(%a: i1, %o: i32):
    %ext = arith.extsi %a : i1 to i32
    %sub = arith.subi %o, %ext : i32
    linalg.yield %sub : i32
  } -> tensor<8xi32>
  return %r : tensor<8xi32>
}

// Takes the number of unset flags from 2304.
func.func @right_count_unset(%x: tensor<8x2304xi1>) -> tensor<8xi32> {
  %c2304 = arith.constant 2304 : i32
  %e = tensor.empty() : tensor<8xi32>
  %f = linalg.fill ins(%c2304 : i32) outs(%e : tensor<8xi32>) -> tensor<8xi32>
  %r = linalg.generic #sum ins(%x : tensor<8x2304xi1>) outs(%f : tensor<8xi32>) {
  ^bb0(%a: i1, %o: i32):
    %c1 = arith.constant true
    %xor = arith.xori %a, %c1 : i1
    %ext = arith.extui %xor : i1 to i32
    %sub = arith.subi %o, %ext : i32
    linalg.yield %sub : i32
  } -> tensor<8xi32>
  return %r : tensor<8xi32>
}

// Counts tiles of 144 in 8 bits unsigned.
func.func @right_tiles_u8(%x: tensor<8x2304xi1>) -> tensor<8xi32> {
  %x_2 = tensor.expand_shape %x [[0], [1, 2]] output_shape [8, 16, 144] : tensor<8x2304xi1> into tensor<8x16x144xi1>
  %c0 = arith.constant 0 : i8
  %e = tensor.empty() : tensor<8x16xi8>
  %f = linalg.fill ins(%c0 : i8) outs(%e : tensor<8x16xi8>) -> tensor<8x16xi8>
  %r = linalg.generic #sum2 ins(%x_2 : tensor<8x16x144xi1>) outs(%f : tensor<8x16xi8>) {
  ^bb0(%a: i1, %o: i8):
    %ext = arith.extui %a : i1 to i8
    %add = arith.addi %o, %ext : i8
    linalg.yield %add : i8
  } -> tensor<8x16xi8>
  %c0_2 = arith.constant 0 : i32
  %e_2 = tensor.empty() : tensor<8xi32>
  %f_2 = linalg.fill ins(%c0_2 : i32) outs(%e_2 : tensor<8xi32>) -> tensor<8xi32>
  %r_2 = linalg.generic #sum3 ins(%r : tensor<8x16xi8>) outs(%f_2 : tensor<8xi32>) {
  ^bb0(%a_2: i8, %o_2: i32):
    %ext_2 = arith.extui %a_2 : i8 to i32
    %add_2 = arith.addi %o_2, %ext_2 : i32
    linalg.yield %add_2 : i32
  } -> tensor<8xi32>
  return %r_2 : tensor<8xi32>
}

// Counts tiles of 256 in 8 bits. Shows only where all 256 flags of a tile are set.
func.func @wrong_tiles_u8(%x: tensor<8x2304xi1>) -> tensor<8xi32> {
  %x_2 = tensor.expand_shape %x [[0], [1, 2]] output_shape [8, 9, 256] : tensor<8x2304xi1> into tensor<8x9x256xi1>
  %c0 = arith.constant 0 : i8
  %e = tensor.empty() : tensor<8x9xi8>
  %f = linalg.fill ins(%c0 : i8) outs(%e : tensor<8x9xi8>) -> tensor<8x9xi8>
  %r = linalg.generic #sum2 ins(%x_2 : tensor<8x9x256xi1>) outs(%f : tensor<8x9xi8>) {
  ^bb0(%a: i1, %o: i8):
    %ext = arith.extui %a : i1 to i8
    %add = arith.addi %o, %ext : i8
    linalg.yield %add : i8
  } -> tensor<8x9xi8>
  %c0_2 = arith.constant 0 : i32
  %e_2 = tensor.empty() : tensor<8xi32>
  %f_2 = linalg.fill ins(%c0_2 : i32) outs(%e_2 : tensor<8xi32>) -> tensor<8xi32>
  %r_2 = linalg.generic #sum3 ins(%r : tensor<8x9xi8>) outs(%f_2 : tensor<8xi32>) {
  ^bb0(%a_2: i8, %o_2: i32):
    %ext_2 = arith.extui %a_2 : i8 to i32
    %add_2 = arith.addi %o_2, %ext_2 : i32
    linalg.yield %add_2 : i32
  } -> tensor<8xi32>
  return %r_2 : tensor<8xi32>
}

// Counts tiles of 144 in 8 bits and widens them as signed. Shows when 128 or more of a tile are set.
func.func @wrong_tiles_i8(%x: tensor<8x2304xi1>) -> tensor<8xi32> {
  %x_2 = tensor.expand_shape %x [[0], [1, 2]] output_shape [8, 16, 144] : tensor<8x2304xi1> into tensor<8x16x144xi1>
  %c0 = arith.constant 0 : i8
  %e = tensor.empty() : tensor<8x16xi8>
  %f = linalg.fill ins(%c0 : i8) outs(%e : tensor<8x16xi8>) -> tensor<8x16xi8>
  %r = linalg.generic #sum2 ins(%x_2 : tensor<8x16x144xi1>) outs(%f : tensor<8x16xi8>) {
  ^bb0(%a: i1, %o: i8):
    %ext = arith.extui %a : i1 to i8
    %add = arith.addi %o, %ext : i8
    linalg.yield %add : i8
  } -> tensor<8x16xi8>
  %c0_2 = arith.constant 0 : i32
  %e_2 = tensor.empty() : tensor<8xi32>
  %f_2 = linalg.fill ins(%c0_2 : i32) outs(%e_2 : tensor<8xi32>) -> tensor<8xi32>
  %r_2 = linalg.generic #sum3 ins(%r : tensor<8x16xi8>) outs(%f_2 : tensor<8xi32>) {
  ^bb0(%a_2: i8, %o_2: i32):
    %ext_2 = arith.extsi %a_2 : i8 to i32
    %add_2 = arith.addi %o_2, %ext_2 : i32
    linalg.yield %add_2 : i32
  } -> tensor<8xi32>
  return %r_2 : tensor<8xi32>
}

// Counts in f16, which stays at 2048. Shows when more than 2048 flags of a row are set.
func.func @wrong_f16(%x: tensor<8x2304xi1>) -> tensor<8xi32> {
  %f = arith.constant 0.0 : f16
  %e = tensor.empty() : tensor<8xf16>
  %f_2 = linalg.fill ins(%f : f16) outs(%e : tensor<8xf16>) -> tensor<8xf16>
  %r = linalg.generic #sum ins(%x : tensor<8x2304xi1>) outs(%f_2 : tensor<8xf16>) {
  ^bb0(%a: i1, %o: f16):
    %float = arith.uitofp %a : i1 to f16
    %add = arith.addf %o, %float : f16
    linalg.yield %add : f16
  } -> tensor<8xf16>
  %e_2 = tensor.empty() : tensor<8xi32>
  %r_2 = linalg.generic #each ins(%r : tensor<8xf16>) outs(%e_2 : tensor<8xi32>) {
  ^bb0(%a_2: f16, %o_2: i32):
    %wide = arith.extf %a_2 : f16 to f32
    %int = arith.fptosi %wide : f32 to i32
    linalg.yield %int : i32
  } -> tensor<8xi32>
  return %r_2 : tensor<8xi32>
}

// Counts tiles of 288 in bf16, which stays at 256. Shows when more than 256 of a tile are set.
func.func @wrong_tiles_bf16(%x: tensor<8x2304xi1>) -> tensor<8xi32> {
  %x_2 = tensor.expand_shape %x [[0], [1, 2]] output_shape [8, 8, 288] : tensor<8x2304xi1> into tensor<8x8x288xi1>
  %f = arith.constant 0.0 : bf16
  %e = tensor.empty() : tensor<8x8xbf16>
  %f_2 = linalg.fill ins(%f : bf16) outs(%e : tensor<8x8xbf16>) -> tensor<8x8xbf16>
  %r = linalg.generic #sum2 ins(%x_2 : tensor<8x8x288xi1>) outs(%f_2 : tensor<8x8xbf16>) {
  ^bb0(%a: i1, %o: bf16):
    %float = arith.uitofp %a : i1 to bf16
    %add = arith.addf %o, %float : bf16
    linalg.yield %add : bf16
  } -> tensor<8x8xbf16>
  %c0 = arith.constant 0 : i32
  %e_2 = tensor.empty() : tensor<8xi32>
  %f_3 = linalg.fill ins(%c0 : i32) outs(%e_2 : tensor<8xi32>) -> tensor<8xi32>
  %r_2 = linalg.generic #sum3 ins(%r : tensor<8x8xbf16>) outs(%f_3 : tensor<8xi32>) {
  ^bb0(%a_2: bf16, %o_2: i32):
    %wide = arith.extf %a_2 : bf16 to f32
    %int = arith.fptosi %wide : f32 to i32
    %add_2 = arith.addi %o_2, %int : i32
    linalg.yield %add_2 : i32
  } -> tensor<8xi32>
  return %r_2 : tensor<8xi32>
}

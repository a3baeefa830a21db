// Eight dot products of i8 vectors of 1536 elements, in i64.

#sum = {indexing_maps = [affine_map<(r, k) -> (r, k)>, affine_map<(r, k) -> (r, k)>, affine_map<(r, k) -> (r)>],
  iterator_types = ["parallel", "reduction"]}
#each = {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
  iterator_types = ["parallel"]}
#sum2 = {indexing_maps = [affine_map<(r, t, j) -> (r, t, j)>, affine_map<(r, t, j) -> (r, t, j)>, affine_map<(r, t, j) -> (r, t)>],
  iterator_types = ["parallel", "parallel", "reduction"]}
#sum3 = {indexing_maps = [affine_map<(r, t) -> (r, t)>, affine_map<(r, t) -> (r)>],
  iterator_types = ["parallel", "reduction"]}

func.func @kernel(%x: tensor<8x1536xi8>, %y: tensor<8x1536xi8>) -> tensor<8xi64> {
  %c0 = arith.constant 0 : i64
  %e = tensor.empty() : tensor<8xi64>
  %f = linalg.fill ins(%c0 : i64) outs(%e : tensor<8xi64>) -> tensor<8xi64>
  %r = linalg.generic #sum ins(%x, %y : tensor<8x1536xi8>, tensor<8x1536xi8>) outs(%f : tensor<8xi64>) {
  ^bb0(%a: i8, %b: i8, %o: i64):
    %ext = arith.extsi %a : i8 to i64
    %ext_2 = arith.extsi %b : i8 to i64
    %mul = arith.muli %ext, %ext_2 : i64
    %add = arith.addi %o, %mul : i64
    linalg.yield %add : i64
  } -> tensor<8xi64>
  return %r : tensor<8xi64>
}

// The sum is at most 1536 * 16384, so i32 holds it.
func.func @right_i32(%x: tensor<8x1536xi8>, %y: tensor<8x1536xi8>) -> tensor<8xi64> {
  %c0 = arith.constant 0 : i32
  %e = tensor.empty() : tensor<8xi32>
  %f = linalg.fill ins(%c0 : i32) outs(%e : tensor<8xi32>) -> tensor<8xi32>
  %r = linalg.generic #sum ins(%x, %y : tensor<8x1536xi8>, tensor<8x1536xi8>) outs(%f : tensor<8xi32>) {
  ^bb0(%a: i8, %b: i8, %o: i32):
    %ext = arith.extsi %a : i8 to i32
    %ext_2 = arith.extsi %b : i8 to i32
    %mul = arith.muli %ext, %ext_2 : i32
    %add = arith.addi %o, %mul : i32
    linalg.yield %add : i32
  } -> tensor<8xi32>
  %e_2 = tensor.empty() : tensor<8xi64>
  %r_2 = linalg.generic #each ins(%r : tensor<8xi32>) outs(%e_2 : tensor<8xi64>) {
  ^bb0(%a_2: i32, %o_2: i64):
    %ext_3 = arith.extsi %a_2 : i32 to i64
    linalg.yield %ext_3 : i64
  } -> tensor<8xi64>
  return %r_2 : tensor<8xi64>
}

// a * b = ((a + b)^2 - (a - b)^2) / 4, in i32.
func.func @right_squares(%x: tensor<8x1536xi8>, %y: tensor<8x1536xi8>) -> tensor<8xi64> {
  %c0 = arith.constant 0 : i64
  %e = tensor.empty() : tensor<8xi64>
  %f = linalg.fill ins(%c0 : i64) outs(%e : tensor<8xi64>) -> tensor<8xi64>
  %r = linalg.generic #sum ins(%x, %y : tensor<8x1536xi8>, tensor<8x1536xi8>) outs(%f : tensor<8xi64>) {
  ^bb0(%a: i8, %b: i8, %o: i64):
    %ext = arith.extsi %a : i8 to i32
    %ext_2 = arith.extsi %b : i8 to i32
    %add = arith.addi %ext, %ext_2 : i32
    %sub = arith.subi %ext, %ext_2 : i32
    %mul = arith.muli %add, %add : i32
    %mul_2 = arith.muli %sub, %sub : i32
    %sub_2 = arith.subi %mul, %mul_2 : i32
    %c2 = arith.constant 2 : i32
    %sar = arith.shrsi %sub_2, %c2 : i32
    %ext_3 = arith.extsi %sar : i32 to i64
    %add_2 = arith.addi %o, %ext_3 : i64
    linalg.yield %add_2 : i64
  } -> tensor<8xi64>
  return %r : tensor<8xi64>
}

// Sums in f32. Shows only when a partial sum passes 2^24: nearly all products large and of one sign.
func.func @wrong_f32(%x: tensor<8x1536xi8>, %y: tensor<8x1536xi8>) -> tensor<8xi64> {
  %f = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8xf32>
  %f_2 = linalg.fill ins(%f : f32) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  %r = linalg.generic #sum ins(%x, %y : tensor<8x1536xi8>, tensor<8x1536xi8>) outs(%f_2 : tensor<8xf32>) {
  ^bb0(%a: i8, %b: i8, %o: f32):
    %float = arith.sitofp %a : i8 to f32
    %float_2 = arith.sitofp %b : i8 to f32
    %mul = arith.mulf %float, %float_2 : f32
    %add = arith.addf %o, %mul : f32
    linalg.yield %add : f32
  } -> tensor<8xf32>
  %e_2 = tensor.empty() : tensor<8xi64>
  %r_2 = linalg.generic #each ins(%r : tensor<8xf32>) outs(%e_2 : tensor<8xi64>) {
  ^bb0(%a_2: f32, %o_2: i64):
    %int = arith.fptosi %a_2 : f32 to i64
    linalg.yield %int : i64
  } -> tensor<8xi64>
  return %r_2 : tensor<8xi64>
}

// Adds three products in i16 before it widens. Right for magnitudes up to 104, shows above.
func.func @wrong_triples_i16(%x: tensor<8x1536xi8>, %y: tensor<8x1536xi8>) -> tensor<8xi64> {
  %x_2 = tensor.expand_shape %x [[0], [1, 2]] output_shape [8, 512, 3] : tensor<8x1536xi8> into tensor<8x512x3xi8>
  %x_3 = tensor.expand_shape %y [[0], [1, 2]] output_shape [8, 512, 3] : tensor<8x1536xi8> into tensor<8x512x3xi8>
  %c0 = arith.constant 0 : i16
  %e = tensor.empty() : tensor<8x512xi16>
  %f = linalg.fill ins(%c0 : i16) outs(%e : tensor<8x512xi16>) -> tensor<8x512xi16>
  %r = linalg.generic #sum2 ins(%x_2, %x_3 : tensor<8x512x3xi8>, tensor<8x512x3xi8>) outs(%f : tensor<8x512xi16>) {
  ^bb0(%a: i8, %b: i8, %o: i16):
    %ext = arith.extsi %a : i8 to i16
    %ext_2 = arith.extsi %b : i8 to i16
    %mul = arith.muli %ext, %ext_2 : i16
    %add = arith.addi %o, %mul : i16
    linalg.yield %add : i16
  } -> tensor<8x512xi16>
  %c0_2 = arith.constant 0 : i64
  %e_2 = tensor.empty() : tensor<8xi64>
  %f_2 = linalg.fill ins(%c0_2 : i64) outs(%e_2 : tensor<8xi64>) -> tensor<8xi64>
  %r_2 = linalg.generic #sum3 ins(%r : tensor<8x512xi16>) outs(%f_2 : tensor<8xi64>) {
  ^bb0(%a_2: i16, %o_2: i64):
    %ext_3 = arith.extsi %a_2 : i16 to i64
    %add_2 = arith.addi %o_2, %ext_3 : i64
    linalg.yield %add_2 : i64
  } -> tensor<8xi64>
  return %r_2 : tensor<8xi64>
}

// Multiplies |a| as unsigned by b with the sign of a, negated in i8. Shows for b = -128 with a < 0.
func.func @wrong_sign_moved(%x: tensor<8x1536xi8>, %y: tensor<8x1536xi8>) -> tensor<8xi64> {
  %c0 = arith.constant 0 : i64
  %e = tensor.empty() : tensor<8xi64>
  %f = linalg.fill ins(%c0 : i64) outs(%e : tensor<8xi64>) -> tensor<8xi64>
  %r = linalg.generic #sum ins(%x, %y : tensor<8x1536xi8>, tensor<8x1536xi8>) outs(%f : tensor<8xi64>) {
  ^bb0(%a: i8, %b: i8, %o: i64):
    %abs = math.absi %a : i8
    %ext = arith.extui %abs : i8 to i64
    %c0_2 = arith.constant 0 : i8
    %slt = arith.cmpi slt, %a, %c0_2 : i8
    %sub = arith.subi %c0_2, %b : i8
    %sel = arith.select %slt, %sub, %b : i8
    %ext_2 = arith.extsi %sel : i8 to i64
    %mul = arith.muli %ext, %ext_2 : i64
    %add = arith.addi %o, %mul : i64
    linalg.yield %add : i64
  } -> tensor<8xi64>
  return %r : tensor<8xi64>
}

// Quarter squares with a + b and a - b in i8. Shows when |a| + |b| passes 127.
func.func @wrong_squares_i8(%x: tensor<8x1536xi8>, %y: tensor<8x1536xi8>) -> tensor<8xi64> {
  %c0 = arith.constant 0 : i64
  %e = tensor.empty() : tensor<8xi64>
  %f = linalg.fill ins(%c0 : i64) outs(%e : tensor<8xi64>) -> tensor<8xi64>
  %r = linalg.generic #sum ins(%x, %y : tensor<8x1536xi8>, tensor<8x1536xi8>) outs(%f : tensor<8xi64>) {
  ^bb0(%a: i8, %b: i8, %o: i64):
    %add = arith.addi %a, %b : i8
    %ext = arith.extsi %add : i8 to i32
    %sub = arith.subi %a, %b : i8
    %ext_2 = arith.extsi %sub : i8 to i32
    %mul = arith.muli %ext, %ext : i32
    %mul_2 = arith.muli %ext_2, %ext_2 : i32
    %sub_2 = arith.subi %mul, %mul_2 : i32
    %c2 = arith.constant 2 : i32
    %sar = arith.shrsi %sub_2, %c2 : i32
    %ext_3 = arith.extsi %sar : i32 to i64
    %add_2 = arith.addi %o, %ext_3 : i64
    linalg.yield %add_2 : i64
  } -> tensor<8xi64>
  return %r : tensor<8xi64>
}

// Multiplies in i8 and widens the product. Shows when |a * b| passes 127.
func.func @wrong_products_i8(%x: tensor<8x1536xi8>, %y: tensor<8x1536xi8>) -> tensor<8xi64> {
  %c0 = arith.constant 0 : i64
  %e = tensor.empty() : tensor<8xi64>
  %f = linalg.fill ins(%c0 : i64) outs(%e : tensor<8xi64>) -> tensor<8xi64>
  %r = linalg.generic #sum ins(%x, %y : tensor<8x1536xi8>, tensor<8x1536xi8>) outs(%f : tensor<8xi64>) {
  ^bb0(%a: i8, %b: i8, %o: i64):
    %mul = arith.muli %a, %b : i8
    %ext = arith.extsi %mul : i8 to i64
    %add = arith.addi %o, %ext : i64
    linalg.yield %add : i64
  } -> tensor<8xi64>
  return %r : tensor<8xi64>
}

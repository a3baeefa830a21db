// Weighted row sums in i64: sum over k of x[r, k] (i32) times w[k] (i16).

#sum = {indexing_maps = [affine_map<(r, k) -> (r, k)>, affine_map<(r, k) -> (k)>, affine_map<(r, k) -> (r)>],
  iterator_types = ["parallel", "reduction"]}
#each = {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
  iterator_types = ["parallel"]}
#each2 = {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
  iterator_types = ["parallel"]}

func.func @kernel(%x: tensor<16x64xi32>, %w: tensor<64xi16>) -> tensor<16xi64> {
  %c0 = arith.constant 0 : i64
  %e = tensor.empty() : tensor<16xi64>
  %f = linalg.fill ins(%c0 : i64) outs(%e : tensor<16xi64>) -> tensor<16xi64>
  %r = linalg.generic #sum ins(%x, %w : tensor<16x64xi32>, tensor<64xi16>) outs(%f : tensor<16xi64>) {
  ^bb0(%a: i32, %b: i16, %o: i64):
    %ext = arith.extsi %a : i32 to i64
    %ext_2 = arith.extsi %b : i16 to i64
    %mul = arith.muli %ext, %ext_2 : i64
    %add = arith.addi %o, %mul : i64
    linalg.yield %add : i64
  } -> tensor<16xi64>
  return %r : tensor<16xi64>
}

// Sums of magnitude up to 2^52 are exact in f64.
func.func @right_f64(%x: tensor<16x64xi32>, %w: tensor<64xi16>) -> tensor<16xi64> {
  %f = arith.constant 0.0 : f64
  %e = tensor.empty() : tensor<16xf64>
  %f_2 = linalg.fill ins(%f : f64) outs(%e : tensor<16xf64>) -> tensor<16xf64>
  %r = linalg.generic #sum ins(%x, %w : tensor<16x64xi32>, tensor<64xi16>) outs(%f_2 : tensor<16xf64>) {
  ^bb0(%a: i32, %b: i16, %o: f64):
    %float = arith.sitofp %a : i32 to f64
    %float_2 = arith.sitofp %b : i16 to f64
    %mul = arith.mulf %float, %float_2 : f64
    %add = arith.addf %o, %mul : f64
    linalg.yield %add : f64
  } -> tensor<16xf64>
  %e_2 = tensor.empty() : tensor<16xi64>
  %r_2 = linalg.generic #each ins(%r : tensor<16xf64>) outs(%e_2 : tensor<16xi64>) {
  ^bb0(%a_2: f64, %o_2: i64):
    %int = arith.fptosi %a_2 : f64 to i64
    linalg.yield %int : i64
  } -> tensor<16xi64>
  return %r_2 : tensor<16xi64>
}

// x in two halves of 16 bits. Either product fits in i32.
func.func @right_halves(%x: tensor<16x64xi32>, %w: tensor<64xi16>) -> tensor<16xi64> {
  %c0 = arith.constant 0 : i64
  %e = tensor.empty() : tensor<16xi64>
  %f = linalg.fill ins(%c0 : i64) outs(%e : tensor<16xi64>) -> tensor<16xi64>
  %r = linalg.generic #sum ins(%x, %w : tensor<16x64xi32>, tensor<64xi16>) outs(%f : tensor<16xi64>) {
  ^bb0(%a: i32, %b: i16, %o: i64):
    %c16 = arith.constant 16 : i32
    %sar = arith.shrsi %a, %c16 : i32
    %ext = arith.extsi %b : i16 to i32
    %mul = arith.muli %sar, %ext : i32
    %ext_2 = arith.extsi %mul : i32 to i64
    %c16_2 = arith.constant 16 : i64
    %shl = arith.shli %ext_2, %c16_2 : i64
    %add = arith.addi %o, %shl : i64
    %c65535 = arith.constant 65535 : i32
    %and = arith.andi %a, %c65535 : i32
    %mul_2 = arith.muli %and, %ext : i32
    %ext_3 = arith.extsi %mul_2 : i32 to i64
    %add_2 = arith.addi %add, %ext_3 : i64
    linalg.yield %add_2 : i64
  } -> tensor<16xi64>
  return %r : tensor<16xi64>
}

// Multiplies in i32. Shows when |x * w| passes 2^31.
func.func @wrong_products_i32(%x: tensor<16x64xi32>, %w: tensor<64xi16>) -> tensor<16xi64> {
  %c0 = arith.constant 0 : i64
  %e = tensor.empty() : tensor<16xi64>
  %f = linalg.fill ins(%c0 : i64) outs(%e : tensor<16xi64>) -> tensor<16xi64>
  %r = linalg.generic #sum ins(%x, %w : tensor<16x64xi32>, tensor<64xi16>) outs(%f : tensor<16xi64>) {
  ^bb0(%a: i32, %b: i16, %o: i64):
    %ext = arith.extsi %b : i16 to i32
    %mul = arith.muli %a, %ext : i32
    %ext_2 = arith.extsi %mul : i32 to i64
    %add = arith.addi %o, %ext_2 : i64
    linalg.yield %add : i64
  } -> tensor<16xi64>
  return %r : tensor<16xi64>
}

// Multiplies the low 24 bits of x. Shows for x beyond 2^23.
func.func @wrong_mul24(%x: tensor<16x64xi32>, %w: tensor<64xi16>) -> tensor<16xi64> {
  %c0 = arith.constant 0 : i64
  %e = tensor.empty() : tensor<16xi64>
  %f = linalg.fill ins(%c0 : i64) outs(%e : tensor<16xi64>) -> tensor<16xi64>
  %r = linalg.generic #sum ins(%x, %w : tensor<16x64xi32>, tensor<64xi16>) outs(%f : tensor<16xi64>) {
  ^bb0(%a: i32, %b: i16, %o: i64):
    %c8 = arith.constant 8 : i32
    %shl = arith.shli %a, %c8 : i32
    %sar = arith.shrsi %shl, %c8 : i32
    %ext = arith.extsi %sar : i32 to i64
    %ext_2 = arith.extsi %b : i16 to i64
    %mul = arith.muli %ext, %ext_2 : i64
    %add = arith.addi %o, %mul : i64
    linalg.yield %add : i64
  } -> tensor<16xi64>
  return %r : tensor<16xi64>
}

// Rounds each product to f32. Shows when |x * w| passes 2^24.
func.func @wrong_f32_products(%x: tensor<16x64xi32>, %w: tensor<64xi16>) -> tensor<16xi64> {
  %c0 = arith.constant 0 : i64
  %e = tensor.empty() : tensor<16xi64>
  %f = linalg.fill ins(%c0 : i64) outs(%e : tensor<16xi64>) -> tensor<16xi64>
  %r = linalg.generic #sum ins(%x, %w : tensor<16x64xi32>, tensor<64xi16>) outs(%f : tensor<16xi64>) {
  ^bb0(%a: i32, %b: i16, %o: i64):
    %float = arith.sitofp %a : i32 to f32
    %float_2 = arith.sitofp %b : i16 to f32
    %mul = arith.mulf %float, %float_2 : f32
    %int = arith.fptosi %mul : f32 to i64
    %add = arith.addi %o, %int : i64
    linalg.yield %add : i64
  } -> tensor<16xi64>
  return %r : tensor<16xi64>
}

// The sum saturates at the ends of i32. Shows when a partial sum passes 2^31.
func.func @wrong_saturate(%x: tensor<16x64xi32>, %w: tensor<64xi16>) -> tensor<16xi64> {
  %c0 = arith.constant 0 : i64
  %e = tensor.empty() : tensor<16xi64>
  %f = linalg.fill ins(%c0 : i64) outs(%e : tensor<16xi64>) -> tensor<16xi64>
  %r = linalg.generic #sum ins(%x, %w : tensor<16x64xi32>, tensor<64xi16>) outs(%f : tensor<16xi64>) {
  ^bb0(%a: i32, %b: i16, %o: i64):
    %ext = arith.extsi %a : i32 to i64
    %ext_2 = arith.extsi %b : i16 to i64
    %mul = arith.muli %ext, %ext_2 : i64
    %add = arith.addi %o, %mul : i64
    %c2147483647 = arith.constant 2147483647 : i64
    %min = arith.minsi %add, %c2147483647 : i64
    %cm2147483648 = arith.constant -2147483648 : i64
    %max = arith.maxsi %min, %cm2147483648 : i64
    linalg.yield %max : i64
  } -> tensor<16xi64>
  return %r : tensor<16xi64>
}

// Sums the products of the high halves in i32. Shows when these sum beyond 2^31: x about 2^31, w above 1024.
func.func @wrong_high_sum_i32(%x: tensor<16x64xi32>, %w: tensor<64xi16>) -> tensor<16xi64> {
  %c0 = arith.constant 0 : i32
  %e = tensor.empty() : tensor<16xi32>
  %f = linalg.fill ins(%c0 : i32) outs(%e : tensor<16xi32>) -> tensor<16xi32>
  %r = linalg.generic #sum ins(%x, %w : tensor<16x64xi32>, tensor<64xi16>) outs(%f : tensor<16xi32>) {
  ^bb0(%a: i32, %b: i16, %o: i32):
    %c16 = arith.constant 16 : i32
    %sar = arith.shrsi %a, %c16 : i32
    %ext = arith.extsi %b : i16 to i32
    %mul = arith.muli %sar, %ext : i32
    %add = arith.addi %o, %mul : i32
    linalg.yield %add : i32
  } -> tensor<16xi32>
  %c0_2 = arith.constant 0 : i64
  %e_2 = tensor.empty() : tensor<16xi64>
  %f_2 = linalg.fill ins(%c0_2 : i64) outs(%e_2 : tensor<16xi64>) -> tensor<16xi64>
  %r_2 = linalg.generic #sum ins(%x, %w : tensor<16x64xi32>, tensor<64xi16>) outs(%f_2 : tensor<16xi64>) {
  ^bb0(%a_2: i32, %b_2: i16, %o_2: i64):
    %c65535 = arith.constant 65535 : i32
    %and = arith.andi %a_2, %c65535 : i32
    %ext_2 = arith.extsi %b_2 : i16 to i32
    %mul_2 = arith.muli %and, %ext_2 : i32
    %ext_3 = arith.extsi %mul_2 : i32 to i64
    %add_2 = arith.addi %o_2, %ext_3 : i64
    linalg.yield %add_2 : i64
  } -> tensor<16xi64>
  %e_3 = tensor.empty() : tensor<16xi64>
  %r_3 = linalg.generic #each2 ins(%r, %r_2 : tensor<16xi32>, tensor<16xi64>) outs(%e_3 : tensor<16xi64>) {
  ^bb0(%a_3: i32, %b_3: i64, %o_3: i64):
    %ext_4 = arith.extsi %a_3 : i32 to i64
    %c16_2 = arith.constant 16 : i64
    %shl = arith.shli %ext_4, %c16_2 : i64
    %add_3 = arith.addi %shl, %b_3 : i64
    linalg.yield %add_3 : i64
  } -> tensor<16xi64>
  return %r_3 : tensor<16xi64>
}

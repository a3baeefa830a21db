// Matrix product of i16 in i32, which wraps, K = 64.

#sum = {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>],
  iterator_types = ["parallel", "parallel", "reduction"]}
#each = {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
  iterator_types = ["parallel", "parallel"]}
#sum2 = {indexing_maps = [affine_map<(m, n, t, j) -> (m, t, j)>, affine_map<(m, n, t, j) -> (t, j, n)>, affine_map<(m, n, t, j) -> (m, n, t)>],
  iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
#sum3 = {indexing_maps = [affine_map<(m, n, t) -> (m, n, t)>, affine_map<(m, n, t) -> (m, n)>],
  iterator_types = ["parallel", "parallel", "reduction"]}

func.func @kernel(%A: tensor<8x64xi16>, %B: tensor<64x8xi16>) -> tensor<8x8xi32> {
  %c0 = arith.constant 0 : i32
  %e = tensor.empty() : tensor<8x8xi32>
  %f = linalg.fill ins(%c0 : i32) outs(%e : tensor<8x8xi32>) -> tensor<8x8xi32>
  %r = linalg.generic #sum ins(%A, %B : tensor<8x64xi16>, tensor<64x8xi16>) outs(%f : tensor<8x8xi32>) {
  ^bb0(%a: i16, %b: i16, %o: i32):
    %ext = arith.extsi %a : i16 to i32
    %ext_2 = arith.extsi %b : i16 to i32
    %mul = arith.muli %ext, %ext_2 : i32
    %add = arith.addi %o, %mul : i32
    linalg.yield %add : i32
  } -> tensor<8x8xi32>
  return %r : tensor<8x8xi32>
}

// Sums in i64, cut to 32 bits at the end.
func.func @right_i64(%A: tensor<8x64xi16>, %B: tensor<64x8xi16>) -> tensor<8x8xi32> {
  %c0 = arith.constant 0 : i64
  %e = tensor.empty() : tensor<8x8xi64>
  %f = linalg.fill ins(%c0 : i64) outs(%e : tensor<8x8xi64>) -> tensor<8x8xi64>
  %r = linalg.generic #sum ins(%A, %B : tensor<8x64xi16>, tensor<64x8xi16>) outs(%f : tensor<8x8xi64>) {
  ^bb0(%a: i16, %b: i16, %o: i64):
    %ext = arith.extsi %a : i16 to i64
    %ext_2 = arith.extsi %b : i16 to i64
    %mul = arith.muli %ext, %ext_2 : i64
    %add = arith.addi %o, %mul : i64
    linalg.yield %add : i64
  } -> tensor<8x8xi64>
  %e_2 = tensor.empty() : tensor<8x8xi32>
  %r_2 = linalg.generic #each ins(%r : tensor<8x8xi64>) outs(%e_2 : tensor<8x8xi32>) {
  ^bb0(%a_2: i64, %o_2: i32):
    %cut = arith.trunci %a_2 : i64 to i32
    linalg.yield %cut : i32
  } -> tensor<8x8xi32>
  return %r_2 : tensor<8x8xi32>
}

// Sums of magnitude up to 2^36 are exact in f64, and are cut to 32 bits from i64.
func.func @right_f64(%A: tensor<8x64xi16>, %B: tensor<64x8xi16>) -> tensor<8x8xi32> {
  %f = arith.constant 0.0 : f64
  %e = tensor.empty() : tensor<8x8xf64>
  %f_2 = linalg.fill ins(%f : f64) outs(%e : tensor<8x8xf64>) -> tensor<8x8xf64>
  %r = linalg.generic #sum ins(%A, %B : tensor<8x64xi16>, tensor<64x8xi16>) outs(%f_2 : tensor<8x8xf64>) {
  ^bb0(%a: i16, %b: i16, %o: f64):
    %float = arith.sitofp %a : i16 to f64
    %float_2 = arith.sitofp %b : i16 to f64
    %mul = arith.mulf %float, %float_2 : f64
    %add = arith.addf %o, %mul : f64
    linalg.yield %add : f64
  } -> tensor<8x8xf64>
  %e_2 = tensor.empty() : tensor<8x8xi32>
  %r_2 = linalg.generic #each ins(%r : tensor<8x8xf64>) outs(%e_2 : tensor<8x8xi32>) {
  ^bb0(%a_2: f64, %o_2: i32):
    %int = arith.fptosi %a_2 : f64 to i64
    %cut = arith.trunci %int : i64 to i32
    linalg.yield %cut : i32
  } -> tensor<8x8xi32>
  return %r_2 : tensor<8x8xi32>
}

// Sums in f32. Shows when a sum passes 2^24.
func.func @wrong_f32(%A: tensor<8x64xi16>, %B: tensor<64x8xi16>) -> tensor<8x8xi32> {
  %f = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8x8xf32>
  %f_2 = linalg.fill ins(%f : f32) outs(%e : tensor<8x8xf32>) -> tensor<8x8xf32>
  %r = linalg.generic #sum ins(%A, %B : tensor<8x64xi16>, tensor<64x8xi16>) outs(%f_2 : tensor<8x8xf32>) {
  ^bb0(%a: i16, %b: i16, %o: f32):
    %float = arith.sitofp %a : i16 to f32
    %float_2 = arith.sitofp %b : i16 to f32
    %mul = arith.mulf %float, %float_2 : f32
    %add = arith.addf %o, %mul : f32
    linalg.yield %add : f32
  } -> tensor<8x8xf32>
  %e_2 = tensor.empty() : tensor<8x8xi32>
  %r_2 = linalg.generic #each ins(%r : tensor<8x8xf32>) outs(%e_2 : tensor<8x8xi32>) {
  ^bb0(%a_2: f32, %o_2: i32):
    %int = arith.fptosi %a_2 : f32 to i64
    %cut = arith.trunci %int : i64 to i32
    linalg.yield %cut : i32
  } -> tensor<8x8xi32>
  return %r_2 : tensor<8x8xi32>
}

// The running sum saturates at the ends of i32. Shows when a partial sum leaves i32: all inputs above 5793.
func.func @wrong_saturate(%A: tensor<8x64xi16>, %B: tensor<64x8xi16>) -> tensor<8x8xi32> {
  %c0 = arith.constant 0 : i32
  %e = tensor.empty() : tensor<8x8xi32>
  %f = linalg.fill ins(%c0 : i32) outs(%e : tensor<8x8xi32>) -> tensor<8x8xi32>
  %r = linalg.generic #sum ins(%A, %B : tensor<8x64xi16>, tensor<64x8xi16>) outs(%f : tensor<8x8xi32>) {
  ^bb0(%a: i16, %b: i16, %o: i32):
    %ext = arith.extsi %o : i32 to i64
    %ext_2 = arith.extsi %a : i16 to i32
    %ext_3 = arith.extsi %b : i16 to i32
    %mul = arith.muli %ext_2, %ext_3 : i32
    %ext_4 = arith.extsi %mul : i32 to i64
    %add = arith.addi %ext, %ext_4 : i64
    %c2147483647 = arith.constant 2147483647 : i64
    %min = arith.minsi %add, %c2147483647 : i64
    %cm2147483648 = arith.constant -2147483648 : i64
    %max = arith.maxsi %min, %cm2147483648 : i64
    %cut = arith.trunci %max : i64 to i32
    linalg.yield %cut : i32
  } -> tensor<8x8xi32>
  return %r : tensor<8x8xi32>
}

// Each pair of products saturates in i32, the rest wraps. Shows only where all four factors are -32768.
func.func @wrong_pairs_saturate(%A: tensor<8x64xi16>, %B: tensor<64x8xi16>) -> tensor<8x8xi32> {
  %x = tensor.expand_shape %A [[0], [1, 2]] output_shape [8, 32, 2] : tensor<8x64xi16> into tensor<8x32x2xi16>
  %x_2 = tensor.expand_shape %B [[0, 1], [2]] output_shape [32, 2, 8] : tensor<64x8xi16> into tensor<32x2x8xi16>
  %c0 = arith.constant 0 : i32
  %e = tensor.empty() : tensor<8x8x32xi32>
  %f = linalg.fill ins(%c0 : i32) outs(%e : tensor<8x8x32xi32>) -> tensor<8x8x32xi32>
  %r = linalg.generic #sum2 ins(%x, %x_2 : tensor<8x32x2xi16>, tensor<32x2x8xi16>) outs(%f : tensor<8x8x32xi32>) {
  ^bb0(%a: i16, %b: i16, %o: i32):
    %ext = arith.extsi %o : i32 to i64
    %ext_2 = arith.extsi %a : i16 to i32
    %ext_3 = arith.extsi %b : i16 to i32
    %mul = arith.muli %ext_2, %ext_3 : i32
    %ext_4 = arith.extsi %mul : i32 to i64
    %add = arith.addi %ext, %ext_4 : i64
    %c2147483647 = arith.constant 2147483647 : i64
    %min = arith.minsi %add, %c2147483647 : i64
    %cm2147483648 = arith.constant -2147483648 : i64
    %max = arith.maxsi %min, %cm2147483648 : i64
    %cut = arith.trunci %max : i64 to i32
    linalg.yield %cut : i32
  } -> tensor<8x8x32xi32>
  %e_2 = tensor.empty() : tensor<8x8xi32>
  %f_2 = linalg.fill ins(%c0 : i32) outs(%e_2 : tensor<8x8xi32>) -> tensor<8x8xi32>
  %r_2 = linalg.generic #sum3 ins(%r : tensor<8x8x32xi32>) outs(%f_2 : tensor<8x8xi32>) {
  ^bb0(%a_2: i32, %o_2: i32):
    %add_2 = arith.addi %o_2, %a_2 : i32
    linalg.yield %add_2 : i32
  } -> tensor<8x8xi32>
  return %r_2 : tensor<8x8xi32>
}

// Byte by byte, with the two cross products added in i16. Shows when they pass 32767: a and b above 16384.
func.func @wrong_cross_i16(%A: tensor<8x64xi16>, %B: tensor<64x8xi16>) -> tensor<8x8xi32> {
  %c0 = arith.constant 0 : i32
  %e = tensor.empty() : tensor<8x8xi32>
  %f = linalg.fill ins(%c0 : i32) outs(%e : tensor<8x8xi32>) -> tensor<8x8xi32>
  %r = linalg.generic #sum ins(%A, %B : tensor<8x64xi16>, tensor<64x8xi16>) outs(%f : tensor<8x8xi32>) {
  ^bb0(%a: i16, %b: i16, %o: i32):
    %c8 = arith.constant 8 : i16
    %sar = arith.shrsi %a, %c8 : i16
    %c255 = arith.constant 255 : i16
    %and = arith.andi %a, %c255 : i16
    %sar_2 = arith.shrsi %b, %c8 : i16
    %and_2 = arith.andi %b, %c255 : i16
    %ext = arith.extsi %sar : i16 to i32
    %ext_2 = arith.extsi %sar_2 : i16 to i32
    %mul = arith.muli %ext, %ext_2 : i32
    %c16 = arith.constant 16 : i32
    %shl = arith.shli %mul, %c16 : i32
    %add = arith.addi %o, %shl : i32
    %mul_2 = arith.muli %sar, %and_2 : i16
    %mul_3 = arith.muli %and, %sar_2 : i16
    %add_2 = arith.addi %mul_2, %mul_3 : i16
    %ext_3 = arith.extsi %add_2 : i16 to i32
    %c8_2 = arith.constant 8 : i32
    %shl_2 = arith.shli %ext_3, %c8_2 : i32
    %add_3 = arith.addi %add, %shl_2 : i32
    %ext_4 = arith.extui %and : i16 to i32
    %ext_5 = arith.extui %and_2 : i16 to i32
    %mul_4 = arith.muli %ext_4, %ext_5 : i32
    %add_4 = arith.addi %add_3, %mul_4 : i32
    linalg.yield %add_4 : i32
  } -> tensor<8x8xi32>
  return %r : tensor<8x8xi32>
}

// Requantises i32 to i8: times 21955 / 2^22 (about 1 / 191) in i64, rounding half up, clamped to i8.

#each = {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
  iterator_types = ["parallel"]}

func.func @kernel(%x: tensor<1024xi32>) -> tensor<1024xi8> {
  %e = tensor.empty() : tensor<1024xi8>
  %r = linalg.generic #each ins(%x : tensor<1024xi32>) outs(%e : tensor<1024xi8>) {
  ^bb0(%a: i32, %o: i8):
    %ext = arith.extsi %a : i32 to i64
    %c21955 = arith.constant 21955 : i64
    %mul = arith.muli %ext, %c21955 : i64
    %c2097152 = arith.constant 2097152 : i64
    %add = arith.addi %mul, %c2097152 : i64
    %c22 = arith.constant 22 : i64
    %sar = arith.shrsi %add, %c22 : i64
    %c127 = arith.constant 127 : i64
    %min = arith.minsi %sar, %c127 : i64
    %cm128 = arith.constant -128 : i64
    %max = arith.maxsi %min, %cm128 : i64
    %cut = arith.trunci %max : i64 to i8
    linalg.yield %cut : i8
  } -> tensor<1024xi8>
  return %r : tensor<1024xi8>
}

// Halves away from zero. The clamped range has none: 21955 is odd, so x would be a multiple of 2^21.
func.func @right_half_away(%x: tensor<1024xi32>) -> tensor<1024xi8> {
  %e = tensor.empty() : tensor<1024xi8>
  %r = linalg.generic #each ins(%x : tensor<1024xi32>) outs(%e : tensor<1024xi8>) {
  ^bb0(%a: i32, %o: i8):
    %ext = arith.extsi %a : i32 to i64
    %c21955 = arith.constant 21955 : i64
    %mul = arith.muli %ext, %c21955 : i64
    %c63 = arith.constant 63 : i64
    %sar = arith.shrsi %ext, %c63 : i64
    %c2097152 = arith.constant 2097152 : i64
    %add = arith.addi %c2097152, %sar : i64
    %add_2 = arith.addi %mul, %add : i64
    %c22 = arith.constant 22 : i64
    %sar_2 = arith.shrsi %add_2, %c22 : i64
    %c127 = arith.constant 127 : i64
    %min = arith.minsi %sar_2, %c127 : i64
    %cm128 = arith.constant -128 : i64
    %max = arith.maxsi %min, %cm128 : i64
    %cut = arith.trunci %max : i64 to i8
    linalg.yield %cut : i8
  } -> tensor<1024xi8>
  return %r : tensor<1024xi8>
}

// Clamps x first, to where the result is cut off anyway. Then i32 holds the product.
func.func @right_clamp_first(%x: tensor<1024xi32>) -> tensor<1024xi8> {
  %e = tensor.empty() : tensor<1024xi8>
  %r = linalg.generic #each ins(%x : tensor<1024xi32>) outs(%e : tensor<1024xi8>) {
  ^bb0(%a: i32, %o: i8):
    %c30000 = arith.constant 30000 : i32
    %min = arith.minsi %a, %c30000 : i32
    %cm30000 = arith.constant -30000 : i32
    %max = arith.maxsi %min, %cm30000 : i32
    %c21955 = arith.constant 21955 : i32
    %mul = arith.muli %max, %c21955 : i32
    %c2097152 = arith.constant 2097152 : i32
    %add = arith.addi %mul, %c2097152 : i32
    %c22 = arith.constant 22 : i32
    %sar = arith.shrsi %add, %c22 : i32
    %c127 = arith.constant 127 : i32
    %min_2 = arith.minsi %sar, %c127 : i32
    %cm128 = arith.constant -128 : i32
    %max_2 = arith.maxsi %min_2, %cm128 : i32
    %cut = arith.trunci %max_2 : i32 to i8
    linalg.yield %cut : i8
  } -> tensor<1024xi8>
  return %r : tensor<1024xi8>
}

// In f32, which rounds no product over a half within the clamped range.
func.func @right_f32(%x: tensor<1024xi32>) -> tensor<1024xi8> {
  %e = tensor.empty() : tensor<1024xi8>
  %r = linalg.generic #each ins(%x : tensor<1024xi32>) outs(%e : tensor<1024xi8>) {
  ^bb0(%a: i32, %o: i8):
    %float = arith.sitofp %a : i32 to f32
    %f = arith.constant 0.005234479904174805 : f32
    %mul = arith.mulf %float, %f : f32
    %f_2 = arith.constant 0.5 : f32
    %add = arith.addf %mul, %f_2 : f32
    %floor = math.floor %add : f32
    %f_3 = arith.constant 127.0 : f32
    %min = arith.minimumf %floor, %f_3 : f32
    %f_4 = arith.constant -128.0 : f32
    %max = arith.maximumf %min, %f_4 : f32
    %int = arith.fptosi %max : f32 to i32
    %cut = arith.trunci %int : i32 to i8
    linalg.yield %cut : i8
  } -> tensor<1024xi8>
  return %r : tensor<1024xi8>
}

// Shifts by 11 twice and rounds each time. Shows only for 12 values of x, as 2388 and -2197.
func.func @wrong_two_roundings(%x: tensor<1024xi32>) -> tensor<1024xi8> {
  %e = tensor.empty() : tensor<1024xi8>
  %r = linalg.generic #each ins(%x : tensor<1024xi32>) outs(%e : tensor<1024xi8>) {
  ^bb0(%a: i32, %o: i8):
    %ext = arith.extsi %a : i32 to i64
    %c21955 = arith.constant 21955 : i64
    %mul = arith.muli %ext, %c21955 : i64
    %c1024 = arith.constant 1024 : i64
    %add = arith.addi %mul, %c1024 : i64
    %c11 = arith.constant 11 : i64
    %sar = arith.shrsi %add, %c11 : i64
    %add_2 = arith.addi %sar, %c1024 : i64
    %sar_2 = arith.shrsi %add_2, %c11 : i64
    %c127 = arith.constant 127 : i64
    %min = arith.minsi %sar_2, %c127 : i64
    %cm128 = arith.constant -128 : i64
    %max = arith.maxsi %min, %cm128 : i64
    %cut = arith.trunci %max : i64 to i8
    linalg.yield %cut : i8
  } -> tensor<1024xi8>
  return %r : tensor<1024xi8>
}

// The product in i32. Shows beyond 97715, where it wraps.
func.func @wrong_product_i32(%x: tensor<1024xi32>) -> tensor<1024xi8> {
  %e = tensor.empty() : tensor<1024xi8>
  %r = linalg.generic #each ins(%x : tensor<1024xi32>) outs(%e : tensor<1024xi8>) {
  ^bb0(%a: i32, %o: i8):
    %c21955 = arith.constant 21955 : i32
    %mul = arith.muli %a, %c21955 : i32
    %c2097152 = arith.constant 2097152 : i32
    %add = arith.addi %mul, %c2097152 : i32
    %c22 = arith.constant 22 : i32
    %sar = arith.shrsi %add, %c22 : i32
    %c127 = arith.constant 127 : i32
    %min = arith.minsi %sar, %c127 : i32
    %cm128 = arith.constant -128 : i32
    %max = arith.maxsi %min, %cm128 : i32
    %cut = arith.trunci %max : i32 to i8
    linalg.yield %cut : i8
  } -> tensor<1024xi8>
  return %r : tensor<1024xi8>
}

// Cuts to 8 bits without the clamp. Shows beyond 24358.
func.func @wrong_no_clamp(%x: tensor<1024xi32>) -> tensor<1024xi8> {
  %e = tensor.empty() : tensor<1024xi8>
  %r = linalg.generic #each ins(%x : tensor<1024xi32>) outs(%e : tensor<1024xi8>) {
  ^bb0(%a: i32, %o: i8):
    %ext = arith.extsi %a : i32 to i64
    %c21955 = arith.constant 21955 : i64
    %mul = arith.muli %ext, %c21955 : i64
    %c2097152 = arith.constant 2097152 : i64
    %add = arith.addi %mul, %c2097152 : i64
    %c22 = arith.constant 22 : i64
    %sar = arith.shrsi %add, %c22 : i64
    %cut = arith.trunci %sar : i64 to i8
    linalg.yield %cut : i8
  } -> tensor<1024xi8>
  return %r : tensor<1024xi8>
}

// Clamps at -127. Shows below -24357.
func.func @wrong_symmetric(%x: tensor<1024xi32>) -> tensor<1024xi8> {
  %e = tensor.empty() : tensor<1024xi8>
  %r = linalg.generic #each ins(%x : tensor<1024xi32>) outs(%e : tensor<1024xi8>) {
  ^bb0(%a: i32, %o: i8):
    %ext = arith.extsi %a : i32 to i64
    %c21955 = arith.constant 21955 : i64
    %mul = arith.muli %ext, %c21955 : i64
    %c2097152 = arith.constant 2097152 : i64
    %add = arith.addi %mul, %c2097152 : i64
    %c22 = arith.constant 22 : i64
    %sar = arith.shrsi %add, %c22 : i64
    %c127 = arith.constant 127 : i64
    %min = arith.minsi %sar, %c127 : i64
    %cm127 = arith.constant -127 : i64
    %max = arith.maxsi %min, %cm127 : i64
    %cut = arith.trunci %max : i64 to i8
    linalg.yield %cut : i8
  } -> tensor<1024xi8>
  return %r : tensor<1024xi8>
}

// Ticks elapsed: x - y of i64, cut to 32 bits.

#each = {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
  iterator_types = ["parallel"]}

func.func @kernel(%x: tensor<512xi64>, %y: tensor<512xi64>) -> tensor<512xi32> {
  %e = tensor.empty() : tensor<512xi32>
  %r = linalg.generic #each ins(%x, %y : tensor<512xi64>, tensor<512xi64>) outs(%e : tensor<512xi32>) {
  ^bb0(%a: i64, %b: i64, %o: i32):
    %sub = arith.subi %a, %b : i64
    %cut = arith.trunci %sub : i64 to i32
    linalg.yield %cut : i32
  } -> tensor<512xi32>
  return %r : tensor<512xi32>
}

// Cuts both, then subtracts in i32.
func.func @right_cut_first(%x: tensor<512xi64>, %y: tensor<512xi64>) -> tensor<512xi32> {
  %e = tensor.empty() : tensor<512xi32>
  %r = linalg.generic #each ins(%x, %y : tensor<512xi64>, tensor<512xi64>) outs(%e : tensor<512xi32>) {
  ^bb0(%a: i64, %b: i64, %o: i32):
    %cut = arith.trunci %a : i64 to i32
    %cut_2 = arith.trunci %b : i64 to i32
    %sub = arith.subi %cut, %cut_2 : i32
    linalg.yield %sub : i32
  } -> tensor<512xi32>
  return %r : tensor<512xi32>
}

// x + ~y + 1.
func.func @right_complement(%x: tensor<512xi64>, %y: tensor<512xi64>) -> tensor<512xi32> {
  %e = tensor.empty() : tensor<512xi32>
  %r = linalg.generic #each ins(%x, %y : tensor<512xi64>, tensor<512xi64>) outs(%e : tensor<512xi32>) {
  ^bb0(%a: i64, %b: i64, %o: i32):
    %cm1 = arith.constant -1 : i64
    %xor = arith.xori %b, %cm1 : i64
    %add = arith.addi %a, %xor : i64
    %c1 = arith.constant 1 : i64
    %add_2 = arith.addi %add, %c1 : i64
    %cut = arith.trunci %add_2 : i64 to i32
    linalg.yield %cut : i32
  } -> tensor<512xi32>
  return %r : tensor<512xi32>
}

// Clamps to i32. Shows when the difference leaves i32.
func.func @wrong_clamp(%x: tensor<512xi64>, %y: tensor<512xi64>) -> tensor<512xi32> {
  %e = tensor.empty() : tensor<512xi32>
  %r = linalg.generic #each ins(%x, %y : tensor<512xi64>, tensor<512xi64>) outs(%e : tensor<512xi32>) {
  ^bb0(%a: i64, %b: i64, %o: i32):
    %sub = arith.subi %a, %b : i64
    %c2147483647 = arith.constant 2147483647 : i64
    %min = arith.minsi %sub, %c2147483647 : i64
    %cm2147483648 = arith.constant -2147483648 : i64
    %max = arith.maxsi %min, %cm2147483648 : i64
    %cut = arith.trunci %max : i64 to i32
    linalg.yield %cut : i32
  } -> tensor<512xi32>
  return %r : tensor<512xi32>
}

// Clamps both, then subtracts. Shows for x or y beyond i32.
func.func @wrong_clamp_first(%x: tensor<512xi64>, %y: tensor<512xi64>) -> tensor<512xi32> {
  %e = tensor.empty() : tensor<512xi32>
  %r = linalg.generic #each ins(%x, %y : tensor<512xi64>, tensor<512xi64>) outs(%e : tensor<512xi32>) {
  ^bb0(%a: i64, %b: i64, %o: i32):
    %c2147483647 = arith.constant 2147483647 : i64
    %min = arith.minsi %a, %c2147483647 : i64
    %cm2147483648 = arith.constant -2147483648 : i64
    %max = arith.maxsi %min, %cm2147483648 : i64
    %cut = arith.trunci %max : i64 to i32
    %min_2 = arith.minsi %b, %c2147483647 : i64
    %max_2 = arith.maxsi %min_2, %cm2147483648 : i64
    %cut_2 = arith.trunci %max_2 : i64 to i32
    %sub = arith.subi %cut, %cut_2 : i32
    linalg.yield %sub : i32
  } -> tensor<512xi32>
  return %r : tensor<512xi32>
}

// Subtracts in f64. Shows for x or y beyond 2^53.
func.func @wrong_f64(%x: tensor<512xi64>, %y: tensor<512xi64>) -> tensor<512xi32> {
  %e = tensor.empty() : tensor<512xi32>
  %r = linalg.generic #each ins(%x, %y : tensor<512xi64>, tensor<512xi64>) outs(%e : tensor<512xi32>) {
  ^bb0(%a: i64, %b: i64, %o: i32):
    %float = arith.sitofp %a : i64 to f64
    %float_2 = arith.sitofp %b : i64 to f64
    %sub = arith.subf %float, %float_2 : f64
    %f = arith.constant 9223372036854774784.0 : f64
    %min = arith.minimumf %sub, %f : f64
    %f_2 = arith.constant -9223372036854775808.0 : f64
    %max = arith.maximumf %min, %f_2 : f64
    %int = arith.fptosi %max : f64 to i64
    %cut = arith.trunci %int : i64 to i32
    linalg.yield %cut : i32
  } -> tensor<512xi32>
  return %r : tensor<512xi32>
}

// Subtracts in f32. Shows for x or y beyond 2^24.
func.func @wrong_f32(%x: tensor<512xi64>, %y: tensor<512xi64>) -> tensor<512xi32> {
  %e = tensor.empty() : tensor<512xi32>
  %r = linalg.generic #each ins(%x, %y : tensor<512xi64>, tensor<512xi64>) outs(%e : tensor<512xi32>) {
  ^bb0(%a: i64, %b: i64, %o: i32):
    %float = arith.sitofp %a : i64 to f32
    %float_2 = arith.sitofp %b : i64 to f32
    %sub = arith.subf %float, %float_2 : f32
    %f = arith.constant 9223371487098961920.0 : f32
    %min = arith.minimumf %sub, %f : f32
    %f_2 = arith.constant -9223372036854775808.0 : f32
    %max = arith.maximumf %min, %f_2 : f32
    %int = arith.fptosi %max : f32 to i64
    %cut = arith.trunci %int : i64 to i32
    linalg.yield %cut : i32
  } -> tensor<512xi32>
  return %r : tensor<512xi32>
}

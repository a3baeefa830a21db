// Scaled by the root of a variance: NaN for half of the numbers in [-1, 1).

#rows = affine_map<(i, j) -> (i, j)>
#channel = affine_map<(i, j) -> (j)>

func.func @kernel(%x: tensor<32x16xf32>, %variance: tensor<16xf32>) -> tensor<32x16xf32> {
  %eps = arith.constant 1.0e-5 : f32
  %e = tensor.empty() : tensor<32x16xf32>
  %r = linalg.generic {indexing_maps = [#rows, #channel, #rows], iterator_types = ["parallel", "parallel"]}
    ins(%x, %variance : tensor<32x16xf32>, tensor<16xf32>) outs(%e : tensor<32x16xf32>) {
  ^bb0(%a: f32, %v: f32, %o: f32):
    %sum = arith.addf %v, %eps : f32
    %s = math.rsqrt %sum : f32
    %n = arith.mulf %a, %s : f32
    linalg.yield %n : f32
  } -> tensor<32x16xf32>
  return %r : tensor<32x16xf32>
}

// Divided by the root.
func.func @right_quotient(%x: tensor<32x16xf32>, %variance: tensor<16xf32>) -> tensor<32x16xf32> {
  %eps = arith.constant 1.0e-5 : f32
  %e = tensor.empty() : tensor<32x16xf32>
  %r = linalg.generic {indexing_maps = [#rows, #channel, #rows], iterator_types = ["parallel", "parallel"]}
    ins(%x, %variance : tensor<32x16xf32>, tensor<16xf32>) outs(%e : tensor<32x16xf32>) {
  ^bb0(%a: f32, %v: f32, %o: f32):
    %sum = arith.addf %v, %eps : f32
    %s = math.sqrt %sum : f32
    %n = arith.divf %a, %s : f32
    linalg.yield %n : f32
  } -> tensor<32x16xf32>
  return %r : tensor<32x16xf32>
}

// The epsilon is a hundred times as large.
func.func @wrong_epsilon(%x: tensor<32x16xf32>, %variance: tensor<16xf32>) -> tensor<32x16xf32> {
  %eps = arith.constant 1.0e-5 : f32
  %e = tensor.empty() : tensor<32x16xf32>
  %r = linalg.generic {indexing_maps = [#rows, #channel, #rows], iterator_types = ["parallel", "parallel"]}
    ins(%x, %variance : tensor<32x16xf32>, tensor<16xf32>) outs(%e : tensor<32x16xf32>) {
  ^bb0(%a: f32, %v: f32, %o: f32):
    %large = arith.constant 1.0e-3 : f32
    %sum = arith.addf %v, %large : f32
    %s = math.rsqrt %sum : f32
    %n = arith.mulf %a, %s : f32
    linalg.yield %n : f32
  } -> tensor<32x16xf32>
  return %r : tensor<32x16xf32>
}

// The root of the root.
func.func @wrong_root(%x: tensor<32x16xf32>, %variance: tensor<16xf32>) -> tensor<32x16xf32> {
  %eps = arith.constant 1.0e-5 : f32
  %e = tensor.empty() : tensor<32x16xf32>
  %r = linalg.generic {indexing_maps = [#rows, #channel, #rows], iterator_types = ["parallel", "parallel"]}
    ins(%x, %variance : tensor<32x16xf32>, tensor<16xf32>) outs(%e : tensor<32x16xf32>) {
  ^bb0(%a: f32, %v: f32, %o: f32):
    %sum = arith.addf %v, %eps : f32
    %s = math.rsqrt %sum : f32
    %t = math.sqrt %s : f32
    %n = arith.mulf %a, %t : f32
    linalg.yield %n : f32
  } -> tensor<32x16xf32>
  return %r : tensor<32x16xf32>
}

// NaN for a negative scaled number.
func.func @wrong_sign(%x: tensor<32x16xf32>, %variance: tensor<16xf32>) -> tensor<32x16xf32> {
  %eps = arith.constant 1.0e-5 : f32
  %e = tensor.empty() : tensor<32x16xf32>
  %r = linalg.generic {indexing_maps = [#rows, #channel, #rows], iterator_types = ["parallel", "parallel"]}
    ins(%x, %variance : tensor<32x16xf32>, tensor<16xf32>) outs(%e : tensor<32x16xf32>) {
  ^bb0(%a: f32, %v: f32, %o: f32):
    %sum = arith.addf %v, %eps : f32
    %s = math.rsqrt %sum : f32
    %q = arith.mulf %a, %s : f32
    %l = math.sqrt %q : f32
    %n = arith.mulf %l, %l : f32
    linalg.yield %n : f32
  } -> tensor<32x16xf32>
  return %r : tensor<32x16xf32>
}

// A variance that is negative is taken for its magnitude.
func.func @wrong_magnitude(%x: tensor<32x16xf32>, %variance: tensor<16xf32>) -> tensor<32x16xf32> {
  %eps = arith.constant 1.0e-5 : f32
  %e = tensor.empty() : tensor<32x16xf32>
  %r = linalg.generic {indexing_maps = [#rows, #channel, #rows], iterator_types = ["parallel", "parallel"]}
    ins(%x, %variance : tensor<32x16xf32>, tensor<16xf32>) outs(%e : tensor<32x16xf32>) {
  ^bb0(%a: f32, %v: f32, %o: f32):
    %m = math.absf %v : f32
    %sum = arith.addf %m, %eps : f32
    %s = math.rsqrt %sum : f32
    %n = arith.mulf %a, %s : f32
    linalg.yield %n : f32
  } -> tensor<32x16xf32>
  return %r : tensor<32x16xf32>
}

// In bf16.
func.func @wrong_bf16(%x: tensor<32x16xf32>, %variance: tensor<16xf32>) -> tensor<32x16xf32> {
  %eps = arith.constant 1.0e-5 : f32
  %e = tensor.empty() : tensor<32x16xf32>
  %r = linalg.generic {indexing_maps = [#rows, #channel, #rows], iterator_types = ["parallel", "parallel"]}
    ins(%x, %variance : tensor<32x16xf32>, tensor<16xf32>) outs(%e : tensor<32x16xf32>) {
  ^bb0(%a: f32, %v: f32, %o: f32):
    %sum = arith.addf %v, %eps : f32
    %s = math.rsqrt %sum : f32
    %h = arith.truncf %s : f32 to bf16
    %t = arith.extf %h : bf16 to f32
    %n = arith.mulf %a, %t : f32
    linalg.yield %n : f32
  } -> tensor<32x16xf32>
  return %r : tensor<32x16xf32>
}

// Maximum of each row of i32.

#sum = {indexing_maps = [affine_map<(r, c) -> (r, c)>, affine_map<(r, c) -> (r)>],
  iterator_types = ["parallel", "reduction"]}
#sum2 = {indexing_maps = [affine_map<(r, t, j) -> (r, t, j)>, affine_map<(r, t, j) -> (r, t)>],
  iterator_types = ["parallel", "parallel", "reduction"]}
#each = {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
  iterator_types = ["parallel"]}

func.func @kernel(%x: tensor<32x50xi32>) -> tensor<32xi32> {
  %cm2147483648 = arith.constant -2147483648 : i32
  %e = tensor.empty() : tensor<32xi32>
  %f = linalg.fill ins(%cm2147483648 : i32) outs(%e : tensor<32xi32>) -> tensor<32xi32>
  %r = linalg.generic #sum ins(%x : tensor<32x50xi32>) outs(%f : tensor<32xi32>) {
  ^bb0(%a: i32, %o: i32):
    %max = arith.maxsi %o, %a : i32
    linalg.yield %max : i32
  } -> tensor<32xi32>
  return %r : tensor<32xi32>
}

// Begins with the first column.
func.func @right_first(%x: tensor<32x50xi32>) -> tensor<32xi32> {
  %s = tensor.extract_slice %x[0, 0] [32, 1] [1, 1] : tensor<32x50xi32> to tensor<32xi32>
  %r = linalg.generic #sum ins(%x : tensor<32x50xi32>) outs(%s : tensor<32xi32>) {
  ^bb0(%a: i32, %o: i32):
    %max = arith.maxsi %o, %a : i32
    linalg.yield %max : i32
  } -> tensor<32xi32>
  return %r : tensor<32xi32>
}

// Halves of 25, then the greater of the two.
func.func @right_two_halves(%x: tensor<32x50xi32>) -> tensor<32xi32> {
  %x_2 = tensor.expand_shape %x [[0], [1, 2]] output_shape [32, 2, 25] : tensor<32x50xi32> into tensor<32x2x25xi32>
  %cm2147483648 = arith.constant -2147483648 : i32
  %e = tensor.empty() : tensor<32x2xi32>
  %f = linalg.fill ins(%cm2147483648 : i32) outs(%e : tensor<32x2xi32>) -> tensor<32x2xi32>
  %r = linalg.generic #sum2 ins(%x_2 : tensor<32x2x25xi32>) outs(%f : tensor<32x2xi32>) {
  ^bb0(%a: i32, %o: i32):
    %max = arith.maxsi %o, %a : i32
    linalg.yield %max : i32
  } -> tensor<32x2xi32>
  %e_2 = tensor.empty() : tensor<32xi32>
  %f_2 = linalg.fill ins(%cm2147483648 : i32) outs(%e_2 : tensor<32xi32>) -> tensor<32xi32>
  %r_2 = linalg.generic #sum ins(%r : tensor<32x2xi32>) outs(%f_2 : tensor<32xi32>) {
  ^bb0(%a_2: i32, %o_2: i32):
    %max_2 = arith.maxsi %o_2, %a_2 : i32
    linalg.yield %max_2 : i32
  } -> tensor<32xi32>
  return %r_2 : tensor<32xi32>
}

// Flips the sign bit and takes the unsigned maximum from 0.
func.func @right_unsigned(%x: tensor<32x50xi32>) -> tensor<32xi32> {
  %c0 = arith.constant 0 : i32
  %e = tensor.empty() : tensor<32xi32>
  %f = linalg.fill ins(%c0 : i32) outs(%e : tensor<32xi32>) -> tensor<32xi32>
  %r = linalg.generic #sum ins(%x : tensor<32x50xi32>) outs(%f : tensor<32xi32>) {
  ^bb0(%a: i32, %o: i32):
    %cm2147483648 = arith.constant -2147483648 : i32
    %xor = arith.xori %a, %cm2147483648 : i32
    %max = arith.maxui %o, %xor : i32
    linalg.yield %max : i32
  } -> tensor<32xi32>
  %e_2 = tensor.empty() : tensor<32xi32>
  %r_2 = linalg.generic #each ins(%r : tensor<32xi32>) outs(%e_2 : tensor<32xi32>) {
  ^bb0(%a_2: i32, %o_2: i32):
    %cm2147483648_2 = arith.constant -2147483648 : i32
    %xor_2 = arith.xori %a_2, %cm2147483648_2 : i32
    linalg.yield %xor_2 : i32
  } -> tensor<32xi32>
  return %r_2 : tensor<32xi32>
}

// Begins at 0. Shows for a row that is negative throughout.
func.func @wrong_from_zero(%x: tensor<32x50xi32>) -> tensor<32xi32> {
  %c0 = arith.constant 0 : i32
  %e = tensor.empty() : tensor<32xi32>
  %f = linalg.fill ins(%c0 : i32) outs(%e : tensor<32xi32>) -> tensor<32xi32>
  %r = linalg.generic #sum ins(%x : tensor<32x50xi32>) outs(%f : tensor<32xi32>) {
  ^bb0(%a: i32, %o: i32):
    %max = arith.maxsi %o, %a : i32
    linalg.yield %max : i32
  } -> tensor<32xi32>
  return %r : tensor<32xi32>
}

// Begins at -32768. Shows for a row that is below -32768 throughout.
func.func @wrong_from_i16(%x: tensor<32x50xi32>) -> tensor<32xi32> {
  %cm32768 = arith.constant -32768 : i32
  %e = tensor.empty() : tensor<32xi32>
  %f = linalg.fill ins(%cm32768 : i32) outs(%e : tensor<32xi32>) -> tensor<32xi32>
  %r = linalg.generic #sum ins(%x : tensor<32x50xi32>) outs(%f : tensor<32xi32>) {
  ^bb0(%a: i32, %o: i32):
    %max = arith.maxsi %o, %a : i32
    linalg.yield %max : i32
  } -> tensor<32xi32>
  return %r : tensor<32xi32>
}

// Begins at -2^31 + 1. Shows only for a row that is -2^31 throughout.
func.func @wrong_from_symmetric(%x: tensor<32x50xi32>) -> tensor<32xi32> {
  %cm2147483647 = arith.constant -2147483647 : i32
  %e = tensor.empty() : tensor<32xi32>
  %f = linalg.fill ins(%cm2147483647 : i32) outs(%e : tensor<32xi32>) -> tensor<32xi32>
  %r = linalg.generic #sum ins(%x : tensor<32x50xi32>) outs(%f : tensor<32xi32>) {
  ^bb0(%a: i32, %o: i32):
    %max = arith.maxsi %o, %a : i32
    linalg.yield %max : i32
  } -> tensor<32xi32>
  return %r : tensor<32xi32>
}

// In f32. Shows when the maximum passes 2^24.
func.func @wrong_f32(%x: tensor<32x50xi32>) -> tensor<32xi32> {
  %f = arith.constant -2147483648.0 : f32
  %e = tensor.empty() : tensor<32xf32>
  %f_2 = linalg.fill ins(%f : f32) outs(%e : tensor<32xf32>) -> tensor<32xf32>
  %r = linalg.generic #sum ins(%x : tensor<32x50xi32>) outs(%f_2 : tensor<32xf32>) {
  ^bb0(%a: i32, %o: f32):
    %float = arith.sitofp %a : i32 to f32
    %max = arith.maximumf %o, %float : f32
    linalg.yield %max : f32
  } -> tensor<32xf32>
  %e_2 = tensor.empty() : tensor<32xi32>
  %r_2 = linalg.generic #each ins(%r : tensor<32xf32>) outs(%e_2 : tensor<32xi32>) {
  ^bb0(%a_2: f32, %o_2: i32):
    %f_3 = arith.constant 2147483520.0 : f32
    %min = arith.minimumf %a_2, %f_3 : f32
    %int = arith.fptosi %min : f32 to i32
    linalg.yield %int : i32
  } -> tensor<32xi32>
  return %r_2 : tensor<32xi32>
}

// Compares by the sign of the difference. Shows when two elements differ by more than 2^31.
func.func @wrong_by_difference(%x: tensor<32x50xi32>) -> tensor<32xi32> {
  %s = tensor.extract_slice %x[0, 0] [32, 1] [1, 1] : tensor<32x50xi32> to tensor<32xi32>
  %r = linalg.generic #sum ins(%x : tensor<32x50xi32>) outs(%s : tensor<32xi32>) {
  ^bb0(%a: i32, %o: i32):
    %sub = arith.subi %a, %o : i32
    %c0 = arith.constant 0 : i32
    %sgt = arith.cmpi sgt, %sub, %c0 : i32
    %sel = arith.select %sgt, %a, %o : i32
    linalg.yield %sel : i32
  } -> tensor<32xi32>
  return %r : tensor<32xi32>
}

// Largest magnitude of each row of i16, in i32.

#sum = {indexing_maps = [affine_map<(r, c) -> (r, c)>, affine_map<(r, c) -> (r)>],
  iterator_types = ["parallel", "reduction"]}
#each = {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
  iterator_types = ["parallel"]}
#sum2 = {indexing_maps = [affine_map<(r, c) -> (r, c)>, affine_map<(r, c) -> (r)>, affine_map<(r, c) -> (r)>],
  iterator_types = ["parallel", "reduction"]}
#each2 = {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
  iterator_types = ["parallel"]}

func.func @kernel(%x: tensor<32x64xi16>) -> tensor<32xi32> {
  %c0 = arith.constant 0 : i32
  %e = tensor.empty() : tensor<32xi32>
  %f = linalg.fill ins(%c0 : i32) outs(%e : tensor<32xi32>) -> tensor<32xi32>
  %r = linalg.generic #sum ins(%x : tensor<32x64xi16>) outs(%f : tensor<32xi32>) {
  ^bb0(%a: i16, %o: i32):
    %ext = arith.extsi %a : i16 to i32
    %abs = math.absi %ext : i32
    %max = arith.maxsi %o, %abs : i32
    linalg.yield %max : i32
  } -> tensor<32xi32>
  return %r : tensor<32xi32>
}

// Magnitudes as unsigned 16 bits: -32768 gives 32768.
func.func @right_u16(%x: tensor<32x64xi16>) -> tensor<32xi32> {
  %c0 = arith.constant 0 : i16
  %e = tensor.empty() : tensor<32xi16>
  %f = linalg.fill ins(%c0 : i16) outs(%e : tensor<32xi16>) -> tensor<32xi16>
  %r = linalg.generic #sum ins(%x : tensor<32x64xi16>) outs(%f : tensor<32xi16>) {
  ^bb0(%a: i16, %o: i16):
    %abs = math.absi %a : i16
    %max = arith.maxui %o, %abs : i16
    linalg.yield %max : i16
  } -> tensor<32xi16>
  %e_2 = tensor.empty() : tensor<32xi32>
  %r_2 = linalg.generic #each ins(%r : tensor<32xi16>) outs(%e_2 : tensor<32xi32>) {
  ^bb0(%a_2: i16, %o_2: i32):
    %ext = arith.extui %a_2 : i16 to i32
    linalg.yield %ext : i32
  } -> tensor<32xi32>
  return %r_2 : tensor<32xi32>
}

// The greater of the maximum and minus the minimum.
func.func @right_min_max(%x: tensor<32x64xi16>) -> tensor<32xi32> {
  %cm32768 = arith.constant -32768 : i16
  %e = tensor.empty() : tensor<32xi16>
  %f = linalg.fill ins(%cm32768 : i16) outs(%e : tensor<32xi16>) -> tensor<32xi16>
  %c32767 = arith.constant 32767 : i16
  %e_2 = tensor.empty() : tensor<32xi16>
  %f_2 = linalg.fill ins(%c32767 : i16) outs(%e_2 : tensor<32xi16>) -> tensor<32xi16>
  %r:2 = linalg.generic #sum2 ins(%x : tensor<32x64xi16>) outs(%f, %f_2 : tensor<32xi16>, tensor<32xi16>) {
  ^bb0(%a: i16, %o: i16, %o_2: i16):
    %max = arith.maxsi %o, %a : i16
    %min = arith.minsi %o_2, %a : i16
    linalg.yield %max, %min : i16, i16
  } -> (tensor<32xi16>, tensor<32xi16>)
  %e_3 = tensor.empty() : tensor<32xi32>
  %r_2 = linalg.generic #each2 ins(%r#0, %r#1 : tensor<32xi16>, tensor<32xi16>) outs(%e_3 : tensor<32xi32>) {
  ^bb0(%a_2: i16, %b: i16, %o_3: i32):
    %ext = arith.extsi %a_2 : i16 to i32
    %ext_2 = arith.extsi %b : i16 to i32
    %c0 = arith.constant 0 : i32
    %sub = arith.subi %c0, %ext_2 : i32
    %max_2 = arith.maxsi %ext, %sub : i32
    linalg.yield %max_2 : i32
  } -> tensor<32xi32>
  return %r_2 : tensor<32xi32>
}

// Magnitudes as signed 16 bits: -32768 keeps its sign. Shows only in a row that holds -32768.
func.func @wrong_i16(%x: tensor<32x64xi16>) -> tensor<32xi32> {
  %c0 = arith.constant 0 : i16
  %e = tensor.empty() : tensor<32xi16>
  %f = linalg.fill ins(%c0 : i16) outs(%e : tensor<32xi16>) -> tensor<32xi16>
  %r = linalg.generic #sum ins(%x : tensor<32x64xi16>) outs(%f : tensor<32xi16>) {
  ^bb0(%a: i16, %o: i16):
    %abs = math.absi %a : i16
    %max = arith.maxsi %o, %abs : i16
    linalg.yield %max : i16
  } -> tensor<32xi16>
  %e_2 = tensor.empty() : tensor<32xi32>
  %r_2 = linalg.generic #each ins(%r : tensor<32xi16>) outs(%e_2 : tensor<32xi32>) {
  ^bb0(%a_2: i16, %o_2: i32):
    %ext = arith.extsi %a_2 : i16 to i32
    linalg.yield %ext : i32
  } -> tensor<32xi32>
  return %r_2 : tensor<32xi32>
}

// The magnitude saturates at 32767. Shows only in a row that holds -32768, by 1.
func.func @wrong_saturate(%x: tensor<32x64xi16>) -> tensor<32xi32> {
  %c0 = arith.constant 0 : i32
  %e = tensor.empty() : tensor<32xi32>
  %f = linalg.fill ins(%c0 : i32) outs(%e : tensor<32xi32>) -> tensor<32xi32>
  %r = linalg.generic #sum ins(%x : tensor<32x64xi16>) outs(%f : tensor<32xi32>) {
  ^bb0(%a: i16, %o: i32):
    %ext = arith.extsi %a : i16 to i32
    %abs = math.absi %ext : i32
    %c32767 = arith.constant 32767 : i32
    %min = arith.minsi %abs, %c32767 : i32
    %max = arith.maxsi %o, %min : i32
    linalg.yield %max : i32
  } -> tensor<32xi32>
  return %r : tensor<32xi32>
}

// The maximum against minus the minimum in i16. Shows only in a row that holds -32768.
func.func @wrong_min_max_i16(%x: tensor<32x64xi16>) -> tensor<32xi32> {
  %cm32768 = arith.constant -32768 : i16
  %e = tensor.empty() : tensor<32xi16>
  %f = linalg.fill ins(%cm32768 : i16) outs(%e : tensor<32xi16>) -> tensor<32xi16>
  %c32767 = arith.constant 32767 : i16
  %e_2 = tensor.empty() : tensor<32xi16>
  %f_2 = linalg.fill ins(%c32767 : i16) outs(%e_2 : tensor<32xi16>) -> tensor<32xi16>
  %r:2 = linalg.generic #sum2 ins(%x : tensor<32x64xi16>) outs(%f, %f_2 : tensor<32xi16>, tensor<32xi16>) {
  ^bb0(%a: i16, %o: i16, %o_2: i16):
    %max = arith.maxsi %o, %a : i16
    %min = arith.minsi %o_2, %a : i16
    linalg.yield %max, %min : i16, i16
  } -> (tensor<32xi16>, tensor<32xi16>)
  %e_3 = tensor.empty() : tensor<32xi32>
  %r_2 = linalg.generic #each2 ins(%r#0, %r#1 : tensor<32xi16>, tensor<32xi16>) outs(%e_3 : tensor<32xi32>) {
  ^bb0(%a_2: i16, %b: i16, %o_3: i32):
    %c0 = arith.constant 0 : i16
    %sub = arith.subi %c0, %b : i16
    %max_2 = arith.maxsi %a_2, %sub : i16
    %ext = arith.extui %max_2 : i16 to i32
    linalg.yield %ext : i32
  } -> tensor<32xi32>
  return %r_2 : tensor<32xi32>
}

// In f16. Shows when the largest magnitude passes 2048.
func.func @wrong_f16(%x: tensor<32x64xi16>) -> tensor<32xi32> {
  %f = arith.constant 0.0 : f16
  %e = tensor.empty() : tensor<32xf16>
  %f_2 = linalg.fill ins(%f : f16) outs(%e : tensor<32xf16>) -> tensor<32xf16>
  %r = linalg.generic #sum ins(%x : tensor<32x64xi16>) outs(%f_2 : tensor<32xf16>) {
  ^bb0(%a: i16, %o: f16):
    %float = arith.sitofp %a : i16 to f16
    %abs = math.absf %float : f16
    %max = arith.maximumf %o, %abs : f16
    linalg.yield %max : f16
  } -> tensor<32xf16>
  %e_2 = tensor.empty() : tensor<32xi32>
  %r_2 = linalg.generic #each ins(%r : tensor<32xf16>) outs(%e_2 : tensor<32xi32>) {
  ^bb0(%a_2: f16, %o_2: i32):
    %wide = arith.extf %a_2 : f16 to f32
    %int = arith.fptosi %wide : f32 to i32
    linalg.yield %int : i32
  } -> tensor<32xi32>
  return %r_2 : tensor<32xi32>
}

// Compares squares in i16. Shows for magnitudes above 181.
func.func @wrong_squares_i16(%x: tensor<32x64xi16>) -> tensor<32xi32> {
  %c0 = arith.constant 0 : i32
  %e = tensor.empty() : tensor<32xi32>
  %f = linalg.fill ins(%c0 : i32) outs(%e : tensor<32xi32>) -> tensor<32xi32>
  %r = linalg.generic #sum ins(%x : tensor<32x64xi16>) outs(%f : tensor<32xi32>) {
  ^bb0(%a: i16, %o: i32):
    %mul = arith.muli %a, %a : i16
    %cut = arith.trunci %o : i32 to i16
    %mul_2 = arith.muli %cut, %cut : i16
    %sgt = arith.cmpi sgt, %mul, %mul_2 : i16
    %ext = arith.extsi %a : i16 to i32
    %abs = math.absi %ext : i32
    %sel = arith.select %sgt, %abs, %o : i32
    linalg.yield %sel : i32
  } -> tensor<32xi32>
  return %r : tensor<32xi32>
}

// |x - y| of i32, exact when read as unsigned.

#each = {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
  iterator_types = ["parallel"]}

func.func @kernel(%x: tensor<1024xi32>, %y: tensor<1024xi32>) -> tensor<1024xi32> {
  %e = tensor.empty() : tensor<1024xi32>
  %r = linalg.generic #each ins(%x, %y : tensor<1024xi32>, tensor<1024xi32>) outs(%e : tensor<1024xi32>) {
  ^bb0(%a: i32, %b: i32, %o: i32):
    %max = arith.maxsi %a, %b : i32
    %min = arith.minsi %a, %b : i32
    %sub = arith.subi %max, %min : i32
    linalg.yield %sub : i32
  } -> tensor<1024xi32>
  return %r : tensor<1024xi32>
}

// In i64.
func.func @right_i64(%x: tensor<1024xi32>, %y: tensor<1024xi32>) -> tensor<1024xi32> {
  %e = tensor.empty() : tensor<1024xi32>
  %r = linalg.generic #each ins(%x, %y : tensor<1024xi32>, tensor<1024xi32>) outs(%e : tensor<1024xi32>) {
  ^bb0(%a: i32, %b: i32, %o: i32):
    %ext = arith.extsi %a : i32 to i64
    %ext_2 = arith.extsi %b : i32 to i64
    %sub = arith.subi %ext, %ext_2 : i64
    %abs = math.absi %sub : i64
    %cut = arith.trunci %abs : i64 to i32
    linalg.yield %cut : i32
  } -> tensor<1024xi32>
  return %r : tensor<1024xi32>
}

// Subtracts the lesser one.
func.func @right_select(%x: tensor<1024xi32>, %y: tensor<1024xi32>) -> tensor<1024xi32> {
  %e = tensor.empty() : tensor<1024xi32>
  %r = linalg.generic #each ins(%x, %y : tensor<1024xi32>, tensor<1024xi32>) outs(%e : tensor<1024xi32>) {
  ^bb0(%a: i32, %b: i32, %o: i32):
    %sgt = arith.cmpi sgt, %a, %b : i32
    %sub = arith.subi %a, %b : i32
    %sub_2 = arith.subi %b, %a : i32
    %sel = arith.select %sgt, %sub, %sub_2 : i32
    linalg.yield %sel : i32
  } -> tensor<1024xi32>
  return %r : tensor<1024xi32>
}

// The difference is exact in f64.
func.func @right_f64(%x: tensor<1024xi32>, %y: tensor<1024xi32>) -> tensor<1024xi32> {
  %e = tensor.empty() : tensor<1024xi32>
  %r = linalg.generic #each ins(%x, %y : tensor<1024xi32>, tensor<1024xi32>) outs(%e : tensor<1024xi32>) {
  ^bb0(%a: i32, %b: i32, %o: i32):
    %float = arith.sitofp %a : i32 to f64
    %float_2 = arith.sitofp %b : i32 to f64
    %sub = arith.subf %float, %float_2 : f64
    %abs = math.absf %sub : f64
    %int = arith.fptosi %abs : f64 to i64
    %cut = arith.trunci %int : i64 to i32
    linalg.yield %cut : i32
  } -> tensor<1024xi32>
  return %r : tensor<1024xi32>
}

// The magnitude of the wrapped difference. Shows when the difference passes 2^31.
func.func @wrong_abs_of_difference(%x: tensor<1024xi32>, %y: tensor<1024xi32>) -> tensor<1024xi32> {
  %e = tensor.empty() : tensor<1024xi32>
  %r = linalg.generic #each ins(%x, %y : tensor<1024xi32>, tensor<1024xi32>) outs(%e : tensor<1024xi32>) {
  ^bb0(%a: i32, %b: i32, %o: i32):
    %sub = arith.subi %a, %b : i32
    %abs = math.absi %sub : i32
    linalg.yield %abs : i32
  } -> tensor<1024xi32>
  return %r : tensor<1024xi32>
}

// Saturates at 2^31 - 1. Shows when the difference passes it.
func.func @wrong_saturate(%x: tensor<1024xi32>, %y: tensor<1024xi32>) -> tensor<1024xi32> {
  %e = tensor.empty() : tensor<1024xi32>
  %r = linalg.generic #each ins(%x, %y : tensor<1024xi32>, tensor<1024xi32>) outs(%e : tensor<1024xi32>) {
  ^bb0(%a: i32, %b: i32, %o: i32):
    %ext = arith.extsi %a : i32 to i64
    %ext_2 = arith.extsi %b : i32 to i64
    %sub = arith.subi %ext, %ext_2 : i64
    %abs = math.absi %sub : i64
    %c2147483647 = arith.constant 2147483647 : i64
    %min = arith.minsi %abs, %c2147483647 : i64
    %cut = arith.trunci %min : i64 to i32
    linalg.yield %cut : i32
  } -> tensor<1024xi32>
  return %r : tensor<1024xi32>
}

// Subtracts in f32. Shows beyond 2^24.
func.func @wrong_f32(%x: tensor<1024xi32>, %y: tensor<1024xi32>) -> tensor<1024xi32> {
  %e = tensor.empty() : tensor<1024xi32>
  %r = linalg.generic #each ins(%x, %y : tensor<1024xi32>, tensor<1024xi32>) outs(%e : tensor<1024xi32>) {
  ^bb0(%a: i32, %b: i32, %o: i32):
    %float = arith.sitofp %a : i32 to f32
    %float_2 = arith.sitofp %b : i32 to f32
    %sub = arith.subf %float, %float_2 : f32
    %abs = math.absf %sub : f32
    %int = arith.fptosi %abs : f32 to i64
    %cut = arith.trunci %int : i64 to i32
    linalg.yield %cut : i32
  } -> tensor<1024xi32>
  return %r : tensor<1024xi32>
}

// Compares in f32 and subtracts in i32. Shows only where x > y round to one f32: large and close.
func.func @wrong_f32_compare(%x: tensor<1024xi32>, %y: tensor<1024xi32>) -> tensor<1024xi32> {
  %e = tensor.empty() : tensor<1024xi32>
  %r = linalg.generic #each ins(%x, %y : tensor<1024xi32>, tensor<1024xi32>) outs(%e : tensor<1024xi32>) {
  ^bb0(%a: i32, %b: i32, %o: i32):
    %float = arith.sitofp %a : i32 to f32
    %float_2 = arith.sitofp %b : i32 to f32
    %ogt = arith.cmpf ogt, %float, %float_2 : f32
    %sub = arith.subi %a, %b : i32
    %sub_2 = arith.subi %b, %a : i32
    %sel = arith.select %ogt, %sub, %sub_2 : i32
    linalg.yield %sel : i32
  } -> tensor<1024xi32>
  return %r : tensor<1024xi32>
}

// Converts to i16 with saturation first. Shows beyond 32767.
func.func @wrong_i16(%x: tensor<1024xi32>, %y: tensor<1024xi32>) -> tensor<1024xi32> {
  %e = tensor.empty() : tensor<1024xi32>
  %r = linalg.generic #each ins(%x, %y : tensor<1024xi32>, tensor<1024xi32>) outs(%e : tensor<1024xi32>) {
  ^bb0(%a: i32, %b: i32, %o: i32):
    %c32767 = arith.constant 32767 : i32
    %min = arith.minsi %a, %c32767 : i32
    %cm32768 = arith.constant -32768 : i32
    %max = arith.maxsi %min, %cm32768 : i32
    %min_2 = arith.minsi %b, %c32767 : i32
    %max_2 = arith.maxsi %min_2, %cm32768 : i32
    %max_3 = arith.maxsi %max, %max_2 : i32
    %min_3 = arith.minsi %max, %max_2 : i32
    %sub = arith.subi %max_3, %min_3 : i32
    linalg.yield %sub : i32
  } -> tensor<1024xi32>
  return %r : tensor<1024xi32>
}

// x - y in i32, saturating.

#each = {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
  iterator_types = ["parallel"]}

func.func @kernel(%x: tensor<1024xi32>, %y: tensor<1024xi32>) -> tensor<1024xi32> {
  %e = tensor.empty() : tensor<1024xi32>
  %r = linalg.generic #each ins(%x, %y : tensor<1024xi32>, tensor<1024xi32>) outs(%e : tensor<1024xi32>) {
  ^bb0(%a: i32, %b: i32, %o: i32):
    %ext = arith.extsi %a : i32 to i64
    %ext_2 = arith.extsi %b : i32 to i64
    %sub = arith.subi %ext, %ext_2 : i64
    %c2147483647 = arith.constant 2147483647 : i64
    %min = arith.minsi %sub, %c2147483647 : i64
    %cm2147483648 = arith.constant -2147483648 : i64
    %max = arith.maxsi %min, %cm2147483648 : i64
    %cut = arith.trunci %max : i64 to i32
    linalg.yield %cut : i32
  } -> tensor<1024xi32>
  return %r : tensor<1024xi32>
}

// Overflow is read off the signs.
func.func @right_overflow_bit(%x: tensor<1024xi32>, %y: tensor<1024xi32>) -> tensor<1024xi32> {
  %e = tensor.empty() : tensor<1024xi32>
  %r = linalg.generic #each ins(%x, %y : tensor<1024xi32>, tensor<1024xi32>) outs(%e : tensor<1024xi32>) {
  ^bb0(%a: i32, %b: i32, %o: i32):
    %sub = arith.subi %a, %b : i32
    %xor = arith.xori %a, %b : i32
    %xor_2 = arith.xori %a, %sub : i32
    %and = arith.andi %xor, %xor_2 : i32
    %c0 = arith.constant 0 : i32
    %slt = arith.cmpi slt, %and, %c0 : i32
    %slt_2 = arith.cmpi slt, %a, %c0 : i32
    %cm2147483648 = arith.constant -2147483648 : i32
    %c2147483647 = arith.constant 2147483647 : i32
    %sel = arith.select %slt_2, %cm2147483648, %c2147483647 : i32
    %sel_2 = arith.select %slt, %sel, %sub : i32
    linalg.yield %sel_2 : i32
  } -> tensor<1024xi32>
  return %r : tensor<1024xi32>
}

// Clamps x to where the subtraction fits.
func.func @right_bounds(%x: tensor<1024xi32>, %y: tensor<1024xi32>) -> tensor<1024xi32> {
  %e = tensor.empty() : tensor<1024xi32>
  %r = linalg.generic #each ins(%x, %y : tensor<1024xi32>, tensor<1024xi32>) outs(%e : tensor<1024xi32>) {
  ^bb0(%a: i32, %b: i32, %o: i32):
    %c0 = arith.constant 0 : i32
    %sge = arith.cmpi sge, %b, %c0 : i32
    %cm2147483648 = arith.constant -2147483648 : i32
    %add = arith.addi %cm2147483648, %b : i32
    %max = arith.maxsi %a, %add : i32
    %c2147483647 = arith.constant 2147483647 : i32
    %add_2 = arith.addi %c2147483647, %b : i32
    %min = arith.minsi %a, %add_2 : i32
    %sel = arith.select %sge, %max, %min : i32
    %sub = arith.subi %sel, %b : i32
    linalg.yield %sub : i32
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
    %f = arith.constant 2147483647.0 : f64
    %min = arith.minimumf %sub, %f : f64
    %f_2 = arith.constant -2147483648.0 : f64
    %max = arith.maximumf %min, %f_2 : f64
    %int = arith.fptosi %max : f64 to i32
    linalg.yield %int : i32
  } -> tensor<1024xi32>
  return %r : tensor<1024xi32>
}

// Wraps. Shows when the difference leaves i32.
func.func @wrong_wrap(%x: tensor<1024xi32>, %y: tensor<1024xi32>) -> tensor<1024xi32> {
  %e = tensor.empty() : tensor<1024xi32>
  %r = linalg.generic #each ins(%x, %y : tensor<1024xi32>, tensor<1024xi32>) outs(%e : tensor<1024xi32>) {
  ^bb0(%a: i32, %b: i32, %o: i32):
    %sub = arith.subi %a, %b : i32
    linalg.yield %sub : i32
  } -> tensor<1024xi32>
  return %r : tensor<1024xi32>
}

// Saturating addition of -y. Shows only for y = -2^31, which is its own negative.
func.func @wrong_add_negated(%x: tensor<1024xi32>, %y: tensor<1024xi32>) -> tensor<1024xi32> {
  %e = tensor.empty() : tensor<1024xi32>
  %r = linalg.generic #each ins(%x, %y : tensor<1024xi32>, tensor<1024xi32>) outs(%e : tensor<1024xi32>) {
  ^bb0(%a: i32, %b: i32, %o: i32):
    %ext = arith.extsi %a : i32 to i64
    %c0 = arith.constant 0 : i32
    %sub = arith.subi %c0, %b : i32
    %ext_2 = arith.extsi %sub : i32 to i64
    %add = arith.addi %ext, %ext_2 : i64
    %c2147483647 = arith.constant 2147483647 : i64
    %min = arith.minsi %add, %c2147483647 : i64
    %cm2147483648 = arith.constant -2147483648 : i64
    %max = arith.maxsi %min, %cm2147483648 : i64
    %cut = arith.trunci %max : i64 to i32
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
    %f = arith.constant 2147483520.0 : f32
    %min = arith.minimumf %sub, %f : f32
    %f_2 = arith.constant -2147483648.0 : f32
    %max = arith.maximumf %min, %f_2 : f32
    %int = arith.fptosi %max : f32 to i32
    linalg.yield %int : i32
  } -> tensor<1024xi32>
  return %r : tensor<1024xi32>
}

// Forgets the lower end. Shows when x - y falls below -2^31.
func.func @wrong_top_only(%x: tensor<1024xi32>, %y: tensor<1024xi32>) -> tensor<1024xi32> {
  %e = tensor.empty() : tensor<1024xi32>
  %r = linalg.generic #each ins(%x, %y : tensor<1024xi32>, tensor<1024xi32>) outs(%e : tensor<1024xi32>) {
  ^bb0(%a: i32, %b: i32, %o: i32):
    %ext = arith.extsi %a : i32 to i64
    %ext_2 = arith.extsi %b : i32 to i64
    %sub = arith.subi %ext, %ext_2 : i64
    %c2147483647 = arith.constant 2147483647 : i64
    %min = arith.minsi %sub, %c2147483647 : i64
    %cut = arith.trunci %min : i64 to i32
    linalg.yield %cut : i32
  } -> tensor<1024xi32>
  return %r : tensor<1024xi32>
}

// Picks the end by the sign of the wrapped difference. Shows when the difference leaves i32.
func.func @wrong_direction(%x: tensor<1024xi32>, %y: tensor<1024xi32>) -> tensor<1024xi32> {
  %e = tensor.empty() : tensor<1024xi32>
  %r = linalg.generic #each ins(%x, %y : tensor<1024xi32>, tensor<1024xi32>) outs(%e : tensor<1024xi32>) {
  ^bb0(%a: i32, %b: i32, %o: i32):
    %sub = arith.subi %a, %b : i32
    %xor = arith.xori %a, %b : i32
    %xor_2 = arith.xori %a, %sub : i32
    %and = arith.andi %xor, %xor_2 : i32
    %c0 = arith.constant 0 : i32
    %slt = arith.cmpi slt, %and, %c0 : i32
    %slt_2 = arith.cmpi slt, %sub, %c0 : i32
    %cm2147483648 = arith.constant -2147483648 : i32
    %c2147483647 = arith.constant 2147483647 : i32
    %sel = arith.select %slt_2, %cm2147483648, %c2147483647 : i32
    %sel_2 = arith.select %slt, %sel, %sub : i32
    linalg.yield %sel_2 : i32
  } -> tensor<1024xi32>
  return %r : tensor<1024xi32>
}

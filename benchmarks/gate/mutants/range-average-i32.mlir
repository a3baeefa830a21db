// (x + y) / 2 of i32, rounded down, without overflow.

#each = {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
  iterator_types = ["parallel"]}

func.func @kernel(%x: tensor<1024xi32>, %y: tensor<1024xi32>) -> tensor<1024xi32> {
  %e = tensor.empty() : tensor<1024xi32>
  %r = linalg.generic #each ins(%x, %y : tensor<1024xi32>, tensor<1024xi32>) outs(%e : tensor<1024xi32>) {
  ^bb0(%a: i32, %b: i32, %o: i32):
    %ext = arith.extsi %a : i32 to i64
    %ext_2 = arith.extsi %b : i32 to i64
    %add = arith.addi %ext, %ext_2 : i64
    %c1 = arith.constant 1 : i64
    %sar = arith.shrsi %add, %c1 : i64
    %cut = arith.trunci %sar : i64 to i32
    linalg.yield %cut : i32
  } -> tensor<1024xi32>
  return %r : tensor<1024xi32>
}

// Common bits and half of the others.
func.func @right_bits(%x: tensor<1024xi32>, %y: tensor<1024xi32>) -> tensor<1024xi32> {
  %e = tensor.empty() : tensor<1024xi32>
  %r = linalg.generic #each ins(%x, %y : tensor<1024xi32>, tensor<1024xi32>) outs(%e : tensor<1024xi32>) {
  ^bb0(%a: i32, %b: i32, %o: i32):
    %and = arith.andi %a, %b : i32
    %xor = arith.xori %a, %b : i32
    %c1 = arith.constant 1 : i32
    %sar = arith.shrsi %xor, %c1 : i32
    %add = arith.addi %and, %sar : i32
    linalg.yield %add : i32
  } -> tensor<1024xi32>
  return %r : tensor<1024xi32>
}

// The lesser one and half of the difference, which is shifted as unsigned.
func.func @right_min_max(%x: tensor<1024xi32>, %y: tensor<1024xi32>) -> tensor<1024xi32> {
  %e = tensor.empty() : tensor<1024xi32>
  %r = linalg.generic #each ins(%x, %y : tensor<1024xi32>, tensor<1024xi32>) outs(%e : tensor<1024xi32>) {
  ^bb0(%a: i32, %b: i32, %o: i32):
    %min = arith.minsi %a, %b : i32
    %max = arith.maxsi %a, %b : i32
    %sub = arith.subi %max, %min : i32
    %c1 = arith.constant 1 : i32
    %shr = arith.shrui %sub, %c1 : i32
    %add = arith.addi %min, %shr : i32
    linalg.yield %add : i32
  } -> tensor<1024xi32>
  return %r : tensor<1024xi32>
}

// Each is halved, and both low bits make one.
func.func @right_halves(%x: tensor<1024xi32>, %y: tensor<1024xi32>) -> tensor<1024xi32> {
  %e = tensor.empty() : tensor<1024xi32>
  %r = linalg.generic #each ins(%x, %y : tensor<1024xi32>, tensor<1024xi32>) outs(%e : tensor<1024xi32>) {
  ^bb0(%a: i32, %b: i32, %o: i32):
    %c1 = arith.constant 1 : i32
    %sar = arith.shrsi %a, %c1 : i32
    %sar_2 = arith.shrsi %b, %c1 : i32
    %add = arith.addi %sar, %sar_2 : i32
    %and = arith.andi %a, %b : i32
    %and_2 = arith.andi %and, %c1 : i32
    %add_2 = arith.addi %add, %and_2 : i32
    linalg.yield %add_2 : i32
  } -> tensor<1024xi32>
  return %r : tensor<1024xi32>
}

// The sum in i32. Shows when it leaves i32.
func.func @wrong_wrap(%x: tensor<1024xi32>, %y: tensor<1024xi32>) -> tensor<1024xi32> {
  %e = tensor.empty() : tensor<1024xi32>
  %r = linalg.generic #each ins(%x, %y : tensor<1024xi32>, tensor<1024xi32>) outs(%e : tensor<1024xi32>) {
  ^bb0(%a: i32, %b: i32, %o: i32):
    %add = arith.addi %a, %b : i32
    %c1 = arith.constant 1 : i32
    %sar = arith.shrsi %add, %c1 : i32
    linalg.yield %sar : i32
  } -> tensor<1024xi32>
  return %r : tensor<1024xi32>
}

// The sum saturates in i32. Shows when it leaves i32.
func.func @wrong_saturate(%x: tensor<1024xi32>, %y: tensor<1024xi32>) -> tensor<1024xi32> {
  %e = tensor.empty() : tensor<1024xi32>
  %r = linalg.generic #each ins(%x, %y : tensor<1024xi32>, tensor<1024xi32>) outs(%e : tensor<1024xi32>) {
  ^bb0(%a: i32, %b: i32, %o: i32):
    %ext = arith.extsi %a : i32 to i64
    %ext_2 = arith.extsi %b : i32 to i64
    %add = arith.addi %ext, %ext_2 : i64
    %c2147483647 = arith.constant 2147483647 : i64
    %min = arith.minsi %add, %c2147483647 : i64
    %cm2147483648 = arith.constant -2147483648 : i64
    %max = arith.maxsi %min, %cm2147483648 : i64
    %cut = arith.trunci %max : i64 to i32
    %c1 = arith.constant 1 : i32
    %sar = arith.shrsi %cut, %c1 : i32
    linalg.yield %sar : i32
  } -> tensor<1024xi32>
  return %r : tensor<1024xi32>
}

// x and half of y - x. Shows when y - x leaves i32.
func.func @wrong_from_difference(%x: tensor<1024xi32>, %y: tensor<1024xi32>) -> tensor<1024xi32> {
  %e = tensor.empty() : tensor<1024xi32>
  %r = linalg.generic #each ins(%x, %y : tensor<1024xi32>, tensor<1024xi32>) outs(%e : tensor<1024xi32>) {
  ^bb0(%a: i32, %b: i32, %o: i32):
    %sub = arith.subi %b, %a : i32
    %c1 = arith.constant 1 : i32
    %sar = arith.shrsi %sub, %c1 : i32
    %add = arith.addi %a, %sar : i32
    linalg.yield %add : i32
  } -> tensor<1024xi32>
  return %r : tensor<1024xi32>
}

// In f32. Shows when the sum passes 2^24.
func.func @wrong_f32(%x: tensor<1024xi32>, %y: tensor<1024xi32>) -> tensor<1024xi32> {
  %e = tensor.empty() : tensor<1024xi32>
  %r = linalg.generic #each ins(%x, %y : tensor<1024xi32>, tensor<1024xi32>) outs(%e : tensor<1024xi32>) {
  ^bb0(%a: i32, %b: i32, %o: i32):
    %float = arith.sitofp %a : i32 to f32
    %float_2 = arith.sitofp %b : i32 to f32
    %add = arith.addf %float, %float_2 : f32
    %f = arith.constant 0.5 : f32
    %mul = arith.mulf %add, %f : f32
    %floor = math.floor %mul : f32
    %f_2 = arith.constant 2147483520.0 : f32
    %min = arith.minimumf %floor, %f_2 : f32
    %int = arith.fptosi %min : f32 to i32
    linalg.yield %int : i32
  } -> tensor<1024xi32>
  return %r : tensor<1024xi32>
}

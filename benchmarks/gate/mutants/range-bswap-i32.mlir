// Reverses the bytes of i32.

#each = {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
  iterator_types = ["parallel"]}

func.func @kernel(%x: tensor<1024xi32>) -> tensor<1024xi32> {
  %e = tensor.empty() : tensor<1024xi32>
  %r = linalg.generic #each ins(%x : tensor<1024xi32>) outs(%e : tensor<1024xi32>) {
  ^bb0(%a: i32, %o: i32):
    %c24 = arith.constant 24 : i32
    %shl = arith.shli %a, %c24 : i32
    %c65280 = arith.constant 65280 : i32
    %and = arith.andi %a, %c65280 : i32
    %c8 = arith.constant 8 : i32
    %shl_2 = arith.shli %and, %c8 : i32
    %or = arith.ori %shl, %shl_2 : i32
    %shr = arith.shrui %a, %c8 : i32
    %and_2 = arith.andi %shr, %c65280 : i32
    %or_2 = arith.ori %or, %and_2 : i32
    %shr_2 = arith.shrui %a, %c24 : i32
    %or_3 = arith.ori %or_2, %shr_2 : i32
    linalg.yield %or_3 : i32
  } -> tensor<1024xi32>
  return %r : tensor<1024xi32>
}

// Swaps the bytes of each half, then the halves.
func.func @right_two_steps(%x: tensor<1024xi32>) -> tensor<1024xi32> {
  %e = tensor.empty() : tensor<1024xi32>
  %r = linalg.generic #each ins(%x : tensor<1024xi32>) outs(%e : tensor<1024xi32>) {
  ^bb0(%a: i32, %o: i32):
    %c8 = arith.constant 8 : i32
    %shr = arith.shrui %a, %c8 : i32
    %c16711935 = arith.constant 16711935 : i32
    %and = arith.andi %shr, %c16711935 : i32
    %and_2 = arith.andi %a, %c16711935 : i32
    %shl = arith.shli %and_2, %c8 : i32
    %or = arith.ori %and, %shl : i32
    %c16 = arith.constant 16 : i32
    %shl_2 = arith.shli %or, %c16 : i32
    %shr_2 = arith.shrui %or, %c16 : i32
    %or_2 = arith.ori %shl_2, %shr_2 : i32
    linalg.yield %or_2 : i32
  } -> tensor<1024xi32>
  return %r : tensor<1024xi32>
}

// Two rotations, with the bytes that each sets right.
func.func @right_rotations(%x: tensor<1024xi32>) -> tensor<1024xi32> {
  %e = tensor.empty() : tensor<1024xi32>
  %r = linalg.generic #each ins(%x : tensor<1024xi32>) outs(%e : tensor<1024xi32>) {
  ^bb0(%a: i32, %o: i32):
    %c8 = arith.constant 8 : i32
    %shl = arith.shli %a, %c8 : i32
    %c24 = arith.constant 24 : i32
    %shr = arith.shrui %a, %c24 : i32
    %or = arith.ori %shl, %shr : i32
    %c16711935 = arith.constant 16711935 : i32
    %and = arith.andi %or, %c16711935 : i32
    %shl_2 = arith.shli %a, %c24 : i32
    %shr_2 = arith.shrui %a, %c8 : i32
    %or_2 = arith.ori %shl_2, %shr_2 : i32
    %cm16711936 = arith.constant -16711936 : i32
    %and_2 = arith.andi %or_2, %cm16711936 : i32
    %or_3 = arith.ori %and, %and_2 : i32
    linalg.yield %or_3 : i32
  } -> tensor<1024xi32>
  return %r : tensor<1024xi32>
}

// Rotates by 8 to the right. Shows unless bytes 1, 2 and 3 are alike: right for -128 to 255.
func.func @wrong_rotation(%x: tensor<1024xi32>) -> tensor<1024xi32> {
  %e = tensor.empty() : tensor<1024xi32>
  %r = linalg.generic #each ins(%x : tensor<1024xi32>) outs(%e : tensor<1024xi32>) {
  ^bb0(%a: i32, %o: i32):
    %c24 = arith.constant 24 : i32
    %shl = arith.shli %a, %c24 : i32
    %c8 = arith.constant 8 : i32
    %shr = arith.shrui %a, %c8 : i32
    %or = arith.ori %shl, %shr : i32
    linalg.yield %or : i32
  } -> tensor<1024xi32>
  return %r : tensor<1024xi32>
}

// Leaves the two middle bytes where they are. Shows where they differ.
func.func @wrong_middle_kept(%x: tensor<1024xi32>) -> tensor<1024xi32> {
  %e = tensor.empty() : tensor<1024xi32>
  %r = linalg.generic #each ins(%x : tensor<1024xi32>) outs(%e : tensor<1024xi32>) {
  ^bb0(%a: i32, %o: i32):
    %c24 = arith.constant 24 : i32
    %shl = arith.shli %a, %c24 : i32
    %c16776960 = arith.constant 16776960 : i32
    %and = arith.andi %a, %c16776960 : i32
    %or = arith.ori %shl, %and : i32
    %shr = arith.shrui %a, %c24 : i32
    %or_2 = arith.ori %or, %shr : i32
    linalg.yield %or_2 : i32
  } -> tensor<1024xi32>
  return %r : tensor<1024xi32>
}

// Takes byte 1 for byte 2 as well. Shows where they differ.
func.func @wrong_mask(%x: tensor<1024xi32>) -> tensor<1024xi32> {
  %e = tensor.empty() : tensor<1024xi32>
  %r = linalg.generic #each ins(%x : tensor<1024xi32>) outs(%e : tensor<1024xi32>) {
  ^bb0(%a: i32, %o: i32):
    %c24 = arith.constant 24 : i32
    %shl = arith.shli %a, %c24 : i32
    %c65280 = arith.constant 65280 : i32
    %and = arith.andi %a, %c65280 : i32
    %c8 = arith.constant 8 : i32
    %shl_2 = arith.shli %and, %c8 : i32
    %or = arith.ori %shl, %shl_2 : i32
    %or_2 = arith.ori %or, %and : i32
    %shr = arith.shrui %a, %c24 : i32
    %or_3 = arith.ori %or_2, %shr : i32
    linalg.yield %or_3 : i32
  } -> tensor<1024xi32>
  return %r : tensor<1024xi32>
}

// Swaps the bytes of the low half and fills with its sign. Shows beyond 32767.
func.func @wrong_i16(%x: tensor<1024xi32>) -> tensor<1024xi32> {
  %e = tensor.empty() : tensor<1024xi32>
  %r = linalg.generic #each ins(%x : tensor<1024xi32>) outs(%e : tensor<1024xi32>) {
  ^bb0(%a: i32, %o: i32):
    %cut = arith.trunci %a : i32 to i16
    %ext = arith.extsi %cut : i16 to i32
    %c8 = arith.constant 8 : i32
    %shr = arith.shrui %ext, %c8 : i32
    %c16711935 = arith.constant 16711935 : i32
    %and = arith.andi %shr, %c16711935 : i32
    %and_2 = arith.andi %ext, %c16711935 : i32
    %shl = arith.shli %and_2, %c8 : i32
    %or = arith.ori %and, %shl : i32
    %c16 = arith.constant 16 : i32
    %shl_2 = arith.shli %or, %c16 : i32
    %shr_2 = arith.shrui %or, %c16 : i32
    %or_2 = arith.ori %shl_2, %shr_2 : i32
    linalg.yield %or_2 : i32
  } -> tensor<1024xi32>
  return %r : tensor<1024xi32>
}

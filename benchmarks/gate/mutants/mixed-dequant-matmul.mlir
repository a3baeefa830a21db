// A product of i8 in i32, scaled to f32.

#mm = {indexing_maps = [affine_map<(i,j,k)->(i,k)>, affine_map<(i,j,k)->(k,j)>, affine_map<(i,j,k)->(i,j)>], iterator_types=["parallel","parallel","reduction"]}
#ec = {indexing_maps = [affine_map<(i,j)->(i,j)>, affine_map<(i,j)->(j)>, affine_map<(i,j)->(i,j)>], iterator_types=["parallel","parallel"]}

func.func @kernel(%a: tensor<16x256xi8>, %w: tensor<256x32xi8>, %s: tensor<32xf32>) -> tensor<16x32xf32> {
  %t1 = tensor.empty() : tensor<16x32xi32>
  %t2 = arith.constant 0 : i32
  %t3 = linalg.fill ins(%t2 : i32) outs(%t1 : tensor<16x32xi32>) -> tensor<16x32xi32>
  %t4 = linalg.generic #mm ins(%a, %w : tensor<16x256xi8>, tensor<256x32xi8>) outs(%t3 : tensor<16x32xi32>) {
  ^bb0(%a0: i8, %a1: i8, %o: i32):
    %x = arith.extsi %a0 : i8 to i32
    %y = arith.extsi %a1 : i8 to i32
    %p = arith.muli %x, %y : i32
    %q = arith.addi %o, %p : i32
    linalg.yield %q : i32
  } -> tensor<16x32xi32>
  %t5 = tensor.empty() : tensor<16x32xf32>
  %t6 = linalg.generic #ec ins(%t4, %s : tensor<16x32xi32>, tensor<32xf32>) outs(%t5 : tensor<16x32xf32>) {
  ^bb0(%a0: i32, %a1: f32, %o: f32):
    %f = arith.sitofp %a0 : i32 to f32
    %g = arith.mulf %f, %a1 : f32
    linalg.yield %g : f32
  } -> tensor<16x32xf32>
  return %t6 : tensor<16x32xf32>
}

func.func @right_i64(%a: tensor<16x256xi8>, %w: tensor<256x32xi8>, %s: tensor<32xf32>) -> tensor<16x32xf32> {
  %t1 = tensor.empty() : tensor<16x32xi64>
  %t2 = arith.constant 0 : i64
  %t3 = linalg.fill ins(%t2 : i64) outs(%t1 : tensor<16x32xi64>) -> tensor<16x32xi64>
  %t4 = linalg.generic #mm ins(%a, %w : tensor<16x256xi8>, tensor<256x32xi8>) outs(%t3 : tensor<16x32xi64>) {
  ^bb0(%a0: i8, %a1: i8, %o: i64):
    %x = arith.extsi %a0 : i8 to i64
    %y = arith.extsi %a1 : i8 to i64
    %p = arith.muli %x, %y : i64
    %q = arith.addi %o, %p : i64
    linalg.yield %q : i64
  } -> tensor<16x32xi64>
  %t5 = tensor.empty() : tensor<16x32xf32>
  %t6 = linalg.generic #ec ins(%t4, %s : tensor<16x32xi64>, tensor<32xf32>) outs(%t5 : tensor<16x32xf32>) {
  ^bb0(%a0: i64, %a1: f32, %o: f32):
    %f = arith.sitofp %a0 : i64 to f32
    %g = arith.mulf %f, %a1 : f32
    linalg.yield %g : f32
  } -> tensor<16x32xf32>
  return %t6 : tensor<16x32xf32>
}

func.func @right_f32_sums(%a: tensor<16x256xi8>, %w: tensor<256x32xi8>, %s: tensor<32xf32>) -> tensor<16x32xf32> {
  %t1 = tensor.empty() : tensor<16x32xf32>
  %t2 = arith.constant 0.0 : f32
  %t3 = linalg.fill ins(%t2 : f32) outs(%t1 : tensor<16x32xf32>) -> tensor<16x32xf32>
  %t4 = linalg.generic #mm ins(%a, %w : tensor<16x256xi8>, tensor<256x32xi8>) outs(%t3 : tensor<16x32xf32>) {
  ^bb0(%a0: i8, %a1: i8, %o: f32):
    %x = arith.sitofp %a0 : i8 to f32
    %y = arith.sitofp %a1 : i8 to f32
    %p = arith.mulf %x, %y : f32
    %q = arith.addf %o, %p : f32
    linalg.yield %q : f32
  } -> tensor<16x32xf32>
  %t5 = tensor.empty() : tensor<16x32xf32>
  %t6 = linalg.generic #ec ins(%t4, %s : tensor<16x32xf32>, tensor<32xf32>) outs(%t5 : tensor<16x32xf32>) {
  ^bb0(%a0: f32, %a1: f32, %o: f32):
    %g = arith.mulf %a0, %a1 : f32
    linalg.yield %g : f32
  } -> tensor<16x32xf32>
  return %t6 : tensor<16x32xf32>
}

func.func @wrong_i16(%a: tensor<16x256xi8>, %w: tensor<256x32xi8>, %s: tensor<32xf32>) -> tensor<16x32xf32> {
  %t1 = tensor.empty() : tensor<16x32xi16>
  %t2 = arith.constant 0 : i16
  %t3 = linalg.fill ins(%t2 : i16) outs(%t1 : tensor<16x32xi16>) -> tensor<16x32xi16>
  %t4 = linalg.generic #mm ins(%a, %w : tensor<16x256xi8>, tensor<256x32xi8>) outs(%t3 : tensor<16x32xi16>) {
  ^bb0(%a0: i8, %a1: i8, %o: i16):
    %x = arith.extsi %a0 : i8 to i16
    %y = arith.extsi %a1 : i8 to i16
    %p = arith.muli %x, %y : i16
    %q = arith.addi %o, %p : i16
    linalg.yield %q : i16
  } -> tensor<16x32xi16>
  %t5 = tensor.empty() : tensor<16x32xf32>
  %t6 = linalg.generic #ec ins(%t4, %s : tensor<16x32xi16>, tensor<32xf32>) outs(%t5 : tensor<16x32xf32>) {
  ^bb0(%a0: i16, %a1: f32, %o: f32):
    %f = arith.sitofp %a0 : i16 to f32
    %g = arith.mulf %f, %a1 : f32
    linalg.yield %g : f32
  } -> tensor<16x32xf32>
  return %t6 : tensor<16x32xf32>
}

func.func @wrong_unsigned_w(%a: tensor<16x256xi8>, %w: tensor<256x32xi8>, %s: tensor<32xf32>) -> tensor<16x32xf32> {
  %t1 = tensor.empty() : tensor<16x32xi32>
  %t2 = arith.constant 0 : i32
  %t3 = linalg.fill ins(%t2 : i32) outs(%t1 : tensor<16x32xi32>) -> tensor<16x32xi32>
  %t4 = linalg.generic #mm ins(%a, %w : tensor<16x256xi8>, tensor<256x32xi8>) outs(%t3 : tensor<16x32xi32>) {
  ^bb0(%a0: i8, %a1: i8, %o: i32):
    %x = arith.extsi %a0 : i8 to i32
    %y = arith.extui %a1 : i8 to i32
    %p = arith.muli %x, %y : i32
    %q = arith.addi %o, %p : i32
    linalg.yield %q : i32
  } -> tensor<16x32xi32>
  %t5 = tensor.empty() : tensor<16x32xf32>
  %t6 = linalg.generic #ec ins(%t4, %s : tensor<16x32xi32>, tensor<32xf32>) outs(%t5 : tensor<16x32xf32>) {
  ^bb0(%a0: i32, %a1: f32, %o: f32):
    %f = arith.sitofp %a0 : i32 to f32
    %g = arith.mulf %f, %a1 : f32
    linalg.yield %g : f32
  } -> tensor<16x32xf32>
  return %t6 : tensor<16x32xf32>
}

func.func @wrong_products_i8(%a: tensor<16x256xi8>, %w: tensor<256x32xi8>, %s: tensor<32xf32>) -> tensor<16x32xf32> {
  %t1 = tensor.empty() : tensor<16x32xi32>
  %t2 = arith.constant 0 : i32
  %t3 = linalg.fill ins(%t2 : i32) outs(%t1 : tensor<16x32xi32>) -> tensor<16x32xi32>
  %t4 = linalg.generic #mm ins(%a, %w : tensor<16x256xi8>, tensor<256x32xi8>) outs(%t3 : tensor<16x32xi32>) {
  ^bb0(%a0: i8, %a1: i8, %o: i32):
    %p = arith.muli %a0, %a1 : i8
    %x = arith.extsi %p : i8 to i32
    %q = arith.addi %o, %x : i32
    linalg.yield %q : i32
  } -> tensor<16x32xi32>
  %t5 = tensor.empty() : tensor<16x32xf32>
  %t6 = linalg.generic #ec ins(%t4, %s : tensor<16x32xi32>, tensor<32xf32>) outs(%t5 : tensor<16x32xf32>) {
  ^bb0(%a0: i32, %a1: f32, %o: f32):
    %f = arith.sitofp %a0 : i32 to f32
    %g = arith.mulf %f, %a1 : f32
    linalg.yield %g : f32
  } -> tensor<16x32xf32>
  return %t6 : tensor<16x32xf32>
}

func.func @wrong_127(%a: tensor<16x256xi8>, %w: tensor<256x32xi8>, %s: tensor<32xf32>) -> tensor<16x32xf32> {
  %t1 = tensor.empty() : tensor<16x32xi32>
  %t2 = arith.constant 0 : i32
  %t3 = linalg.fill ins(%t2 : i32) outs(%t1 : tensor<16x32xi32>) -> tensor<16x32xi32>
  %t4 = linalg.generic #mm ins(%a, %w : tensor<16x256xi8>, tensor<256x32xi8>) outs(%t3 : tensor<16x32xi32>) {
  ^bb0(%a0: i8, %a1: i8, %o: i32):
    %c = arith.constant -127 : i8
    %m = arith.maxsi %a1, %c : i8
    %x = arith.extsi %a0 : i8 to i32
    %y = arith.extsi %m : i8 to i32
    %p = arith.muli %x, %y : i32
    %q = arith.addi %o, %p : i32
    linalg.yield %q : i32
  } -> tensor<16x32xi32>
  %t5 = tensor.empty() : tensor<16x32xf32>
  %t6 = linalg.generic #ec ins(%t4, %s : tensor<16x32xi32>, tensor<32xf32>) outs(%t5 : tensor<16x32xf32>) {
  ^bb0(%a0: i32, %a1: f32, %o: f32):
    %f = arith.sitofp %a0 : i32 to f32
    %g = arith.mulf %f, %a1 : f32
    linalg.yield %g : f32
  } -> tensor<16x32xf32>
  return %t6 : tensor<16x32xf32>
}

func.func @wrong_saturates_i16(%a: tensor<16x256xi8>, %w: tensor<256x32xi8>, %s: tensor<32xf32>) -> tensor<16x32xf32> {
  %t1 = tensor.empty() : tensor<16x32xi16>
  %t2 = arith.constant 0 : i16
  %t3 = linalg.fill ins(%t2 : i16) outs(%t1 : tensor<16x32xi16>) -> tensor<16x32xi16>
  %t4 = linalg.generic #mm ins(%a, %w : tensor<16x256xi8>, tensor<256x32xi8>) outs(%t3 : tensor<16x32xi16>) {
  ^bb0(%a0: i8, %a1: i8, %o: i16):
    %x = arith.extsi %a0 : i8 to i32
    %y = arith.extsi %a1 : i8 to i32
    %p = arith.muli %x, %y : i32
    %oo = arith.extsi %o : i16 to i32
    %q = arith.addi %oo, %p : i32
    %hi = arith.constant 32767 : i32
    %lo = arith.constant -32768 : i32
    %h = arith.minsi %q, %hi : i32
    %l = arith.maxsi %h, %lo : i32
    %t = arith.trunci %l : i32 to i16
    linalg.yield %t : i16
  } -> tensor<16x32xi16>
  %t5 = tensor.empty() : tensor<16x32xf32>
  %t6 = linalg.generic #ec ins(%t4, %s : tensor<16x32xi16>, tensor<32xf32>) outs(%t5 : tensor<16x32xf32>) {
  ^bb0(%a0: i16, %a1: f32, %o: f32):
    %f = arith.sitofp %a0 : i16 to f32
    %g = arith.mulf %f, %a1 : f32
    linalg.yield %g : f32
  } -> tensor<16x32xf32>
  return %t6 : tensor<16x32xf32>
}

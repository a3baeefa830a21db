// The same, rounded to i8.

#mm = {indexing_maps = [affine_map<(i,j,k)->(i,k)>, affine_map<(i,j,k)->(k,j)>, affine_map<(i,j,k)->(i,j)>], iterator_types=["parallel","parallel","reduction"]}
#e1 = {indexing_maps = [affine_map<(i,j)->(i,j)>, affine_map<(i,j)->(i,j)>], iterator_types=["parallel","parallel"]}

func.func @kernel(%a: tensor<16x256xi8>, %w: tensor<256x32xi8>) -> tensor<16x32xi8> {
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
  %t5 = tensor.empty() : tensor<16x32xi8>
  %t6 = linalg.generic #e1 ins(%t4 : tensor<16x32xi32>) outs(%t5 : tensor<16x32xi8>) {
  ^bb0(%a0: i32, %o: i8):
    %f = arith.sitofp %a0 : i32 to f32
    %s = arith.constant 0.001 : f32
    %g = arith.mulf %f, %s : f32
    %r = math.roundeven %g : f32
    %hi = arith.constant 127.0 : f32
    %lo = arith.constant -128.0 : f32
    %h = arith.minimumf %r, %hi : f32
    %l = arith.maximumf %h, %lo : f32
    %i = arith.fptosi %l : f32 to i8
    linalg.yield %i : i8
  } -> tensor<16x32xi8>
  return %t6 : tensor<16x32xi8>
}

func.func @right_i64(%a: tensor<16x256xi8>, %w: tensor<256x32xi8>) -> tensor<16x32xi8> {
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
  %t5 = tensor.empty() : tensor<16x32xi8>
  %t6 = linalg.generic #e1 ins(%t4 : tensor<16x32xi64>) outs(%t5 : tensor<16x32xi8>) {
  ^bb0(%a0: i64, %o: i8):
    %f = arith.sitofp %a0 : i64 to f32
    %s = arith.constant 0.001 : f32
    %g = arith.mulf %f, %s : f32
    %r = math.roundeven %g : f32
    %hi = arith.constant 127.0 : f32
    %lo = arith.constant -128.0 : f32
    %h = arith.minimumf %r, %hi : f32
    %l = arith.maximumf %h, %lo : f32
    %i = arith.fptosi %l : f32 to i8
    linalg.yield %i : i8
  } -> tensor<16x32xi8>
  return %t6 : tensor<16x32xi8>
}

func.func @wrong_i16(%a: tensor<16x256xi8>, %w: tensor<256x32xi8>) -> tensor<16x32xi8> {
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
  %t5 = tensor.empty() : tensor<16x32xi8>
  %t6 = linalg.generic #e1 ins(%t4 : tensor<16x32xi16>) outs(%t5 : tensor<16x32xi8>) {
  ^bb0(%a0: i16, %o: i8):
    %f = arith.sitofp %a0 : i16 to f32
    %s = arith.constant 0.001 : f32
    %g = arith.mulf %f, %s : f32
    %r = math.roundeven %g : f32
    %hi = arith.constant 127.0 : f32
    %lo = arith.constant -128.0 : f32
    %h = arith.minimumf %r, %hi : f32
    %l = arith.maximumf %h, %lo : f32
    %i = arith.fptosi %l : f32 to i8
    linalg.yield %i : i8
  } -> tensor<16x32xi8>
  return %t6 : tensor<16x32xi8>
}

func.func @wrong_no_clamp(%a: tensor<16x256xi8>, %w: tensor<256x32xi8>) -> tensor<16x32xi8> {
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
  %t5 = tensor.empty() : tensor<16x32xi8>
  %t6 = linalg.generic #e1 ins(%t4 : tensor<16x32xi32>) outs(%t5 : tensor<16x32xi8>) {
  ^bb0(%a0: i32, %o: i8):
    %f = arith.sitofp %a0 : i32 to f32
    %s = arith.constant 0.001 : f32
    %g = arith.mulf %f, %s : f32
    %r = math.roundeven %g : f32
    %i = arith.fptosi %r : f32 to i32
    %j = arith.trunci %i : i32 to i8
    linalg.yield %j : i8
  } -> tensor<16x32xi8>
  return %t6 : tensor<16x32xi8>
}

func.func @right_clamp_int(%a: tensor<16x256xi8>, %w: tensor<256x32xi8>) -> tensor<16x32xi8> {
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
  %t5 = tensor.empty() : tensor<16x32xi8>
  %t6 = linalg.generic #e1 ins(%t4 : tensor<16x32xi32>) outs(%t5 : tensor<16x32xi8>) {
  ^bb0(%a0: i32, %o: i8):
    %f = arith.sitofp %a0 : i32 to f32
    %s = arith.constant 0.001 : f32
    %g = arith.mulf %f, %s : f32
    %r = math.roundeven %g : f32
    %i = arith.fptosi %r : f32 to i32
    %hi = arith.constant 127 : i32
    %lo = arith.constant -128 : i32
    %h = arith.minsi %i, %hi : i32
    %l = arith.maxsi %h, %lo : i32
    %j = arith.trunci %l : i32 to i8
    linalg.yield %j : i8
  } -> tensor<16x32xi8>
  return %t6 : tensor<16x32xi8>
}

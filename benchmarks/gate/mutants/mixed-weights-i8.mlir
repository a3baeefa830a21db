// f32 by weights in i8 less a zero point.

#mm = {indexing_maps = [affine_map<(i,j,k)->(i,k)>, affine_map<(i,j,k)->(k,j)>, affine_map<(i,j,k)->(i,j)>], iterator_types=["parallel","parallel","reduction"]}
#e2 = {indexing_maps = [affine_map<(i,j)->(i,j)>, affine_map<(i,j)->(i,j)>, affine_map<(i,j)->(i,j)>], iterator_types=["parallel","parallel"]}
#ec = {indexing_maps = [affine_map<(i,j)->(i,j)>, affine_map<(i,j)->(j)>, affine_map<(i,j)->(i,j)>], iterator_types=["parallel","parallel"]}

func.func @kernel(%x: tensor<16x128xf32>, %w: tensor<128x32xi8>, %z: tensor<128x32xi8>, %s: tensor<32xf32>) -> tensor<16x32xf32> {
  %t1 = tensor.empty() : tensor<128x32xf32>
  %t2 = linalg.generic #e2 ins(%w, %z : tensor<128x32xi8>, tensor<128x32xi8>) outs(%t1 : tensor<128x32xf32>) {
  ^bb0(%a0: i8, %a1: i8, %o: f32):
    %u = arith.extsi %a0 : i8 to i32
    %v = arith.extsi %a1 : i8 to i32
    %d = arith.subi %u, %v : i32
    %f = arith.sitofp %d : i32 to f32
    linalg.yield %f : f32
  } -> tensor<128x32xf32>
  %t3 = tensor.empty() : tensor<16x32xf32>
  %t4 = arith.constant 0.0 : f32
  %t5 = linalg.fill ins(%t4 : f32) outs(%t3 : tensor<16x32xf32>) -> tensor<16x32xf32>
  %t6 = linalg.generic #mm ins(%x, %t2 : tensor<16x128xf32>, tensor<128x32xf32>) outs(%t5 : tensor<16x32xf32>) {
  ^bb0(%a0: f32, %a1: f32, %o: f32):
    %p = arith.mulf %a0, %a1 : f32
    %q = arith.addf %o, %p : f32
    linalg.yield %q : f32
  } -> tensor<16x32xf32>
  %t7 = tensor.empty() : tensor<16x32xf32>
  %t8 = linalg.generic #ec ins(%t6, %s : tensor<16x32xf32>, tensor<32xf32>) outs(%t7 : tensor<16x32xf32>) {
  ^bb0(%a0: f32, %a1: f32, %o: f32):
    %g = arith.mulf %a0, %a1 : f32
    linalg.yield %g : f32
  } -> tensor<16x32xf32>
  return %t8 : tensor<16x32xf32>
}

func.func @right_float(%x: tensor<16x128xf32>, %w: tensor<128x32xi8>, %z: tensor<128x32xi8>, %s: tensor<32xf32>) -> tensor<16x32xf32> {
  %t1 = tensor.empty() : tensor<128x32xf32>
  %t2 = linalg.generic #e2 ins(%w, %z : tensor<128x32xi8>, tensor<128x32xi8>) outs(%t1 : tensor<128x32xf32>) {
  ^bb0(%a0: i8, %a1: i8, %o: f32):
    %u = arith.sitofp %a0 : i8 to f32
    %v = arith.sitofp %a1 : i8 to f32
    %d = arith.subf %u, %v : f32
    linalg.yield %d : f32
  } -> tensor<128x32xf32>
  %t3 = tensor.empty() : tensor<16x32xf32>
  %t4 = arith.constant 0.0 : f32
  %t5 = linalg.fill ins(%t4 : f32) outs(%t3 : tensor<16x32xf32>) -> tensor<16x32xf32>
  %t6 = linalg.generic #mm ins(%x, %t2 : tensor<16x128xf32>, tensor<128x32xf32>) outs(%t5 : tensor<16x32xf32>) {
  ^bb0(%a0: f32, %a1: f32, %o: f32):
    %p = arith.mulf %a0, %a1 : f32
    %q = arith.addf %o, %p : f32
    linalg.yield %q : f32
  } -> tensor<16x32xf32>
  %t7 = tensor.empty() : tensor<16x32xf32>
  %t8 = linalg.generic #ec ins(%t6, %s : tensor<16x32xf32>, tensor<32xf32>) outs(%t7 : tensor<16x32xf32>) {
  ^bb0(%a0: f32, %a1: f32, %o: f32):
    %g = arith.mulf %a0, %a1 : f32
    linalg.yield %g : f32
  } -> tensor<16x32xf32>
  return %t8 : tensor<16x32xf32>
}

func.func @right_i16(%x: tensor<16x128xf32>, %w: tensor<128x32xi8>, %z: tensor<128x32xi8>, %s: tensor<32xf32>) -> tensor<16x32xf32> {
  %t1 = tensor.empty() : tensor<128x32xf32>
  %t2 = linalg.generic #e2 ins(%w, %z : tensor<128x32xi8>, tensor<128x32xi8>) outs(%t1 : tensor<128x32xf32>) {
  ^bb0(%a0: i8, %a1: i8, %o: f32):
    %u = arith.extsi %a0 : i8 to i16
    %v = arith.extsi %a1 : i8 to i16
    %d = arith.subi %u, %v : i16
    %f = arith.sitofp %d : i16 to f32
    linalg.yield %f : f32
  } -> tensor<128x32xf32>
  %t3 = tensor.empty() : tensor<16x32xf32>
  %t4 = arith.constant 0.0 : f32
  %t5 = linalg.fill ins(%t4 : f32) outs(%t3 : tensor<16x32xf32>) -> tensor<16x32xf32>
  %t6 = linalg.generic #mm ins(%x, %t2 : tensor<16x128xf32>, tensor<128x32xf32>) outs(%t5 : tensor<16x32xf32>) {
  ^bb0(%a0: f32, %a1: f32, %o: f32):
    %p = arith.mulf %a0, %a1 : f32
    %q = arith.addf %o, %p : f32
    linalg.yield %q : f32
  } -> tensor<16x32xf32>
  %t7 = tensor.empty() : tensor<16x32xf32>
  %t8 = linalg.generic #ec ins(%t6, %s : tensor<16x32xf32>, tensor<32xf32>) outs(%t7 : tensor<16x32xf32>) {
  ^bb0(%a0: f32, %a1: f32, %o: f32):
    %g = arith.mulf %a0, %a1 : f32
    linalg.yield %g : f32
  } -> tensor<16x32xf32>
  return %t8 : tensor<16x32xf32>
}

func.func @wrong_sub_i8(%x: tensor<16x128xf32>, %w: tensor<128x32xi8>, %z: tensor<128x32xi8>, %s: tensor<32xf32>) -> tensor<16x32xf32> {
  %t1 = tensor.empty() : tensor<128x32xf32>
  %t2 = linalg.generic #e2 ins(%w, %z : tensor<128x32xi8>, tensor<128x32xi8>) outs(%t1 : tensor<128x32xf32>) {
  ^bb0(%a0: i8, %a1: i8, %o: f32):
    %d = arith.subi %a0, %a1 : i8
    %f = arith.sitofp %d : i8 to f32
    linalg.yield %f : f32
  } -> tensor<128x32xf32>
  %t3 = tensor.empty() : tensor<16x32xf32>
  %t4 = arith.constant 0.0 : f32
  %t5 = linalg.fill ins(%t4 : f32) outs(%t3 : tensor<16x32xf32>) -> tensor<16x32xf32>
  %t6 = linalg.generic #mm ins(%x, %t2 : tensor<16x128xf32>, tensor<128x32xf32>) outs(%t5 : tensor<16x32xf32>) {
  ^bb0(%a0: f32, %a1: f32, %o: f32):
    %p = arith.mulf %a0, %a1 : f32
    %q = arith.addf %o, %p : f32
    linalg.yield %q : f32
  } -> tensor<16x32xf32>
  %t7 = tensor.empty() : tensor<16x32xf32>
  %t8 = linalg.generic #ec ins(%t6, %s : tensor<16x32xf32>, tensor<32xf32>) outs(%t7 : tensor<16x32xf32>) {
  ^bb0(%a0: f32, %a1: f32, %o: f32):
    %g = arith.mulf %a0, %a1 : f32
    linalg.yield %g : f32
  } -> tensor<16x32xf32>
  return %t8 : tensor<16x32xf32>
}

func.func @wrong_nibble(%x: tensor<16x128xf32>, %w: tensor<128x32xi8>, %z: tensor<128x32xi8>, %s: tensor<32xf32>) -> tensor<16x32xf32> {
  %t1 = tensor.empty() : tensor<128x32xf32>
  %t2 = linalg.generic #e2 ins(%w, %z : tensor<128x32xi8>, tensor<128x32xi8>) outs(%t1 : tensor<128x32xf32>) {
  ^bb0(%a0: i8, %a1: i8, %o: f32):
    %c = arith.constant 3 : i8
    %d0 = arith.shli %a0, %c : i8
    %d1 = arith.shrsi %d0, %c : i8
    %u = arith.extsi %d1 : i8 to i32
    %v = arith.extsi %a1 : i8 to i32
    %d = arith.subi %u, %v : i32
    %f = arith.sitofp %d : i32 to f32
    linalg.yield %f : f32
  } -> tensor<128x32xf32>
  %t3 = tensor.empty() : tensor<16x32xf32>
  %t4 = arith.constant 0.0 : f32
  %t5 = linalg.fill ins(%t4 : f32) outs(%t3 : tensor<16x32xf32>) -> tensor<16x32xf32>
  %t6 = linalg.generic #mm ins(%x, %t2 : tensor<16x128xf32>, tensor<128x32xf32>) outs(%t5 : tensor<16x32xf32>) {
  ^bb0(%a0: f32, %a1: f32, %o: f32):
    %p = arith.mulf %a0, %a1 : f32
    %q = arith.addf %o, %p : f32
    linalg.yield %q : f32
  } -> tensor<16x32xf32>
  %t7 = tensor.empty() : tensor<16x32xf32>
  %t8 = linalg.generic #ec ins(%t6, %s : tensor<16x32xf32>, tensor<32xf32>) outs(%t7 : tensor<16x32xf32>) {
  ^bb0(%a0: f32, %a1: f32, %o: f32):
    %g = arith.mulf %a0, %a1 : f32
    linalg.yield %g : f32
  } -> tensor<16x32xf32>
  return %t8 : tensor<16x32xf32>
}

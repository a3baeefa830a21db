// f32 to i8 under fast-math flags.

#e1 = {indexing_maps = [affine_map<(i,j)->(i,j)>, affine_map<(i,j)->(i,j)>], iterator_types=["parallel","parallel"]}

func.func @kernel(%x: tensor<64x33xf32>) -> tensor<64x33xi8> {
  %t1 = tensor.empty() : tensor<64x33xi8>
  %t2 = linalg.generic #e1 ins(%x : tensor<64x33xf32>) outs(%t1 : tensor<64x33xi8>) {
  ^bb0(%a0: f32, %o: i8):
    %s = arith.constant 2.0 : f32
    %g = arith.mulf %a0, %s fastmath<fast> : f32
    %r = math.roundeven %g : f32
    %hi = arith.constant 127.0 : f32
    %lo = arith.constant -128.0 : f32
    %h = arith.minnumf %r, %hi : f32
    %l = arith.maxnumf %h, %lo : f32
    %i = arith.fptosi %l : f32 to i32
    %j = arith.trunci %i : i32 to i8
    linalg.yield %j : i8
  } -> tensor<64x33xi8>
  return %t2 : tensor<64x33xi8>
}

func.func @wrong_no_clamp(%x: tensor<64x33xf32>) -> tensor<64x33xi8> {
  %t1 = tensor.empty() : tensor<64x33xi8>
  %t2 = linalg.generic #e1 ins(%x : tensor<64x33xf32>) outs(%t1 : tensor<64x33xi8>) {
  ^bb0(%a0: f32, %o: i8):
    %s = arith.constant 2.0 : f32
    %g = arith.mulf %a0, %s fastmath<fast> : f32
    %r = math.roundeven %g : f32
    %z = arith.constant 0.0 : f32
    %l = arith.addf %r, %z : f32
    %i = arith.fptosi %l : f32 to i32
    %j = arith.trunci %i : i32 to i8
    linalg.yield %j : i8
  } -> tensor<64x33xi8>
  return %t2 : tensor<64x33xi8>
}

func.func @wrong_clamp_12(%x: tensor<64x33xf32>) -> tensor<64x33xi8> {
  %t1 = tensor.empty() : tensor<64x33xi8>
  %t2 = linalg.generic #e1 ins(%x : tensor<64x33xf32>) outs(%t1 : tensor<64x33xi8>) {
  ^bb0(%a0: f32, %o: i8):
    %s = arith.constant 2.0 : f32
    %g = arith.mulf %a0, %s fastmath<fast> : f32
    %r = math.roundeven %g : f32
    %hi = arith.constant 12.0 : f32
    %lo = arith.constant -128.0 : f32
    %h = arith.minnumf %r, %hi : f32
    %l = arith.maxnumf %h, %lo : f32
    %i = arith.fptosi %l : f32 to i32
    %j = arith.trunci %i : i32 to i8
    linalg.yield %j : i8
  } -> tensor<64x33xi8>
  return %t2 : tensor<64x33xi8>
}

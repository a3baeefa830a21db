// The same with other scales, and clamped.

#e2 = {indexing_maps = [affine_map<(i,j)->(i,j)>, affine_map<(i,j)->(i,j)>, affine_map<(i,j)->(i,j)>], iterator_types=["parallel","parallel"]}

func.func @kernel(%p: tensor<64x64xi8>, %q0: tensor<64x64xi8>) -> tensor<64x64xi8> {
  %t1 = tensor.empty() : tensor<64x64xi8>
  %t2 = linalg.generic #e2 ins(%p, %q0 : tensor<64x64xi8>, tensor<64x64xi8>) outs(%t1 : tensor<64x64xi8>) {
  ^bb0(%a0: i8, %a1: i8, %o: i8):
    %x = arith.sitofp %a0 : i8 to f32
    %y = arith.sitofp %a1 : i8 to f32
    %sa = arith.constant 0.0123 : f32
    %sb = arith.constant 0.0456 : f32
    %so = arith.constant 0.031 : f32
    %xa = arith.mulf %x, %sa : f32
    %yb = arith.mulf %y, %sb : f32
    %s = arith.addf %xa, %yb : f32
    %q = arith.divf %s, %so : f32
    %r = math.roundeven %q : f32
    %hi = arith.constant 127.0 : f32
    %lo = arith.constant -128.0 : f32
    %h = arith.minimumf %r, %hi : f32
    %l = arith.maximumf %h, %lo : f32
    %i = arith.fptosi %l : f32 to i8
    linalg.yield %i : i8
  } -> tensor<64x64xi8>
  return %t2 : tensor<64x64xi8>
}

func.func @right_inverse(%p: tensor<64x64xi8>, %q0: tensor<64x64xi8>) -> tensor<64x64xi8> {
  %t1 = tensor.empty() : tensor<64x64xi8>
  %t2 = linalg.generic #e2 ins(%p, %q0 : tensor<64x64xi8>, tensor<64x64xi8>) outs(%t1 : tensor<64x64xi8>) {
  ^bb0(%a0: i8, %a1: i8, %o: i8):
    %x = arith.sitofp %a0 : i8 to f32
    %y = arith.sitofp %a1 : i8 to f32
    %sa = arith.constant 0.0123 : f32
    %sb = arith.constant 0.0456 : f32
    %so = arith.constant 32.25806451612903 : f32
    %xa = arith.mulf %x, %sa : f32
    %yb = arith.mulf %y, %sb : f32
    %s = arith.addf %xa, %yb : f32
    %q = arith.mulf %s, %so : f32
    %r = math.roundeven %q : f32
    %hi = arith.constant 127.0 : f32
    %lo = arith.constant -128.0 : f32
    %h = arith.minimumf %r, %hi : f32
    %l = arith.maximumf %h, %lo : f32
    %i = arith.fptosi %l : f32 to i8
    linalg.yield %i : i8
  } -> tensor<64x64xi8>
  return %t2 : tensor<64x64xi8>
}

func.func @wrong_trunc(%p: tensor<64x64xi8>, %q0: tensor<64x64xi8>) -> tensor<64x64xi8> {
  %t1 = tensor.empty() : tensor<64x64xi8>
  %t2 = linalg.generic #e2 ins(%p, %q0 : tensor<64x64xi8>, tensor<64x64xi8>) outs(%t1 : tensor<64x64xi8>) {
  ^bb0(%a0: i8, %a1: i8, %o: i8):
    %x = arith.sitofp %a0 : i8 to f32
    %y = arith.sitofp %a1 : i8 to f32
    %sa = arith.constant 0.0123 : f32
    %sb = arith.constant 0.0456 : f32
    %so = arith.constant 0.031 : f32
    %xa = arith.mulf %x, %sa : f32
    %yb = arith.mulf %y, %sb : f32
    %s = arith.addf %xa, %yb : f32
    %q = arith.divf %s, %so : f32
    %r = math.trunc %q : f32
    %hi = arith.constant 127.0 : f32
    %lo = arith.constant -128.0 : f32
    %h = arith.minimumf %r, %hi : f32
    %l = arith.maximumf %h, %lo : f32
    %i = arith.fptosi %l : f32 to i8
    linalg.yield %i : i8
  } -> tensor<64x64xi8>
  return %t2 : tensor<64x64xi8>
}

func.func @wrong_wraps(%p: tensor<64x64xi8>, %q0: tensor<64x64xi8>) -> tensor<64x64xi8> {
  %t1 = tensor.empty() : tensor<64x64xi8>
  %t2 = linalg.generic #e2 ins(%p, %q0 : tensor<64x64xi8>, tensor<64x64xi8>) outs(%t1 : tensor<64x64xi8>) {
  ^bb0(%a0: i8, %a1: i8, %o: i8):
    %x = arith.sitofp %a0 : i8 to f32
    %y = arith.sitofp %a1 : i8 to f32
    %sa = arith.constant 0.0123 : f32
    %sb = arith.constant 0.0456 : f32
    %so = arith.constant 0.031 : f32
    %xa = arith.mulf %x, %sa : f32
    %yb = arith.mulf %y, %sb : f32
    %s = arith.addf %xa, %yb : f32
    %q = arith.divf %s, %so : f32
    %r = math.roundeven %q : f32
    %i = arith.fptosi %r : f32 to i32
    %j = arith.trunci %i : i32 to i8
    linalg.yield %j : i8
  } -> tensor<64x64xi8>
  return %t2 : tensor<64x64xi8>
}

// A sum of tanh.

#red = {indexing_maps = [affine_map<(i,j)->(i,j)>, affine_map<(i,j)->(i)>], iterator_types=["parallel","reduction"]}

func.func @kernel(%x: tensor<16x64xf32>) -> tensor<16xf32> {
  %t1 = tensor.empty() : tensor<16xf32>
  %t2 = arith.constant 0.0 : f32
  %t3 = linalg.fill ins(%t2 : f32) outs(%t1 : tensor<16xf32>) -> tensor<16xf32>
  %t4 = linalg.generic #red ins(%x : tensor<16x64xf32>) outs(%t3 : tensor<16xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %y = math.tanh %a0 : f32
    %r = arith.addf %o, %y : f32
    linalg.yield %r : f32
  } -> tensor<16xf32>
  return %t4 : tensor<16xf32>
}

func.func @wrong_pade(%x: tensor<16x64xf32>) -> tensor<16xf32> {
  %t1 = tensor.empty() : tensor<16xf32>
  %t2 = arith.constant 0.0 : f32
  %t3 = linalg.fill ins(%t2 : f32) outs(%t1 : tensor<16xf32>) -> tensor<16xf32>
  %t4 = linalg.generic #red ins(%x : tensor<16x64xf32>) outs(%t3 : tensor<16xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %a = arith.constant 27.0 : f32
    %b = arith.constant 9.0 : f32
    %hi = arith.constant 3.0 : f32
    %lo = arith.constant -3.0 : f32
    %h = arith.minimumf %a0, %hi : f32
    %c = arith.maximumf %h, %lo : f32
    %s2 = arith.mulf %c, %c : f32
    %n0 = arith.addf %s2, %a : f32
    %n1 = arith.mulf %n0, %c : f32
    %d0 = arith.mulf %s2, %b : f32
    %d1 = arith.addf %d0, %a : f32
    %y = arith.divf %n1, %d1 : f32
    %r = arith.addf %o, %y : f32
    linalg.yield %r : f32
  } -> tensor<16xf32>
  return %t4 : tensor<16xf32>
}

func.func @wrong_one_beyond_1_5(%x: tensor<16x64xf32>) -> tensor<16xf32> {
  %t1 = tensor.empty() : tensor<16xf32>
  %t2 = arith.constant 0.0 : f32
  %t3 = linalg.fill ins(%t2 : f32) outs(%t1 : tensor<16xf32>) -> tensor<16xf32>
  %t4 = linalg.generic #red ins(%x : tensor<16x64xf32>) outs(%t3 : tensor<16xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %lim = arith.constant 1.5 : f32
    %one = arith.constant 1.0 : f32
    %t = math.tanh %a0 : f32
    %ab = math.absf %a0 : f32
    %c = arith.cmpf ogt, %ab, %lim : f32
    %sg = math.copysign %one, %a0 : f32
    %y = arith.select %c, %sg, %t : f32
    %r = arith.addf %o, %y : f32
    linalg.yield %r : f32
  } -> tensor<16xf32>
  return %t4 : tensor<16xf32>
}

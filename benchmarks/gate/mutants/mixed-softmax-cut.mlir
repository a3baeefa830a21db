// A softmax, with exp cut off.

#er = {indexing_maps = [affine_map<(i,j)->(i,j)>, affine_map<(i,j)->(i)>, affine_map<(i,j)->(i,j)>], iterator_types=["parallel","parallel"]}
#red = {indexing_maps = [affine_map<(i,j)->(i,j)>, affine_map<(i,j)->(i)>], iterator_types=["parallel","reduction"]}

func.func @kernel(%x: tensor<16x64xf32>) -> tensor<16x64xf32> {
  %t1 = tensor.empty() : tensor<16xf32>
  %t2 = arith.constant 0xFF800000 : f32
  %t3 = linalg.fill ins(%t2 : f32) outs(%t1 : tensor<16xf32>) -> tensor<16xf32>
  %t4 = linalg.generic #red ins(%x : tensor<16x64xf32>) outs(%t3 : tensor<16xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %r = arith.maximumf %o, %a0 : f32
    linalg.yield %r : f32
  } -> tensor<16xf32>
  %t5 = tensor.empty() : tensor<16x64xf32>
  %t6 = linalg.generic #er ins(%x, %t4 : tensor<16x64xf32>, tensor<16xf32>) outs(%t5 : tensor<16x64xf32>) {
  ^bb0(%a0: f32, %a1: f32, %o: f32):
    %d = arith.subf %a0, %a1 : f32
    %e = math.exp %d : f32
    linalg.yield %e : f32
  } -> tensor<16x64xf32>
  %t7 = tensor.empty() : tensor<16xf32>
  %t8 = arith.constant 0.0 : f32
  %t9 = linalg.fill ins(%t8 : f32) outs(%t7 : tensor<16xf32>) -> tensor<16xf32>
  %t10 = linalg.generic #red ins(%t6 : tensor<16x64xf32>) outs(%t9 : tensor<16xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %r = arith.addf %o, %a0 : f32
    linalg.yield %r : f32
  } -> tensor<16xf32>
  %t11 = tensor.empty() : tensor<16x64xf32>
  %t12 = linalg.generic #er ins(%t6, %t10 : tensor<16x64xf32>, tensor<16xf32>) outs(%t11 : tensor<16x64xf32>) {
  ^bb0(%a0: f32, %a1: f32, %o: f32):
    %r = arith.divf %a0, %a1 : f32
    linalg.yield %r : f32
  } -> tensor<16x64xf32>
  return %t12 : tensor<16x64xf32>
}

func.func @wrong_zero_below_3(%x: tensor<16x64xf32>) -> tensor<16x64xf32> {
  %t1 = tensor.empty() : tensor<16xf32>
  %t2 = arith.constant 0xFF800000 : f32
  %t3 = linalg.fill ins(%t2 : f32) outs(%t1 : tensor<16xf32>) -> tensor<16xf32>
  %t4 = linalg.generic #red ins(%x : tensor<16x64xf32>) outs(%t3 : tensor<16xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %r = arith.maximumf %o, %a0 : f32
    linalg.yield %r : f32
  } -> tensor<16xf32>
  %t5 = tensor.empty() : tensor<16x64xf32>
  %t6 = linalg.generic #er ins(%x, %t4 : tensor<16x64xf32>, tensor<16xf32>) outs(%t5 : tensor<16x64xf32>) {
  ^bb0(%a0: f32, %a1: f32, %o: f32):
    %d = arith.subf %a0, %a1 : f32
    %cut = arith.constant -3.0 : f32
    %z = arith.constant 0.0 : f32
    %e0 = math.exp %d : f32
    %c = arith.cmpf olt, %d, %cut : f32
    %e = arith.select %c, %z, %e0 : f32
    linalg.yield %e : f32
  } -> tensor<16x64xf32>
  %t7 = tensor.empty() : tensor<16xf32>
  %t8 = arith.constant 0.0 : f32
  %t9 = linalg.fill ins(%t8 : f32) outs(%t7 : tensor<16xf32>) -> tensor<16xf32>
  %t10 = linalg.generic #red ins(%t6 : tensor<16x64xf32>) outs(%t9 : tensor<16xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %r = arith.addf %o, %a0 : f32
    linalg.yield %r : f32
  } -> tensor<16xf32>
  %t11 = tensor.empty() : tensor<16x64xf32>
  %t12 = linalg.generic #er ins(%t6, %t10 : tensor<16x64xf32>, tensor<16xf32>) outs(%t11 : tensor<16x64xf32>) {
  ^bb0(%a0: f32, %a1: f32, %o: f32):
    %r = arith.divf %a0, %a1 : f32
    linalg.yield %r : f32
  } -> tensor<16x64xf32>
  return %t12 : tensor<16x64xf32>
}

func.func @wrong_zero_below_20(%x: tensor<16x64xf32>) -> tensor<16x64xf32> {
  %t1 = tensor.empty() : tensor<16xf32>
  %t2 = arith.constant 0xFF800000 : f32
  %t3 = linalg.fill ins(%t2 : f32) outs(%t1 : tensor<16xf32>) -> tensor<16xf32>
  %t4 = linalg.generic #red ins(%x : tensor<16x64xf32>) outs(%t3 : tensor<16xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %r = arith.maximumf %o, %a0 : f32
    linalg.yield %r : f32
  } -> tensor<16xf32>
  %t5 = tensor.empty() : tensor<16x64xf32>
  %t6 = linalg.generic #er ins(%x, %t4 : tensor<16x64xf32>, tensor<16xf32>) outs(%t5 : tensor<16x64xf32>) {
  ^bb0(%a0: f32, %a1: f32, %o: f32):
    %d = arith.subf %a0, %a1 : f32
    %cut = arith.constant -20.0 : f32
    %z = arith.constant 0.0 : f32
    %e0 = math.exp %d : f32
    %c = arith.cmpf olt, %d, %cut : f32
    %e = arith.select %c, %z, %e0 : f32
    linalg.yield %e : f32
  } -> tensor<16x64xf32>
  %t7 = tensor.empty() : tensor<16xf32>
  %t8 = arith.constant 0.0 : f32
  %t9 = linalg.fill ins(%t8 : f32) outs(%t7 : tensor<16xf32>) -> tensor<16xf32>
  %t10 = linalg.generic #red ins(%t6 : tensor<16x64xf32>) outs(%t9 : tensor<16xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %r = arith.addf %o, %a0 : f32
    linalg.yield %r : f32
  } -> tensor<16xf32>
  %t11 = tensor.empty() : tensor<16x64xf32>
  %t12 = linalg.generic #er ins(%t6, %t10 : tensor<16x64xf32>, tensor<16xf32>) outs(%t11 : tensor<16x64xf32>) {
  ^bb0(%a0: f32, %a1: f32, %o: f32):
    %r = arith.divf %a0, %a1 : f32
    linalg.yield %r : f32
  } -> tensor<16x64xf32>
  return %t12 : tensor<16x64xf32>
}

func.func @wrong_clamped_20(%x: tensor<16x64xf32>) -> tensor<16x64xf32> {
  %t1 = tensor.empty() : tensor<16xf32>
  %t2 = arith.constant 0xFF800000 : f32
  %t3 = linalg.fill ins(%t2 : f32) outs(%t1 : tensor<16xf32>) -> tensor<16xf32>
  %t4 = linalg.generic #red ins(%x : tensor<16x64xf32>) outs(%t3 : tensor<16xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %r = arith.maximumf %o, %a0 : f32
    linalg.yield %r : f32
  } -> tensor<16xf32>
  %t5 = tensor.empty() : tensor<16x64xf32>
  %t6 = linalg.generic #er ins(%x, %t4 : tensor<16x64xf32>, tensor<16xf32>) outs(%t5 : tensor<16x64xf32>) {
  ^bb0(%a0: f32, %a1: f32, %o: f32):
    %d = arith.subf %a0, %a1 : f32
    %cut = arith.constant -20.0 : f32
    %dd = arith.maximumf %d, %cut : f32
    %e = math.exp %dd : f32
    linalg.yield %e : f32
  } -> tensor<16x64xf32>
  %t7 = tensor.empty() : tensor<16xf32>
  %t8 = arith.constant 0.0 : f32
  %t9 = linalg.fill ins(%t8 : f32) outs(%t7 : tensor<16xf32>) -> tensor<16xf32>
  %t10 = linalg.generic #red ins(%t6 : tensor<16x64xf32>) outs(%t9 : tensor<16xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %r = arith.addf %o, %a0 : f32
    linalg.yield %r : f32
  } -> tensor<16xf32>
  %t11 = tensor.empty() : tensor<16x64xf32>
  %t12 = linalg.generic #er ins(%t6, %t10 : tensor<16x64xf32>, tensor<16xf32>) outs(%t11 : tensor<16x64xf32>) {
  ^bb0(%a0: f32, %a1: f32, %o: f32):
    %r = arith.divf %a0, %a1 : f32
    linalg.yield %r : f32
  } -> tensor<16x64xf32>
  return %t12 : tensor<16x64xf32>
}

func.func @wrong_clamped_3(%x: tensor<16x64xf32>) -> tensor<16x64xf32> {
  %t1 = tensor.empty() : tensor<16xf32>
  %t2 = arith.constant 0xFF800000 : f32
  %t3 = linalg.fill ins(%t2 : f32) outs(%t1 : tensor<16xf32>) -> tensor<16xf32>
  %t4 = linalg.generic #red ins(%x : tensor<16x64xf32>) outs(%t3 : tensor<16xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %r = arith.maximumf %o, %a0 : f32
    linalg.yield %r : f32
  } -> tensor<16xf32>
  %t5 = tensor.empty() : tensor<16x64xf32>
  %t6 = linalg.generic #er ins(%x, %t4 : tensor<16x64xf32>, tensor<16xf32>) outs(%t5 : tensor<16x64xf32>) {
  ^bb0(%a0: f32, %a1: f32, %o: f32):
    %d = arith.subf %a0, %a1 : f32
    %cut = arith.constant -3.0 : f32
    %dd = arith.maximumf %d, %cut : f32
    %e = math.exp %dd : f32
    linalg.yield %e : f32
  } -> tensor<16x64xf32>
  %t7 = tensor.empty() : tensor<16xf32>
  %t8 = arith.constant 0.0 : f32
  %t9 = linalg.fill ins(%t8 : f32) outs(%t7 : tensor<16xf32>) -> tensor<16xf32>
  %t10 = linalg.generic #red ins(%t6 : tensor<16x64xf32>) outs(%t9 : tensor<16xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %r = arith.addf %o, %a0 : f32
    linalg.yield %r : f32
  } -> tensor<16xf32>
  %t11 = tensor.empty() : tensor<16x64xf32>
  %t12 = linalg.generic #er ins(%t6, %t10 : tensor<16x64xf32>, tensor<16xf32>) outs(%t11 : tensor<16x64xf32>) {
  ^bb0(%a0: f32, %a1: f32, %o: f32):
    %r = arith.divf %a0, %a1 : f32
    linalg.yield %r : f32
  } -> tensor<16x64xf32>
  return %t12 : tensor<16x64xf32>
}

// A rotation by a position in i32.

#er = {indexing_maps = [affine_map<(i,j)->(i,j)>, affine_map<(i,j)->(i)>, affine_map<(i,j)->(i,j)>], iterator_types=["parallel","parallel"]}

func.func @kernel(%x: tensor<32x64xf32>, %p: tensor<32xi32>) -> tensor<32x64xf32> {
  %t1 = tensor.empty() : tensor<32x64xf32>
  %t2 = linalg.generic #er ins(%x, %p : tensor<32x64xf32>, tensor<32xi32>) outs(%t1 : tensor<32x64xf32>) {
  ^bb0(%a0: f32, %a1: i32, %o: f32):
    %pf = arith.sitofp %a1 : i32 to f32
    %w = arith.constant 0.01 : f32
    %t = arith.mulf %pf, %w : f32
    %c = math.cos %t : f32
    %g = arith.mulf %a0, %c : f32
    linalg.yield %g : f32
  } -> tensor<32x64xf32>
  return %t2 : tensor<32x64xf32>
}

func.func @right_f64(%x: tensor<32x64xf32>, %p: tensor<32xi32>) -> tensor<32x64xf32> {
  %t1 = tensor.empty() : tensor<32x64xf32>
  %t2 = linalg.generic #er ins(%x, %p : tensor<32x64xf32>, tensor<32xi32>) outs(%t1 : tensor<32x64xf32>) {
  ^bb0(%a0: f32, %a1: i32, %o: f32):
    %pf = arith.sitofp %a1 : i32 to f32
    %w = arith.constant 0.01 : f32
    %t = arith.mulf %pf, %w : f32
    %td = arith.extf %t : f32 to f64
    %cd = math.cos %td : f64
    %c = arith.truncf %cd : f64 to f32
    %g = arith.mulf %a0, %c : f32
    linalg.yield %g : f32
  } -> tensor<32x64xf32>
  return %t2 : tensor<32x64xf32>
}

func.func @wrong_taylor(%x: tensor<32x64xf32>, %p: tensor<32xi32>) -> tensor<32x64xf32> {
  %t1 = tensor.empty() : tensor<32x64xf32>
  %t2 = linalg.generic #er ins(%x, %p : tensor<32x64xf32>, tensor<32xi32>) outs(%t1 : tensor<32x64xf32>) {
  ^bb0(%a0: f32, %a1: i32, %o: f32):
    %pf = arith.sitofp %a1 : i32 to f32
    %w = arith.constant 0.01 : f32
    %t = arith.mulf %pf, %w : f32
    %t2 = arith.mulf %t, %t : f32
    %k1 = arith.constant -0.5 : f32
    %k2 = arith.constant 0.0416666667 : f32
    %k3 = arith.constant -0.00138888889 : f32
    %one = arith.constant 1.0 : f32
    %u0 = arith.mulf %t2, %k3 : f32
    %u1 = arith.addf %u0, %k2 : f32
    %u2 = arith.mulf %u1, %t2 : f32
    %u3 = arith.addf %u2, %k1 : f32
    %u4 = arith.mulf %u3, %t2 : f32
    %c = arith.addf %u4, %one : f32
    %g = arith.mulf %a0, %c : f32
    linalg.yield %g : f32
  } -> tensor<32x64xf32>
  return %t2 : tensor<32x64xf32>
}

func.func @wrong_pos_i8(%x: tensor<32x64xf32>, %p: tensor<32xi32>) -> tensor<32x64xf32> {
  %t1 = tensor.empty() : tensor<32x64xf32>
  %t2 = linalg.generic #er ins(%x, %p : tensor<32x64xf32>, tensor<32xi32>) outs(%t1 : tensor<32x64xf32>) {
  ^bb0(%a0: f32, %a1: i32, %o: f32):
    %p8 = arith.trunci %a1 : i32 to i8
    %pf = arith.sitofp %p8 : i8 to f32
    %w = arith.constant 0.01 : f32
    %t = arith.mulf %pf, %w : f32
    %c = math.cos %t : f32
    %g = arith.mulf %a0, %c : f32
    linalg.yield %g : f32
  } -> tensor<32x64xf32>
  return %t2 : tensor<32x64xf32>
}

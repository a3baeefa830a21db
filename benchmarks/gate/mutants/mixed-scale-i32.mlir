// i32 to f32, scaled.

#e2 = {indexing_maps = [affine_map<(i,j)->(i,j)>, affine_map<(i,j)->(i,j)>, affine_map<(i,j)->(i,j)>], iterator_types=["parallel","parallel"]}

func.func @kernel(%a: tensor<32x64xi32>, %b: tensor<32x64xf32>) -> tensor<32x64xf32> {
  %t1 = tensor.empty() : tensor<32x64xf32>
  %t2 = linalg.generic #e2 ins(%a, %b : tensor<32x64xi32>, tensor<32x64xf32>) outs(%t1 : tensor<32x64xf32>) {
  ^bb0(%a0: i32, %a1: f32, %o: f32):
    %f = arith.sitofp %a0 : i32 to f32
    %g = arith.mulf %f, %a1 : f32
    linalg.yield %g : f32
  } -> tensor<32x64xf32>
  return %t2 : tensor<32x64xf32>
}

func.func @right_via_f64(%a: tensor<32x64xi32>, %b: tensor<32x64xf32>) -> tensor<32x64xf32> {
  %t1 = tensor.empty() : tensor<32x64xf32>
  %t2 = linalg.generic #e2 ins(%a, %b : tensor<32x64xi32>, tensor<32x64xf32>) outs(%t1 : tensor<32x64xf32>) {
  ^bb0(%a0: i32, %a1: f32, %o: f32):
    %f = arith.sitofp %a0 : i32 to f64
    %h = arith.extf %a1 : f32 to f64
    %g = arith.mulf %f, %h : f64
    %r = arith.truncf %g : f64 to f32
    linalg.yield %r : f32
  } -> tensor<32x64xf32>
  return %t2 : tensor<32x64xf32>
}

func.func @wrong_i16(%a: tensor<32x64xi32>, %b: tensor<32x64xf32>) -> tensor<32x64xf32> {
  %t1 = tensor.empty() : tensor<32x64xf32>
  %t2 = linalg.generic #e2 ins(%a, %b : tensor<32x64xi32>, tensor<32x64xf32>) outs(%t1 : tensor<32x64xf32>) {
  ^bb0(%a0: i32, %a1: f32, %o: f32):
    %t = arith.trunci %a0 : i32 to i16
    %f = arith.sitofp %t : i16 to f32
    %g = arith.mulf %f, %a1 : f32
    linalg.yield %g : f32
  } -> tensor<32x64xf32>
  return %t2 : tensor<32x64xf32>
}

func.func @wrong_f16(%a: tensor<32x64xi32>, %b: tensor<32x64xf32>) -> tensor<32x64xf32> {
  %t1 = tensor.empty() : tensor<32x64xf32>
  %t2 = linalg.generic #e2 ins(%a, %b : tensor<32x64xi32>, tensor<32x64xf32>) outs(%t1 : tensor<32x64xf32>) {
  ^bb0(%a0: i32, %a1: f32, %o: f32):
    %t = arith.sitofp %a0 : i32 to f16
    %f = arith.extf %t : f16 to f32
    %g = arith.mulf %f, %a1 : f32
    linalg.yield %g : f32
  } -> tensor<32x64xf32>
  return %t2 : tensor<32x64xf32>
}

// The difference of two i64, in seconds.

#e2 = {indexing_maps = [affine_map<(i,j)->(i,j)>, affine_map<(i,j)->(i,j)>, affine_map<(i,j)->(i,j)>], iterator_types=["parallel","parallel"]}

func.func @kernel(%x: tensor<32x64xi64>, %y: tensor<32x64xi64>) -> tensor<32x64xf32> {
  %t1 = tensor.empty() : tensor<32x64xf32>
  %t2 = linalg.generic #e2 ins(%x, %y : tensor<32x64xi64>, tensor<32x64xi64>) outs(%t1 : tensor<32x64xf32>) {
  ^bb0(%a0: i64, %a1: i64, %o: f32):
    %d = arith.subi %a0, %a1 : i64
    %f = arith.sitofp %d : i64 to f32
    linalg.yield %f : f32
  } -> tensor<32x64xf32>
  return %t2 : tensor<32x64xf32>
}

func.func @right_f64(%x: tensor<32x64xi64>, %y: tensor<32x64xi64>) -> tensor<32x64xf32> {
  %t1 = tensor.empty() : tensor<32x64xf32>
  %t2 = linalg.generic #e2 ins(%x, %y : tensor<32x64xi64>, tensor<32x64xi64>) outs(%t1 : tensor<32x64xf32>) {
  ^bb0(%a0: i64, %a1: i64, %o: f32):
    %d = arith.subi %a0, %a1 : i64
    %g = arith.sitofp %d : i64 to f64
    %f = arith.truncf %g : f64 to f32
    linalg.yield %f : f32
  } -> tensor<32x64xf32>
  return %t2 : tensor<32x64xf32>
}

func.func @wrong_f32(%x: tensor<32x64xi64>, %y: tensor<32x64xi64>) -> tensor<32x64xf32> {
  %t1 = tensor.empty() : tensor<32x64xf32>
  %t2 = linalg.generic #e2 ins(%x, %y : tensor<32x64xi64>, tensor<32x64xi64>) outs(%t1 : tensor<32x64xf32>) {
  ^bb0(%a0: i64, %a1: i64, %o: f32):
    %g = arith.sitofp %a0 : i64 to f32
    %h = arith.sitofp %a1 : i64 to f32
    %f = arith.subf %g, %h : f32
    linalg.yield %f : f32
  } -> tensor<32x64xf32>
  return %t2 : tensor<32x64xf32>
}

func.func @wrong_i32(%x: tensor<32x64xi64>, %y: tensor<32x64xi64>) -> tensor<32x64xf32> {
  %t1 = tensor.empty() : tensor<32x64xf32>
  %t2 = linalg.generic #e2 ins(%x, %y : tensor<32x64xi64>, tensor<32x64xi64>) outs(%t1 : tensor<32x64xf32>) {
  ^bb0(%a0: i64, %a1: i64, %o: f32):
    %g = arith.trunci %a0 : i64 to i32
    %h = arith.trunci %a1 : i64 to i32
    %d = arith.subi %g, %h : i32
    %f = arith.sitofp %d : i32 to f32
    linalg.yield %f : f32
  } -> tensor<32x64xf32>
  return %t2 : tensor<32x64xf32>
}

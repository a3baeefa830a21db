// Each row at its label.

func.func @kernel(%x: tensor<16x64xf32>, %l: tensor<16xi32>) -> tensor<16xf32> {
  %t1 = tensor.empty() : tensor<16xf32>
  %t2 = arith.constant 0.0 : f32
  %t3 = linalg.fill ins(%t2 : f32) outs(%t1 : tensor<16xf32>) -> tensor<16xf32>
  %t4 = linalg.generic {indexing_maps = [affine_map<(i,j)->(i,j)>, affine_map<(i,j)->(i)>, affine_map<(i,j)->(i)>], iterator_types=["parallel","reduction"]} ins(%x, %l : tensor<16x64xf32>, tensor<16xi32>) outs(%t3 : tensor<16xf32>) {
  ^bb0(%a0: f32, %a1: i32, %o: f32):
    %j = linalg.index 1 : index
    %ji = arith.index_cast %j : index to i32
    %e = arith.cmpi eq, %ji, %a1 : i32
    %z = arith.constant 0.0 : f32
    %s = arith.select %e, %a0, %z : f32
    %q = arith.addf %o, %s : f32
    linalg.yield %q : f32
  } -> tensor<16xf32>
  return %t4 : tensor<16xf32>
}

func.func @right_select(%x: tensor<16x64xf32>, %l: tensor<16xi32>) -> tensor<16xf32> {
  %t1 = tensor.empty() : tensor<16xf32>
  %t2 = arith.constant 0.0 : f32
  %t3 = linalg.fill ins(%t2 : f32) outs(%t1 : tensor<16xf32>) -> tensor<16xf32>
  %t4 = linalg.generic {indexing_maps = [affine_map<(i,j)->(i,j)>, affine_map<(i,j)->(i)>, affine_map<(i,j)->(i)>], iterator_types=["parallel","reduction"]} ins(%x, %l : tensor<16x64xf32>, tensor<16xi32>) outs(%t3 : tensor<16xf32>) {
  ^bb0(%a0: f32, %a1: i32, %o: f32):
    %j = linalg.index 1 : index
    %ji = arith.index_cast %j : index to i32
    %e = arith.cmpi eq, %ji, %a1 : i32
    %s = arith.select %e, %a0, %o : f32
    linalg.yield %s : f32
  } -> tensor<16xf32>
  return %t4 : tensor<16xf32>
}

func.func @wrong_last_tile(%x: tensor<16x64xf32>, %l: tensor<16xi32>) -> tensor<16xf32> {
  %t1 = tensor.empty() : tensor<16xf32>
  %t2 = arith.constant 0.0 : f32
  %t3 = linalg.fill ins(%t2 : f32) outs(%t1 : tensor<16xf32>) -> tensor<16xf32>
  %t4 = linalg.generic {indexing_maps = [affine_map<(i,j)->(i,j)>, affine_map<(i,j)->(i)>, affine_map<(i,j)->(i)>], iterator_types=["parallel","reduction"]} ins(%x, %l : tensor<16x64xf32>, tensor<16xi32>) outs(%t3 : tensor<16xf32>) {
  ^bb0(%a0: f32, %a1: i32, %o: f32):
    %j = linalg.index 1 : index
    %ji = arith.index_cast %j : index to i32
    %e = arith.cmpi eq, %ji, %a1 : i32
    %z = arith.constant 0.0 : f32
    %lim = arith.constant 48 : i32
    %in = arith.cmpi slt, %ji, %lim : i32
    %ee = arith.andi %e, %in : i1
    %s = arith.select %ee, %a0, %z : f32
    %q = arith.addf %o, %s : f32
    linalg.yield %q : f32
  } -> tensor<16xf32>
  return %t4 : tensor<16xf32>
}

func.func @wrong_i5(%x: tensor<16x64xf32>, %l: tensor<16xi32>) -> tensor<16xf32> {
  %t1 = tensor.empty() : tensor<16xf32>
  %t2 = arith.constant 0.0 : f32
  %t3 = linalg.fill ins(%t2 : f32) outs(%t1 : tensor<16xf32>) -> tensor<16xf32>
  %t4 = linalg.generic {indexing_maps = [affine_map<(i,j)->(i,j)>, affine_map<(i,j)->(i)>, affine_map<(i,j)->(i)>], iterator_types=["parallel","reduction"]} ins(%x, %l : tensor<16x64xf32>, tensor<16xi32>) outs(%t3 : tensor<16xf32>) {
  ^bb0(%a0: f32, %a1: i32, %o: f32):
    %j = linalg.index 1 : index
    %ji = arith.index_cast %j : index to i32
    %lt = arith.trunci %a1 : i32 to i5
    %jt = arith.trunci %ji : i32 to i5
    %e = arith.cmpi eq, %jt, %lt : i5
    %z = arith.constant 0.0 : f32
    %s = arith.select %e, %a0, %z : f32
    %q = arith.addf %o, %s : f32
    linalg.yield %q : f32
  } -> tensor<16xf32>
  return %t4 : tensor<16xf32>
}

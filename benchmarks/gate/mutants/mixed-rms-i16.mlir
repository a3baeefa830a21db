// The root of the mean square of i16.

#red = {indexing_maps = [affine_map<(i,j)->(i,j)>, affine_map<(i,j)->(i)>], iterator_types=["parallel","reduction"]}
#v1 = {indexing_maps = [affine_map<(i)->(i)>, affine_map<(i)->(i)>], iterator_types=["parallel"]}

func.func @kernel(%x: tensor<16x512xi16>) -> tensor<16xf64> {
  %t1 = tensor.empty() : tensor<16xi64>
  %t2 = arith.constant 0 : i64
  %t3 = linalg.fill ins(%t2 : i64) outs(%t1 : tensor<16xi64>) -> tensor<16xi64>
  %t4 = linalg.generic #red ins(%x : tensor<16x512xi16>) outs(%t3 : tensor<16xi64>) {
  ^bb0(%a0: i16, %o: i64):
    %v = arith.extsi %a0 : i16 to i64
    %p = arith.muli %v, %v : i64
    %q = arith.addi %o, %p : i64
    linalg.yield %q : i64
  } -> tensor<16xi64>
  %t5 = tensor.empty() : tensor<16xf64>
  %t6 = linalg.generic #v1 ins(%t4 : tensor<16xi64>) outs(%t5 : tensor<16xf64>) {
  ^bb0(%a0: i64, %o: f64):
    %f = arith.sitofp %a0 : i64 to f64
    %q = math.sqrt %f : f64
    linalg.yield %q : f64
  } -> tensor<16xf64>
  return %t6 : tensor<16xf64>
}

func.func @wrong_i32(%x: tensor<16x512xi16>) -> tensor<16xf64> {
  %t1 = tensor.empty() : tensor<16xi32>
  %t2 = arith.constant 0 : i32
  %t3 = linalg.fill ins(%t2 : i32) outs(%t1 : tensor<16xi32>) -> tensor<16xi32>
  %t4 = linalg.generic #red ins(%x : tensor<16x512xi16>) outs(%t3 : tensor<16xi32>) {
  ^bb0(%a0: i16, %o: i32):
    %v = arith.extsi %a0 : i16 to i32
    %p = arith.muli %v, %v : i32
    %q = arith.addi %o, %p : i32
    linalg.yield %q : i32
  } -> tensor<16xi32>
  %t5 = tensor.empty() : tensor<16xf64>
  %t6 = linalg.generic #v1 ins(%t4 : tensor<16xi32>) outs(%t5 : tensor<16xf64>) {
  ^bb0(%a0: i32, %o: f64):
    %f = arith.sitofp %a0 : i32 to f64
    %q = math.sqrt %f : f64
    linalg.yield %q : f64
  } -> tensor<16xf64>
  return %t6 : tensor<16xf64>
}

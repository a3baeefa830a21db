// expect: tuned
#in = affine_map<(i, j) -> (i, j)>
#out = affine_map<(i, j) -> (i)>
func.func @extremes(%x: tensor<64x48xi8>) -> (tensor<64xi8>, tensor<64xi32>) {
  %lowest = arith.constant -128 : i8
  %zero = arith.constant 0 : i32
  %e8 = tensor.empty() : tensor<64xi8>
  %e32 = tensor.empty() : tensor<64xi32>
  %f8 = linalg.fill ins(%lowest : i8) outs(%e8 : tensor<64xi8>) -> tensor<64xi8>
  %f32 = linalg.fill ins(%zero : i32) outs(%e32 : tensor<64xi32>) -> tensor<64xi32>
  %max = linalg.generic {indexing_maps = [#in, #out], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<64x48xi8>) outs(%f8 : tensor<64xi8>) {
  ^bb0(%in: i8, %acc: i8):
    %0 = arith.maxsi %in, %acc : i8
    linalg.yield %0 : i8
  } -> tensor<64xi8>
  %sum = linalg.generic {indexing_maps = [#in, #out], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<64x48xi8>) outs(%f32 : tensor<64xi32>) {
  ^bb0(%in: i8, %acc: i32):
    %0 = arith.extsi %in : i8 to i32
    %1 = arith.addi %0, %acc : i32
    linalg.yield %1 : i32
  } -> tensor<64xi32>
  return %max, %sum : tensor<64xi8>, tensor<64xi32>
}

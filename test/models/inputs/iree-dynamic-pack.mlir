// expect: tuned
// The inner tile is a value that folds to a constant.
func.func @pack(%arg0: tensor<32x64xf32>) -> tensor<4x64x8xf32> {
  %c8 = arith.constant 8 : index
  %c4 = arith.constant 4 : index
  %0 = tensor.empty(%c4, %c8) : tensor<?x64x?xf32>
  %pack = linalg.pack %arg0 inner_dims_pos = [0] inner_tiles = [%c8] into %0 : tensor<32x64xf32> -> tensor<?x64x?xf32>
  %cast = tensor.cast %pack : tensor<?x64x?xf32> to tensor<4x64x8xf32>
  %1 = tensor.empty() : tensor<4x64x8xf32>
  %2 = linalg.exp ins(%cast : tensor<4x64x8xf32>) outs(%1 : tensor<4x64x8xf32>) -> tensor<4x64x8xf32>
  return %2 : tensor<4x64x8xf32>
}

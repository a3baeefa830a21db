// expect: tuned
func.func @pack_and_unpack(%arg0: tensor<30x50xf32>) -> tensor<30x50xf32> {
  %cst = arith.constant 0.000000e+00 : f32
  %0 = tensor.empty() : tensor<4x4x8x16xf32>
  %pack = linalg.pack %arg0 padding_value(%cst : f32) outer_dims_perm = [0, 1] inner_dims_pos = [0, 1] inner_tiles = [8, 16] into %0 : tensor<30x50xf32> -> tensor<4x4x8x16xf32>
  %1 = tensor.empty() : tensor<4x4x8x16xf32>
  %2 = linalg.exp ins(%pack : tensor<4x4x8x16xf32>) outs(%1 : tensor<4x4x8x16xf32>) -> tensor<4x4x8x16xf32>
  %3 = tensor.empty() : tensor<30x50xf32>
  %unpack = linalg.unpack %2 outer_dims_perm = [0, 1] inner_dims_pos = [0, 1] inner_tiles = [8, 16] into %3 : tensor<4x4x8x16xf32> -> tensor<30x50xf32>
  return %unpack : tensor<30x50xf32>
}

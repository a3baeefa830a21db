func.func @packed_matmul(%a: tensor<30x50xf32>, %b: tensor<50x70xf32>) -> tensor<30x70xf32> {
  %zero = arith.constant 0.0 : f32
  %pa = tensor.empty() : tensor<4x50x8xf32>
  %pb = tensor.empty() : tensor<5x50x16xf32>
  %pc = tensor.empty() : tensor<4x5x8x16xf32>
  %e = tensor.empty() : tensor<30x70xf32>
  %A = linalg.pack %a padding_value(%zero : f32) inner_dims_pos = [0] inner_tiles = [8] into %pa : tensor<30x50xf32> -> tensor<4x50x8xf32>
  %B = linalg.pack %b padding_value(%zero : f32) outer_dims_perm = [1, 0] inner_dims_pos = [1] inner_tiles = [16] into %pb : tensor<50x70xf32> -> tensor<5x50x16xf32>
  %z = linalg.fill ins(%zero : f32) outs(%pc : tensor<4x5x8x16xf32>) -> tensor<4x5x8x16xf32>
  %C = linalg.generic {indexing_maps = [affine_map<(I, J, k, i, j) -> (I, k, i)>, affine_map<(I, J, k, i, j) -> (J, k, j)>, affine_map<(I, J, k, i, j) -> (I, J, i, j)>], iterator_types = ["parallel", "parallel", "reduction", "parallel", "parallel"]} ins(%A, %B : tensor<4x50x8xf32>, tensor<5x50x16xf32>) outs(%z : tensor<4x5x8x16xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %p = arith.mulf %x, %y : f32
    %s = arith.addf %p, %o : f32
    linalg.yield %s : f32
  } -> tensor<4x5x8x16xf32>
  %r = linalg.unpack %C inner_dims_pos = [0, 1] inner_tiles = [8, 16] into %e : tensor<4x5x8x16xf32> -> tensor<30x70xf32>
  return %r : tensor<30x70xf32>
}

func.func @forall(%a: tensor<64x64xf32>, %b: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %e = tensor.empty() : tensor<64x64xf32>
  %r = scf.forall (%i) in (8) shared_outs(%o = %e) -> tensor<64x64xf32> {
    %k = affine.apply affine_map<(d) -> (d * 8)>(%i)
    %x = tensor.extract_slice %a[%k, 0] [8, 64] [1, 1] : tensor<64x64xf32> to tensor<8x64xf32>
    %y = tensor.extract_slice %b[%k, 0] [8, 64] [1, 1] : tensor<64x64xf32> to tensor<8x64xf32>
    %w = tensor.extract_slice %o[%k, 0] [8, 64] [1, 1] : tensor<64x64xf32> to tensor<8x64xf32>
    %t = tensor.empty() : tensor<8x64xf32>
    %s = linalg.exp ins(%x : tensor<8x64xf32>) outs(%t : tensor<8x64xf32>) -> tensor<8x64xf32>
    %u = linalg.add ins(%s, %y : tensor<8x64xf32>, tensor<8x64xf32>) outs(%w : tensor<8x64xf32>) -> tensor<8x64xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %u into %o[%k, 0] [8, 64] [1, 1] : tensor<8x64xf32> into tensor<64x64xf32>
    }
  }
  return %r : tensor<64x64xf32>
}

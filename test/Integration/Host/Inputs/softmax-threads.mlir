func.func @softmax(%x: tensor<257x128xf32>) -> tensor<257x128xf32> {
  %e = tensor.empty() : tensor<257x128xf32>
  %r = linalg.softmax {tonno.lowering_config = {
      fuse = [4, 0], workgroup = [1, 32], subgroup = [1, 32], threads = THREADS}} dimension(1)
    ins(%x : tensor<257x128xf32>) outs(%e : tensor<257x128xf32>) -> tensor<257x128xf32>
  return %r : tensor<257x128xf32>
}

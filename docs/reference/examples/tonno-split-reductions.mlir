// tonno-opt --tonno-split-reductions
func.func @kernel(%x: tensor<16x4096xf32>, %init: tensor<16xf32>) -> tensor<16xf32> {
  %r = linalg.reduce {arith.addf} ins(%x : tensor<16x4096xf32>) outs(%init : tensor<16xf32>)
      dimensions = [1] {tonno.lowering_config = {split = 8}}
  return %r : tensor<16xf32>
}

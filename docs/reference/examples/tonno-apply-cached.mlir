// tonno-opt --tonno-apply-cached="cache-dir=/nonexistent"
#BM = #tonno.knob<"BM" from [32, 64] default 64>
func.func @f(%a: tensor<64xf32>, %c: tensor<64xf32>) -> tensor<64xf32> {
  %r = linalg.exp {tonno.lowering_config = {workgroup = [#BM]}}
       ins(%a : tensor<64xf32>) outs(%c : tensor<64xf32>) -> tensor<64xf32>
  return %r : tensor<64xf32>
}

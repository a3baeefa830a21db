#WIDTH = #tonno.knob<"WIDTH" from [1, 4, 8, 16] default 4>
#INTERLEAVE = #tonno.knob<"INTERLEAVE" from [1, 2, 4, 8]>

func.func @row_sums(%x: tensor<256x4096xf32>) -> tensor<256xf32>
    attributes {knobs = [#WIDTH, #INTERLEAVE]} {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<256xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%empty : tensor<256xf32>) -> tensor<256xf32>
  %sums = linalg.reduce {arith.addf} ins(%x : tensor<256x4096xf32>)
                                     outs(%zeros : tensor<256xf32>) dimensions = [1]
  return %sums : tensor<256xf32>
}

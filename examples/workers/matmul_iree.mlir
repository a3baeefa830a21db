#DM = #tonno.knob<"distribution_0" from [0, 32, 64, 128, 256] default 0>
#DN = #tonno.knob<"distribution_1" from [0, 32, 64, 128, 384] default 0>
#VM = #tonno.knob<"vector_common_parallel_0" from [0, 4, 6, 8, 16] default 0>
#VN = #tonno.knob<"vector_common_parallel_1" from [0, 8, 16, 32] default 0>
#VK = #tonno.knob<"vector_reduction_2" from [0, 1, 4, 8, 16] default 0>

// All knobs are 0, which is IREE's own choice, or none is.
func.func @matmul(%a: tensor<256x512xf32> {tonno.alignment = 64 : i64},
                  %b: tensor<512x384xf32> {tonno.alignment = 64 : i64})
    -> (tensor<256x384xf32> {tonno.alignment = 64 : i64})
    attributes {
      knobs = [#DM, #DN, #VM, #VN, #VK],
      tonno.constraints = [
        #tonno.constraint<"(distribution_0 == 0) == (distribution_1 == 0)">,
        #tonno.constraint<"(distribution_0 == 0) == (vector_common_parallel_0 == 0)">,
        #tonno.constraint<"(distribution_0 == 0) == (vector_common_parallel_1 == 0)">,
        #tonno.constraint<"(distribution_0 == 0) == (vector_reduction_2 == 0)">]} {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<256x384xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%empty : tensor<256x384xf32>) -> tensor<256x384xf32>
  %c = linalg.matmul ins(%a, %b : tensor<256x512xf32>, tensor<512x384xf32>)
                     outs(%zeros : tensor<256x384xf32>) -> tensor<256x384xf32>
  return %c : tensor<256x384xf32>
}

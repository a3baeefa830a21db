// A 512 x 512 x 512 matrix product whose tile sizes may vary:
//
//   tonno-tune examples/matmul.mlir -o matmul.tuned.mlir
//
// workgroup: tiles of M and N that stay in the cache; reduction: the part of K
// that is worked on at a time; subgroup: the tile of the result that is kept in
// vector registers.

#BM = #tonno.knob<"BM" from [16, 32, 64, 128, 256] default 32>
#BN = #tonno.knob<"BN" from [32, 64, 128, 256, 512] default 32>
#BK = #tonno.knob<"BK" from [32, 64, 128, 256, 512] default 32>
#MR = #tonno.knob<"MR" from [2, 4, 8, 12, 16] default 4>
#NR = #tonno.knob<"NR" from [8, 16, 32, 64] default 8>

func.func @matmul(%a: tensor<512x512xf32>, %b: tensor<512x512xf32>)
    -> tensor<512x512xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<512x512xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<512x512xf32>)
      -> tensor<512x512xf32>
  %c = linalg.matmul {
         tonno.lowering_config = {workgroup = [#BM, #BN, 0],
                                  reduction = [0, 0, #BK],
                                  subgroup = [#MR, #NR, 0]}}
       ins(%a, %b : tensor<512x512xf32>, tensor<512x512xf32>)
       outs(%init : tensor<512x512xf32>) -> tensor<512x512xf32>
  return %c : tensor<512x512xf32>
}

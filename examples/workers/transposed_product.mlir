#TILE = #tonno.knob<"TILE" from ["16,16,16", "32,32,32", "64,64,64", "8,64,64"]>
#JAM = #tonno.knob<"JAM" from [1, 2, 4]>
#UNROLL = #tonno.knob<"UNROLL" from [1, 4]>

func.func @transposed_product(%a: memref<128x128xf32>, %b: memref<128x128xf32>,
                              %c: memref<128x128xf32>)
    attributes {knobs = [#TILE, #JAM, #UNROLL]} {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%c : memref<128x128xf32>)
  linalg.matmul
      indexing_maps = [affine_map<(m, n, k) -> (k, m)>, affine_map<(m, n, k) -> (k, n)>,
                       affine_map<(m, n, k) -> (m, n)>]
      ins(%a, %b : memref<128x128xf32>, memref<128x128xf32>) outs(%c : memref<128x128xf32>)
  return
}

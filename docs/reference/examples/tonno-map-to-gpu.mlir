// tonno-opt --pass-pipeline='builtin.module(func.func(tonno-map-to-gpu,canonicalize,cse))'
func.func @product(%a: memref<128x64xf32>, %b: memref<64x96xf32>, %bias: memref<96xf32>, %out: memref<128x96xf32>)
    attributes {tonno.buffers = [{alignment = 64 : i64, type = memref<128x64xf32>}, {alignment = 64 : i64, type = memref<64x96xf32>}, {alignment = 64 : i64, type = memref<96xf32>}, {alignment = 64 : i64, type = memref<128x96xf32>}]} {
  %zero = arith.constant 0.0 : f32
  %sums = memref.alloc() : memref<128x96xf32>
  linalg.fill ins(%zero : f32) outs(%sums : memref<128x96xf32>)
  linalg.matmul {tonno.lowering_config = {workgroup = [64, 32, 0], reduction = [0, 0, 16], thread = [4, 4, 0]}}
      ins(%a, %b : memref<128x64xf32>, memref<64x96xf32>) outs(%sums : memref<128x96xf32>)
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>],
                  iterator_types = ["parallel", "parallel"]}
      ins(%sums, %bias : memref<128x96xf32>, memref<96xf32>) outs(%out : memref<128x96xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %s = arith.addf %x, %y : f32
    %m = arith.maximumf %s, %zero : f32
    linalg.yield %m : f32
  }
  return
}

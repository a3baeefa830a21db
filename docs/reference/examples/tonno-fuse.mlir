// tonno-opt --tonno-fuse --canonicalize --cse
#all = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
func.func @rows(%x: tensor<10x64xf32>) -> tensor<10x64xf32> {
  %zero = arith.constant 0.0 : f32
  %rows = tensor.empty() : tensor<10xf32>
  %empty = tensor.empty() : tensor<10x64xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%rows : tensor<10xf32>) -> tensor<10xf32>
  %sum = linalg.reduce { arith.addf } ins(%x : tensor<10x64xf32>) outs(%zeros : tensor<10xf32>) dimensions = [1] {tonno.lowering_config = {subgroup = [4, 16]}}
  %r = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]}
      ins(%x, %sum : tensor<10x64xf32>, tensor<10xf32>) outs(%empty : tensor<10x64xf32>)
      attrs = {tonno.lowering_config = {fuse = [4, 0], workgroup = [1, 16]}} {
  ^bb0(%a: f32, %s: f32, %o: f32):
    %d = arith.divf %a, %s : f32
    linalg.yield %d : f32
  } -> tensor<10x64xf32>
  return %r : tensor<10x64xf32>
}

// One head: softmax of the rows of q k, times v; q holds its scale already, and
// k lies transposed.
#row = affine_map<(i, j) -> (i)>
#all = affine_map<(i, j) -> (i, j)>
func.func @kernel(%q: tensor<@M@x@D@xf32>, %k: tensor<@D@x@N@xf32>, %v: tensor<@N@x@D@xf32>) -> tensor<@M@x@D@xf32> {
  %zero = arith.constant 0.0 : f32
  %lowest = arith.constant 0xFF800000 : f32
  %rows = tensor.empty() : tensor<@M@xf32>
  %empty = tensor.empty() : tensor<@M@x@N@xf32>
  %out = tensor.empty() : tensor<@M@x@D@xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%rows : tensor<@M@xf32>) -> tensor<@M@xf32>
  %lows = linalg.fill ins(%lowest : f32) outs(%rows : tensor<@M@xf32>) -> tensor<@M@xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<@M@x@N@xf32>) -> tensor<@M@x@N@xf32>
  %scores = linalg.matmul ins(%q, %k : tensor<@M@x@D@xf32>, tensor<@D@x@N@xf32>)
                          outs(%init : tensor<@M@x@N@xf32>) -> tensor<@M@x@N@xf32>
  %max = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]}
      ins(%scores : tensor<@M@x@N@xf32>) outs(%lows : tensor<@M@xf32>) {
  ^bb0(%a: f32, %o: f32):
    %c = arith.maximumf %a, %o : f32
    linalg.yield %c : f32
  } -> tensor<@M@xf32>
  %exp = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]}
      ins(%scores, %max : tensor<@M@x@N@xf32>, tensor<@M@xf32>) outs(%empty : tensor<@M@x@N@xf32>) {
  ^bb0(%a: f32, %m: f32, %o: f32):
    %d = arith.subf %a, %m : f32
    %e = math.exp %d : f32
    linalg.yield %e : f32
  } -> tensor<@M@x@N@xf32>
  %sum = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]}
      ins(%exp : tensor<@M@x@N@xf32>) outs(%zeros : tensor<@M@xf32>) {
  ^bb0(%a: f32, %o: f32):
    %c = arith.addf %a, %o : f32
    linalg.yield %c : f32
  } -> tensor<@M@xf32>
  %weights = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]}
      ins(%exp, %sum : tensor<@M@x@N@xf32>, tensor<@M@xf32>) outs(%empty : tensor<@M@x@N@xf32>) {
  ^bb0(%e: f32, %s: f32, %o: f32):
    %w = arith.divf %e, %s : f32
    linalg.yield %w : f32
  } -> tensor<@M@x@N@xf32>
  %first = linalg.fill ins(%zero : f32) outs(%out : tensor<@M@x@D@xf32>) -> tensor<@M@x@D@xf32>
  %r = linalg.matmul ins(%weights, %v : tensor<@M@x@N@xf32>, tensor<@N@x@D@xf32>)
                     outs(%first : tensor<@M@x@D@xf32>) -> tensor<@M@x@D@xf32>
  return %r : tensor<@M@x@D@xf32>
}

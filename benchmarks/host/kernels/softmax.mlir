// Softmax over rows, as four ops.
#row = affine_map<(i, j) -> (i)>
#all = affine_map<(i, j) -> (i, j)>
func.func @kernel(%x: tensor<@M@x@N@xf32>) -> tensor<@M@x@N@xf32> {
  %zero = arith.constant 0.0 : f32
  %lowest = arith.constant 0xFF800000 : f32
  %rows = tensor.empty() : tensor<@M@xf32>
  %empty = tensor.empty() : tensor<@M@x@N@xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%rows : tensor<@M@xf32>) -> tensor<@M@xf32>
  %lows = linalg.fill ins(%lowest : f32) outs(%rows : tensor<@M@xf32>) -> tensor<@M@xf32>
  %max = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<@M@x@N@xf32>) outs(%lows : tensor<@M@xf32>) {
  ^bb0(%a: f32, %o: f32):
    %c = arith.maximumf %a, %o : f32
    linalg.yield %c : f32
  } -> tensor<@M@xf32>
  %exp = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]}
      ins(%x, %max : tensor<@M@x@N@xf32>, tensor<@M@xf32>) outs(%empty : tensor<@M@x@N@xf32>) {
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
  %r = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]}
      ins(%exp, %sum : tensor<@M@x@N@xf32>, tensor<@M@xf32>) outs(%empty : tensor<@M@x@N@xf32>) {
  ^bb0(%e: f32, %s: f32, %o: f32):
    %q = arith.divf %e, %s : f32
    linalg.yield %q : f32
  } -> tensor<@M@x@N@xf32>
  return %r : tensor<@M@x@N@xf32>
}

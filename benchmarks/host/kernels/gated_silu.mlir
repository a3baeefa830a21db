// Two elementwise ops with an exponential: x / (1 + exp(-x)), then times y.
#all = affine_map<(i, j) -> (i, j)>
func.func @kernel(%x: tensor<@M@x@N@xf32>, %y: tensor<@M@x@N@xf32>) -> tensor<@M@x@N@xf32> {
  %one = arith.constant 1.0 : f32
  %empty = tensor.empty() : tensor<@M@x@N@xf32>
  %silu = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<@M@x@N@xf32>) outs(%empty : tensor<@M@x@N@xf32>) {
  ^bb0(%a: f32, %o: f32):
    %n = arith.negf %a : f32
    %e = math.exp %n : f32
    %d = arith.addf %e, %one : f32
    %r = arith.divf %a, %d : f32
    linalg.yield %r : f32
  } -> tensor<@M@x@N@xf32>
  %r = linalg.generic {indexing_maps = [#all, #all, #all], iterator_types = ["parallel", "parallel"]}
      ins(%silu, %y : tensor<@M@x@N@xf32>, tensor<@M@x@N@xf32>) outs(%empty : tensor<@M@x@N@xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %p = arith.mulf %a, %b : f32
    linalg.yield %p : f32
  } -> tensor<@M@x@N@xf32>
  return %r : tensor<@M@x@N@xf32>
}

// Elementwise ops one after another, with rows and columns that are repeated:
// clamp((x + y) * scale + shift) * x.
#row = affine_map<(i, j) -> (j)>
#all = affine_map<(i, j) -> (i, j)>
func.func @kernel(%x: tensor<@M@x@N@xf32>, %y: tensor<@M@x@N@xf32>, %scale: tensor<@N@xf32>, %shift: tensor<@N@xf32>) -> tensor<@M@x@N@xf32> {
  %low = arith.constant 0.0 : f32
  %high = arith.constant 1.0 : f32
  %empty = tensor.empty() : tensor<@M@x@N@xf32>
  %sum = linalg.generic {indexing_maps = [#all, #all, #all], iterator_types = ["parallel", "parallel"]}
      ins(%x, %y : tensor<@M@x@N@xf32>, tensor<@M@x@N@xf32>) outs(%empty : tensor<@M@x@N@xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %r = arith.addf %a, %b : f32
    linalg.yield %r : f32
  } -> tensor<@M@x@N@xf32>
  %scaled = linalg.generic {indexing_maps = [#all, #row, #row, #all], iterator_types = ["parallel", "parallel"]}
      ins(%sum, %scale, %shift : tensor<@M@x@N@xf32>, tensor<@N@xf32>, tensor<@N@xf32>) outs(%empty : tensor<@M@x@N@xf32>) {
  ^bb0(%a: f32, %s: f32, %t: f32, %o: f32):
    %p = arith.mulf %a, %s : f32
    %r = arith.addf %p, %t : f32
    linalg.yield %r : f32
  } -> tensor<@M@x@N@xf32>
  %clamped = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]}
      ins(%scaled : tensor<@M@x@N@xf32>) outs(%empty : tensor<@M@x@N@xf32>) {
  ^bb0(%a: f32, %o: f32):
    %m = arith.maximumf %a, %low : f32
    %r = arith.minimumf %m, %high : f32
    linalg.yield %r : f32
  } -> tensor<@M@x@N@xf32>
  %r = linalg.generic {indexing_maps = [#all, #all, #all], iterator_types = ["parallel", "parallel"]}
      ins(%clamped, %x : tensor<@M@x@N@xf32>, tensor<@M@x@N@xf32>) outs(%empty : tensor<@M@x@N@xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %p = arith.mulf %a, %b : f32
    linalg.yield %p : f32
  } -> tensor<@M@x@N@xf32>
  return %r : tensor<@M@x@N@xf32>
}

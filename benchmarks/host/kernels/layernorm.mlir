// Each row less its mean, over its deviation: three ops.
#row = affine_map<(i, j) -> (i)>
#all = affine_map<(i, j) -> (i, j)>
func.func @kernel(%x: tensor<@M@x@N@xf32>) -> tensor<@M@x@N@xf32> {
  %zero = arith.constant 0.0 : f32
  %count = arith.constant @N@.0 : f32
  %epsilon = arith.constant 1.0e-5 : f32
  %rows = tensor.empty() : tensor<@M@xf32>
  %empty = tensor.empty() : tensor<@M@x@N@xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%rows : tensor<@M@xf32>) -> tensor<@M@xf32>
  %sum = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<@M@x@N@xf32>) outs(%zeros : tensor<@M@xf32>) {
  ^bb0(%a: f32, %o: f32):
    %c = arith.addf %a, %o : f32
    linalg.yield %c : f32
  } -> tensor<@M@xf32>
  %squares = linalg.generic {indexing_maps = [#all, #row, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x, %sum : tensor<@M@x@N@xf32>, tensor<@M@xf32>) outs(%zeros : tensor<@M@xf32>) {
  ^bb0(%a: f32, %s: f32, %o: f32):
    %mean = arith.divf %s, %count : f32
    %d = arith.subf %a, %mean : f32
    %dd = arith.mulf %d, %d : f32
    %c = arith.addf %dd, %o : f32
    linalg.yield %c : f32
  } -> tensor<@M@xf32>
  %r = linalg.generic {indexing_maps = [#all, #row, #row, #all], iterator_types = ["parallel", "parallel"]}
      ins(%x, %sum, %squares : tensor<@M@x@N@xf32>, tensor<@M@xf32>, tensor<@M@xf32>)
      outs(%empty : tensor<@M@x@N@xf32>) {
  ^bb0(%a: f32, %s: f32, %ss: f32, %o: f32):
    %mean = arith.divf %s, %count : f32
    %d = arith.subf %a, %mean : f32
    %variance = arith.divf %ss, %count : f32
    %safe = arith.addf %variance, %epsilon : f32
    %scale = math.rsqrt %safe : f32
    %n = arith.mulf %d, %scale : f32
    linalg.yield %n : f32
  } -> tensor<@M@x@N@xf32>
  return %r : tensor<@M@x@N@xf32>
}

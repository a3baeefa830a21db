// Each inner point from itself and its four neighbours; M and N are those of
// the result.
#all = affine_map<(i, j) -> (i, j)>
func.func @kernel(%x: tensor<@IH@x@IW@xf32>) -> tensor<@M@x@N@xf32> {
  %middle = arith.constant 0.5 : f32
  %side = arith.constant 0.125 : f32
  %empty = tensor.empty() : tensor<@M@x@N@xf32>
  %c = tensor.extract_slice %x[1, 1] [@M@, @N@] [1, 1] : tensor<@IH@x@IW@xf32> to tensor<@M@x@N@xf32>
  %n = tensor.extract_slice %x[0, 1] [@M@, @N@] [1, 1] : tensor<@IH@x@IW@xf32> to tensor<@M@x@N@xf32>
  %s = tensor.extract_slice %x[2, 1] [@M@, @N@] [1, 1] : tensor<@IH@x@IW@xf32> to tensor<@M@x@N@xf32>
  %w = tensor.extract_slice %x[1, 0] [@M@, @N@] [1, 1] : tensor<@IH@x@IW@xf32> to tensor<@M@x@N@xf32>
  %e = tensor.extract_slice %x[1, 2] [@M@, @N@] [1, 1] : tensor<@IH@x@IW@xf32> to tensor<@M@x@N@xf32>
  %r = linalg.generic {indexing_maps = [#all, #all, #all, #all, #all, #all], iterator_types = ["parallel", "parallel"]}
      ins(%c, %n, %s, %w, %e : tensor<@M@x@N@xf32>, tensor<@M@x@N@xf32>, tensor<@M@x@N@xf32>, tensor<@M@x@N@xf32>, tensor<@M@x@N@xf32>)
      outs(%empty : tensor<@M@x@N@xf32>) {
  ^bb0(%a: f32, %b: f32, %d: f32, %f: f32, %g: f32, %o: f32):
    %bd = arith.addf %b, %d : f32
    %fg = arith.addf %f, %g : f32
    %four = arith.addf %bd, %fg : f32
    %p = arith.mulf %a, %middle : f32
    %q = arith.mulf %four, %side : f32
    %sum = arith.addf %p, %q : f32
    linalg.yield %sum : f32
  } -> tensor<@M@x@N@xf32>
  return %r : tensor<@M@x@N@xf32>
}

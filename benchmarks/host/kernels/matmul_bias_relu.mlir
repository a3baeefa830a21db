// A dense layer: a matrix product, a row added to each row, negative numbers
// made zero.
#row = affine_map<(i, j) -> (j)>
#all = affine_map<(i, j) -> (i, j)>
func.func @kernel(%a: tensor<@M@x@K@xf32>, %b: tensor<@K@x@N@xf32>, %bias: tensor<@N@xf32>) -> tensor<@M@x@N@xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<@M@x@N@xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<@M@x@N@xf32>) -> tensor<@M@x@N@xf32>
  %product = linalg.matmul ins(%a, %b : tensor<@M@x@K@xf32>, tensor<@K@x@N@xf32>)
                           outs(%init : tensor<@M@x@N@xf32>) -> tensor<@M@x@N@xf32>
  %r = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]}
      ins(%product, %bias : tensor<@M@x@N@xf32>, tensor<@N@xf32>) outs(%empty : tensor<@M@x@N@xf32>) {
  ^bb0(%p: f32, %add: f32, %old: f32):
    %s = arith.addf %p, %add : f32
    %m = arith.maximumf %s, %zero : f32
    linalg.yield %m : f32
  } -> tensor<@M@x@N@xf32>
  return %r : tensor<@M@x@N@xf32>
}

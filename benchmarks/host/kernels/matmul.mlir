// A matrix product, summed up in the type of its results.
func.func @kernel(%a: tensor<@M@x@K@x@IN@>, %b: tensor<@K@x@N@x@IN@>) -> tensor<@M@x@N@x@OUT@> {
  %zero = arith.constant @ZERO@ : @OUT@
  %empty = tensor.empty() : tensor<@M@x@N@x@OUT@>
  %init = linalg.fill ins(%zero : @OUT@) outs(%empty : tensor<@M@x@N@x@OUT@>) -> tensor<@M@x@N@x@OUT@>
  %r = linalg.matmul ins(%a, %b : tensor<@M@x@K@x@IN@>, tensor<@K@x@N@x@IN@>)
                     outs(%init : tensor<@M@x@N@x@OUT@>) -> tensor<@M@x@N@x@OUT@>
  return %r : tensor<@M@x@N@x@OUT@>
}

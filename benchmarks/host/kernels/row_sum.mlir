// The sum of each row.
func.func @kernel(%x: tensor<@M@x@N@xf32>) -> tensor<@M@xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<@M@xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<@M@xf32>) -> tensor<@M@xf32>
  %r = linalg.reduce { arith.addf } ins(%x : tensor<@M@x@N@xf32>) outs(%init : tensor<@M@xf32>) dimensions = [1]
  return %r : tensor<@M@xf32>
}

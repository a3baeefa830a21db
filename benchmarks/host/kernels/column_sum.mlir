// The sum of each column.
func.func @kernel(%x: tensor<@M@x@N@xf32>) -> tensor<@N@xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<@N@xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<@N@xf32>) -> tensor<@N@xf32>
  %r = linalg.reduce { arith.addf } ins(%x : tensor<@M@x@N@xf32>) outs(%init : tensor<@N@xf32>) dimensions = [0]
  return %r : tensor<@N@xf32>
}

// tonno-opt --tonno-duplicate-inits
func.func @two(%x: tensor<64x512xf32>, %y: tensor<64x512xf32>) -> (tensor<64xf32>, tensor<64xf32>) {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<64xf32>
  %fill = linalg.fill ins(%zero : f32) outs(%empty : tensor<64xf32>) -> tensor<64xf32>
  %a = linalg.reduce {arith.addf} ins(%x : tensor<64x512xf32>) outs(%fill : tensor<64xf32>) dimensions = [1]
  %b = linalg.reduce {arith.addf} ins(%y : tensor<64x512xf32>) outs(%fill : tensor<64xf32>) dimensions = [1]
  return %a, %b : tensor<64xf32>, tensor<64xf32>
}

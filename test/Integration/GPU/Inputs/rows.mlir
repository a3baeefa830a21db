// Reductions of rows and columns, softmax, and what takes several launches with
// a workspace between them. No tile divides these shapes.

#all = affine_map<(m, n) -> (m, n)>
#row = affine_map<(m, n) -> (m)>

func.func @row_sum_f32(%x: tensor<50x300xf32>) -> tensor<50xf32> {
  %first = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<50xf32>
  %f = linalg.fill ins(%first : f32) outs(%e : tensor<50xf32>) -> tensor<50xf32>
  %r = linalg.reduce { arith.addf } ins(%x : tensor<50x300xf32>) outs(%f : tensor<50xf32>) dimensions = [1]
  return %r : tensor<50xf32>
}

func.func @row_sum_i32_odd(%x: tensor<67x53xi32>) -> tensor<67xi32> {
  %first = arith.constant 0 : i32
  %e = tensor.empty() : tensor<67xi32>
  %f = linalg.fill ins(%first : i32) outs(%e : tensor<67xi32>) -> tensor<67xi32>
  %r = linalg.reduce { arith.addi } ins(%x : tensor<67x53xi32>) outs(%f : tensor<67xi32>) dimensions = [1]
  return %r : tensor<67xi32>
}

func.func @row_max_f16_odd(%x: tensor<33x269xf16>) -> tensor<33xf16> {
  %first = arith.constant 0xFC00 : f16
  %e = tensor.empty() : tensor<33xf16>
  %f = linalg.fill ins(%first : f16) outs(%e : tensor<33xf16>) -> tensor<33xf16>
  %r = linalg.reduce { arith.maximumf } ins(%x : tensor<33x269xf16>) outs(%f : tensor<33xf16>) dimensions = [1]
  return %r : tensor<33xf16>
}

func.func @column_sum_f32(%x: tensor<300x52xf32>) -> tensor<52xf32> {
  %first = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<52xf32>
  %f = linalg.fill ins(%first : f32) outs(%e : tensor<52xf32>) -> tensor<52xf32>
  %r = linalg.reduce { arith.addf } ins(%x : tensor<300x52xf32>) outs(%f : tensor<52xf32>) dimensions = [0]
  return %r : tensor<52xf32>
}

func.func @softmax_f32(%x: tensor<50x300xf32>) -> tensor<50x300xf32> {
  %e = tensor.empty() : tensor<50x300xf32>
  %r = linalg.softmax dimension(1) ins(%x : tensor<50x300xf32>) outs(%e : tensor<50x300xf32>) -> tensor<50x300xf32>
  return %r : tensor<50x300xf32>
}

func.func @softmax_f32_odd(%x: tensor<33x53xf32>) -> tensor<33x53xf32> {
  %e = tensor.empty() : tensor<33x53xf32>
  %r = linalg.softmax dimension(1) ins(%x : tensor<33x53xf32>) outs(%e : tensor<33x53xf32>) -> tensor<33x53xf32>
  return %r : tensor<33x53xf32>
}

func.func @softmax_f16_odd(%x: tensor<33x269xf16>) -> tensor<33x269xf16> {
  %e = tensor.empty() : tensor<33x269xf16>
  %r = linalg.softmax dimension(1) ins(%x : tensor<33x269xf16>) outs(%e : tensor<33x269xf16>) -> tensor<33x269xf16>
  return %r : tensor<33x269xf16>
}

// Its first product is in the workspace, from where a second launch takes it.
func.func @chain_f32(%a: tensor<68x44xf32>, %b: tensor<44x52xf32>, %c: tensor<52x36xf32>) -> tensor<68x36xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<68x52xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<68x52xf32>) -> tensor<68x52xf32>
  %p = linalg.matmul ins(%a, %b : tensor<68x44xf32>, tensor<44x52xf32>) outs(%f : tensor<68x52xf32>) -> tensor<68x52xf32>
  %e2 = tensor.empty() : tensor<68x36xf32>
  %f2 = linalg.fill ins(%zero : f32) outs(%e2 : tensor<68x36xf32>) -> tensor<68x36xf32>
  %r = linalg.matmul ins(%p, %c : tensor<68x52xf32>, tensor<52x36xf32>) outs(%f2 : tensor<68x36xf32>) -> tensor<68x36xf32>
  return %r : tensor<68x36xf32>
}

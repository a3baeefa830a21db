// Products of matrices of every type, order and number. No tile of the default
// spaces divides these shapes: some have rows that 16-byte accesses fit in, some
// are odd in every dimension.

#row_depth = affine_map<(m, n, k) -> (m, k)>
#depth_row = affine_map<(m, n, k) -> (k, m)>
#depth_column = affine_map<(m, n, k) -> (k, n)>
#column_depth = affine_map<(m, n, k) -> (n, k)>
#out = affine_map<(m, n, k) -> (m, n)>
#column = affine_map<(m, n) -> (n)>
#all = affine_map<(m, n) -> (m, n)>

func.func @matmul_f32(%a: tensor<100x76xf32>, %b: tensor<76x92xf32>) -> tensor<100x92xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<100x92xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<100x92xf32>) -> tensor<100x92xf32>
  %r = linalg.matmul ins(%a, %b : tensor<100x76xf32>, tensor<76x92xf32>) outs(%f : tensor<100x92xf32>) -> tensor<100x92xf32>
  return %r : tensor<100x92xf32>
}

func.func @matmul_f32_odd(%a: tensor<67x45xf32>, %b: tensor<45x53xf32>) -> tensor<67x53xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<67x53xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<67x53xf32>) -> tensor<67x53xf32>
  %r = linalg.matmul ins(%a, %b : tensor<67x45xf32>, tensor<45x53xf32>) outs(%f : tensor<67x53xf32>) -> tensor<67x53xf32>
  return %r : tensor<67x53xf32>
}

func.func @matmul_f16(%a: tensor<104x72xf16>, %b: tensor<72x88xf16>) -> tensor<104x88xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<104x88xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<104x88xf32>) -> tensor<104x88xf32>
  %r = linalg.matmul ins(%a, %b : tensor<104x72xf16>, tensor<72x88xf16>) outs(%f : tensor<104x88xf32>) -> tensor<104x88xf32>
  return %r : tensor<104x88xf32>
}

func.func @matmul_bf16_odd(%a: tensor<67x45xbf16>, %b: tensor<45x53xbf16>) -> tensor<67x53xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<67x53xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<67x53xf32>) -> tensor<67x53xf32>
  %r = linalg.matmul ins(%a, %b : tensor<67x45xbf16>, tensor<45x53xbf16>) outs(%f : tensor<67x53xf32>) -> tensor<67x53xf32>
  return %r : tensor<67x53xf32>
}

func.func @matmul_i8(%a: tensor<80x112xi8>, %b: tensor<112x48xi8>) -> tensor<80x48xi32> {
  %zero = arith.constant 0 : i32
  %e = tensor.empty() : tensor<80x48xi32>
  %f = linalg.fill ins(%zero : i32) outs(%e : tensor<80x48xi32>) -> tensor<80x48xi32>
  %r = linalg.matmul ins(%a, %b : tensor<80x112xi8>, tensor<112x48xi8>) outs(%f : tensor<80x48xi32>) -> tensor<80x48xi32>
  return %r : tensor<80x48xi32>
}

func.func @matmul_i8_odd(%a: tensor<35x51xi8>, %b: tensor<51x77xi8>) -> tensor<35x77xi32> {
  %zero = arith.constant 0 : i32
  %e = tensor.empty() : tensor<35x77xi32>
  %f = linalg.fill ins(%zero : i32) outs(%e : tensor<35x77xi32>) -> tensor<35x77xi32>
  %r = linalg.matmul ins(%a, %b : tensor<35x51xi8>, tensor<51x77xi8>) outs(%f : tensor<35x77xi32>) -> tensor<35x77xi32>
  return %r : tensor<35x77xi32>
}

func.func @matmul_transposed_a_f32(%a: tensor<76x100xf32>, %b: tensor<76x92xf32>) -> tensor<100x92xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<100x92xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<100x92xf32>) -> tensor<100x92xf32>
  %r = linalg.matmul indexing_maps = [#depth_row, #depth_column, #out]
      ins(%a, %b : tensor<76x100xf32>, tensor<76x92xf32>) outs(%f : tensor<100x92xf32>) -> tensor<100x92xf32>
  return %r : tensor<100x92xf32>
}

func.func @matmul_transposed_b_bf16(%a: tensor<104x72xbf16>, %b: tensor<88x72xbf16>) -> tensor<104x88xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<104x88xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<104x88xf32>) -> tensor<104x88xf32>
  %r = linalg.matmul indexing_maps = [#row_depth, #column_depth, #out]
      ins(%a, %b : tensor<104x72xbf16>, tensor<88x72xbf16>) outs(%f : tensor<104x88xf32>) -> tensor<104x88xf32>
  return %r : tensor<104x88xf32>
}

func.func @batch_matmul_f32(%a: tensor<3x36x44xf32>, %b: tensor<3x44x52xf32>) -> tensor<3x36x52xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<3x36x52xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<3x36x52xf32>) -> tensor<3x36x52xf32>
  %r = linalg.batch_matmul ins(%a, %b : tensor<3x36x44xf32>, tensor<3x44x52xf32>) outs(%f : tensor<3x36x52xf32>) -> tensor<3x36x52xf32>
  return %r : tensor<3x36x52xf32>
}

func.func @batch_matmul_f16_odd(%a: tensor<3x33x29xf16>, %b: tensor<3x29x41xf16>) -> tensor<3x33x41xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<3x33x41xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<3x33x41xf32>) -> tensor<3x33x41xf32>
  %r = linalg.batch_matmul ins(%a, %b : tensor<3x33x29xf16>, tensor<3x29x41xf16>) outs(%f : tensor<3x33x41xf32>) -> tensor<3x33x41xf32>
  return %r : tensor<3x33x41xf32>
}

func.func @matmul_bias_relu_f32(%a: tensor<100x76xf32>, %b: tensor<76x92xf32>, %bias: tensor<92xf32>) -> tensor<100x92xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<100x92xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<100x92xf32>) -> tensor<100x92xf32>
  %r = linalg.matmul ins(%a, %b : tensor<100x76xf32>, tensor<76x92xf32>) outs(%f : tensor<100x92xf32>) -> tensor<100x92xf32>
  %s = linalg.generic {indexing_maps = [#all, #column, #all], iterator_types = ["parallel", "parallel"]}
      ins(%r, %bias : tensor<100x92xf32>, tensor<92xf32>) outs(%e : tensor<100x92xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %sum = arith.addf %x, %y : f32
    %relu = arith.maximumf %sum, %zero : f32
    linalg.yield %relu : f32
  } -> tensor<100x92xf32>
  return %s : tensor<100x92xf32>
}

func.func @matmul_bias_relu_f16_odd(%a: tensor<67x45xf16>, %b: tensor<45x53xf16>, %bias: tensor<53xf32>) -> tensor<67x53xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<67x53xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<67x53xf32>) -> tensor<67x53xf32>
  %r = linalg.matmul ins(%a, %b : tensor<67x45xf16>, tensor<45x53xf16>) outs(%f : tensor<67x53xf32>) -> tensor<67x53xf32>
  %s = linalg.generic {indexing_maps = [#all, #column, #all], iterator_types = ["parallel", "parallel"]}
      ins(%r, %bias : tensor<67x53xf32>, tensor<53xf32>) outs(%e : tensor<67x53xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %sum = arith.addf %x, %y : f32
    %relu = arith.maximumf %sum, %zero : f32
    linalg.yield %relu : f32
  } -> tensor<67x53xf32>
  return %s : tensor<67x53xf32>
}

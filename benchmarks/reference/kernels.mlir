// In f64, as references are computed. Memory-bound ones count an operation for
// each element they read or write.

#mk = affine_map<(m, n, k) -> (m, k)>
#km = affine_map<(m, n, k) -> (k, m)>
#kn = affine_map<(m, n, k) -> (k, n)>
#nk = affine_map<(m, n, k) -> (n, k)>
#mn = affine_map<(m, n, k) -> (m, n)>

func.func @matmul_1024(%a: tensor<1024x1024xf64>, %b: tensor<1024x1024xf64>) -> tensor<1024x1024xf64> attributes {operations = 2147483648 : i64} {
  %zero = arith.constant 0.0 : f64
  %e = tensor.empty() : tensor<1024x1024xf64>
  %i = linalg.fill ins(%zero : f64) outs(%e : tensor<1024x1024xf64>) -> tensor<1024x1024xf64>
  %c = linalg.matmul ins(%a, %b : tensor<1024x1024xf64>, tensor<1024x1024xf64>)
    outs(%i : tensor<1024x1024xf64>) -> tensor<1024x1024xf64>
  return %c : tensor<1024x1024xf64>
}

func.func @matmul_2048(%a: tensor<2048x2048xf64>, %b: tensor<2048x2048xf64>) -> tensor<2048x2048xf64> attributes {operations = 17179869184 : i64} {
  %zero = arith.constant 0.0 : f64
  %e = tensor.empty() : tensor<2048x2048xf64>
  %i = linalg.fill ins(%zero : f64) outs(%e : tensor<2048x2048xf64>) -> tensor<2048x2048xf64>
  %c = linalg.matmul ins(%a, %b : tensor<2048x2048xf64>, tensor<2048x2048xf64>)
    outs(%i : tensor<2048x2048xf64>) -> tensor<2048x2048xf64>
  return %c : tensor<2048x2048xf64>
}

func.func @matmul_4096(%a: tensor<4096x4096xf64>, %b: tensor<4096x4096xf64>) -> tensor<4096x4096xf64> attributes {operations = 137438953472 : i64} {
  %zero = arith.constant 0.0 : f64
  %e = tensor.empty() : tensor<4096x4096xf64>
  %i = linalg.fill ins(%zero : f64) outs(%e : tensor<4096x4096xf64>) -> tensor<4096x4096xf64>
  %c = linalg.matmul ins(%a, %b : tensor<4096x4096xf64>, tensor<4096x4096xf64>)
    outs(%i : tensor<4096x4096xf64>) -> tensor<4096x4096xf64>
  return %c : tensor<4096x4096xf64>
}

func.func @matmul_uneven(%a: tensor<1003x1019xf64>, %b: tensor<1019x1021xf64>) -> tensor<1003x1021xf64> attributes {operations = 2087040394 : i64} {
  %zero = arith.constant 0.0 : f64
  %e = tensor.empty() : tensor<1003x1021xf64>
  %i = linalg.fill ins(%zero : f64) outs(%e : tensor<1003x1021xf64>) -> tensor<1003x1021xf64>
  %c = linalg.matmul ins(%a, %b : tensor<1003x1019xf64>, tensor<1019x1021xf64>)
    outs(%i : tensor<1003x1021xf64>) -> tensor<1003x1021xf64>
  return %c : tensor<1003x1021xf64>
}

func.func @matmul_skinny(%a: tensor<8x4096xf64>, %b: tensor<4096x4096xf64>) -> tensor<8x4096xf64> attributes {operations = 268435456 : i64} {
  %zero = arith.constant 0.0 : f64
  %e = tensor.empty() : tensor<8x4096xf64>
  %i = linalg.fill ins(%zero : f64) outs(%e : tensor<8x4096xf64>) -> tensor<8x4096xf64>
  %c = linalg.matmul ins(%a, %b : tensor<8x4096xf64>, tensor<4096x4096xf64>)
    outs(%i : tensor<8x4096xf64>) -> tensor<8x4096xf64>
  return %c : tensor<8x4096xf64>
}

func.func @transposed_a(%a: tensor<1024x1024xf64>, %b: tensor<1024x1024xf64>) -> tensor<1024x1024xf64> attributes {operations = 2147483648 : i64} {
  %zero = arith.constant 0.0 : f64
  %e = tensor.empty() : tensor<1024x1024xf64>
  %i = linalg.fill ins(%zero : f64) outs(%e : tensor<1024x1024xf64>) -> tensor<1024x1024xf64>
  %c = linalg.matmul indexing_maps = [#km, #kn, #mn]
    ins(%a, %b : tensor<1024x1024xf64>, tensor<1024x1024xf64>)
    outs(%i : tensor<1024x1024xf64>) -> tensor<1024x1024xf64>
  return %c : tensor<1024x1024xf64>
}

func.func @transposed_b(%a: tensor<1024x1024xf64>, %b: tensor<1024x1024xf64>) -> tensor<1024x1024xf64> attributes {operations = 2147483648 : i64} {
  %zero = arith.constant 0.0 : f64
  %e = tensor.empty() : tensor<1024x1024xf64>
  %i = linalg.fill ins(%zero : f64) outs(%e : tensor<1024x1024xf64>) -> tensor<1024x1024xf64>
  %c = linalg.matmul indexing_maps = [#mk, #nk, #mn]
    ins(%a, %b : tensor<1024x1024xf64>, tensor<1024x1024xf64>)
    outs(%i : tensor<1024x1024xf64>) -> tensor<1024x1024xf64>
  return %c : tensor<1024x1024xf64>
}

func.func @batch_matmul(%a: tensor<16x512x256xf64>, %b: tensor<16x256x512xf64>) -> tensor<16x512x512xf64> attributes {operations = 2147483648 : i64} {
  %zero = arith.constant 0.0 : f64
  %e = tensor.empty() : tensor<16x512x512xf64>
  %i = linalg.fill ins(%zero : f64) outs(%e : tensor<16x512x512xf64>) -> tensor<16x512x512xf64>
  %c = linalg.batch_matmul ins(%a, %b : tensor<16x512x256xf64>, tensor<16x256x512xf64>)
    outs(%i : tensor<16x512x512xf64>) -> tensor<16x512x512xf64>
  return %c : tensor<16x512x512xf64>
}

func.func @conv_nhwc(%a: tensor<8x58x58x64xf64>, %b: tensor<3x3x64x64xf64>) -> tensor<8x56x56x64xf64> attributes {operations = 1849688064 : i64} {
  %zero = arith.constant 0.0 : f64
  %e = tensor.empty() : tensor<8x56x56x64xf64>
  %i = linalg.fill ins(%zero : f64) outs(%e : tensor<8x56x56x64xf64>) -> tensor<8x56x56x64xf64>
  %c = linalg.conv_2d_nhwc_hwcf ins(%a, %b : tensor<8x58x58x64xf64>, tensor<3x3x64x64xf64>)
    outs(%i : tensor<8x56x56x64xf64>) -> tensor<8x56x56x64xf64>
  return %c : tensor<8x56x56x64xf64>
}

func.func @conv_nchw(%a: tensor<8x64x58x58xf64>, %b: tensor<64x64x3x3xf64>) -> tensor<8x64x56x56xf64> attributes {operations = 1849688064 : i64} {
  %zero = arith.constant 0.0 : f64
  %e = tensor.empty() : tensor<8x64x56x56xf64>
  %i = linalg.fill ins(%zero : f64) outs(%e : tensor<8x64x56x56xf64>) -> tensor<8x64x56x56xf64>
  %c = linalg.conv_2d_nchw_fchw ins(%a, %b : tensor<8x64x58x58xf64>, tensor<64x64x3x3xf64>)
    outs(%i : tensor<8x64x56x56xf64>) -> tensor<8x64x56x56xf64>
  return %c : tensor<8x64x56x56xf64>
}

func.func @matvec(%a: tensor<4096x4096xf64>, %x: tensor<4096xf64>) -> tensor<4096xf64> attributes {operations = 33554432 : i64} {
  %zero = arith.constant 0.0 : f64
  %e = tensor.empty() : tensor<4096xf64>
  %i = linalg.fill ins(%zero : f64) outs(%e : tensor<4096xf64>) -> tensor<4096xf64>
  %y = linalg.matvec ins(%a, %x : tensor<4096x4096xf64>, tensor<4096xf64>)
    outs(%i : tensor<4096xf64>) -> tensor<4096xf64>
  return %y : tensor<4096xf64>
}

func.func @softmax(%a: tensor<4096x4096xf64>) -> tensor<4096x4096xf64> attributes {operations = 33554432 : i64} {
  %e = tensor.empty() : tensor<4096x4096xf64>
  %s = linalg.softmax dimension(1) ins(%a : tensor<4096x4096xf64>) outs(%e : tensor<4096x4096xf64>) -> tensor<4096x4096xf64>
  return %s : tensor<4096x4096xf64>
}

func.func @column_sum(%a: tensor<4096x4096xf64>) -> tensor<4096xf64> attributes {operations = 16777216 : i64} {
  %zero = arith.constant 0.0 : f64
  %e = tensor.empty() : tensor<4096xf64>
  %i = linalg.fill ins(%zero : f64) outs(%e : tensor<4096xf64>) -> tensor<4096xf64>
  %s = linalg.reduce { arith.addf } ins(%a : tensor<4096x4096xf64>) outs(%i : tensor<4096xf64>) dimensions = [0]
  return %s : tensor<4096xf64>
}

func.func @row_sum(%a: tensor<4096x4096xf64>) -> tensor<4096xf64> attributes {operations = 16777216 : i64} {
  %zero = arith.constant 0.0 : f64
  %e = tensor.empty() : tensor<4096xf64>
  %i = linalg.fill ins(%zero : f64) outs(%e : tensor<4096xf64>) -> tensor<4096xf64>
  %s = linalg.reduce { arith.addf } ins(%a : tensor<4096x4096xf64>) outs(%i : tensor<4096xf64>) dimensions = [1]
  return %s : tensor<4096xf64>
}

func.func @transpose(%a: tensor<4096x4096xf64>) -> tensor<4096x4096xf64> attributes {operations = 33554432 : i64} {
  %e = tensor.empty() : tensor<4096x4096xf64>
  %t = linalg.transpose ins(%a : tensor<4096x4096xf64>) outs(%e : tensor<4096x4096xf64>) permutation = [1, 0]
  return %t : tensor<4096x4096xf64>
}

// Matrix products: types, orders, sizes that no tile divides, batches, and what
// often follows.

#km = affine_map<(m, n, k) -> (k, m)>
#mk = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#nk = affine_map<(m, n, k) -> (n, k)>
#out = affine_map<(m, n, k) -> (m, n)>
#mn = affine_map<(m, n) -> (m, n)>
#n = affine_map<(m, n) -> (n)>

func.func @matmul_f32(%a: tensor<1024x1024xf32>, %b: tensor<1024x1024xf32>) -> tensor<1024x1024xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1024x1024xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<1024x1024xf32>) -> tensor<1024x1024xf32>
  %r = linalg.matmul ins(%a, %b : tensor<1024x1024xf32>, tensor<1024x1024xf32>) outs(%f : tensor<1024x1024xf32>) -> tensor<1024x1024xf32>
  return %r : tensor<1024x1024xf32>
}

func.func @matmul_1000(%a: tensor<1000x1000xf32>, %b: tensor<1000x1000xf32>) -> tensor<1000x1000xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1000x1000xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<1000x1000xf32>) -> tensor<1000x1000xf32>
  %r = linalg.matmul ins(%a, %b : tensor<1000x1000xf32>, tensor<1000x1000xf32>) outs(%f : tensor<1000x1000xf32>) -> tensor<1000x1000xf32>
  return %r : tensor<1000x1000xf32>
}

func.func @matmul_odd(%a: tensor<999x1003xf32>, %b: tensor<1003x1001xf32>) -> tensor<999x1001xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<999x1001xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<999x1001xf32>) -> tensor<999x1001xf32>
  %r = linalg.matmul ins(%a, %b : tensor<999x1003xf32>, tensor<1003x1001xf32>) outs(%f : tensor<999x1001xf32>) -> tensor<999x1001xf32>
  return %r : tensor<999x1001xf32>
}

func.func @matmul_f16(%a: tensor<1024x1024xf16>, %b: tensor<1024x1024xf16>) -> tensor<1024x1024xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1024x1024xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<1024x1024xf32>) -> tensor<1024x1024xf32>
  %r = linalg.matmul ins(%a, %b : tensor<1024x1024xf16>, tensor<1024x1024xf16>) outs(%f : tensor<1024x1024xf32>) -> tensor<1024x1024xf32>
  return %r : tensor<1024x1024xf32>
}

func.func @matmul_bf16(%a: tensor<1024x1024xbf16>, %b: tensor<1024x1024xbf16>) -> tensor<1024x1024xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1024x1024xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<1024x1024xf32>) -> tensor<1024x1024xf32>
  %r = linalg.matmul ins(%a, %b : tensor<1024x1024xbf16>, tensor<1024x1024xbf16>) outs(%f : tensor<1024x1024xf32>) -> tensor<1024x1024xf32>
  return %r : tensor<1024x1024xf32>
}

func.func @matmul_i8(%a: tensor<1024x1024xi8>, %b: tensor<1024x1024xi8>) -> tensor<1024x1024xi32> {
  %zero = arith.constant 0 : i32
  %e = tensor.empty() : tensor<1024x1024xi32>
  %f = linalg.fill ins(%zero : i32) outs(%e : tensor<1024x1024xi32>) -> tensor<1024x1024xi32>
  %r = linalg.matmul ins(%a, %b : tensor<1024x1024xi8>, tensor<1024x1024xi8>) outs(%f : tensor<1024x1024xi32>) -> tensor<1024x1024xi32>
  return %r : tensor<1024x1024xi32>
}

func.func @matmul_f16_odd(%a: tensor<999x1003xf16>, %b: tensor<1003x1001xf16>) -> tensor<999x1001xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<999x1001xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<999x1001xf32>) -> tensor<999x1001xf32>
  %r = linalg.matmul ins(%a, %b : tensor<999x1003xf16>, tensor<1003x1001xf16>) outs(%f : tensor<999x1001xf32>) -> tensor<999x1001xf32>
  return %r : tensor<999x1001xf32>
}

func.func @matmul_i8_odd(%a: tensor<999x1003xi8>, %b: tensor<1003x1001xi8>) -> tensor<999x1001xi32> {
  %zero = arith.constant 0 : i32
  %e = tensor.empty() : tensor<999x1001xi32>
  %f = linalg.fill ins(%zero : i32) outs(%e : tensor<999x1001xi32>) -> tensor<999x1001xi32>
  %r = linalg.matmul ins(%a, %b : tensor<999x1003xi8>, tensor<1003x1001xi8>) outs(%f : tensor<999x1001xi32>) -> tensor<999x1001xi32>
  return %r : tensor<999x1001xi32>
}

func.func @matmul_f16_f16(%a: tensor<1024x1024xf16>, %b: tensor<1024x1024xf16>) -> tensor<1024x1024xf16> {
  %zero = arith.constant 0.0 : f16
  %e = tensor.empty() : tensor<1024x1024xf16>
  %f = linalg.fill ins(%zero : f16) outs(%e : tensor<1024x1024xf16>) -> tensor<1024x1024xf16>
  %r = linalg.matmul ins(%a, %b : tensor<1024x1024xf16>, tensor<1024x1024xf16>) outs(%f : tensor<1024x1024xf16>) -> tensor<1024x1024xf16>
  return %r : tensor<1024x1024xf16>
}

func.func @batch_matmul(%a: tensor<16x512x512xf32>, %b: tensor<16x512x512xf32>) -> tensor<16x512x512xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<16x512x512xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<16x512x512xf32>) -> tensor<16x512x512xf32>
  %r = linalg.batch_matmul ins(%a, %b : tensor<16x512x512xf32>, tensor<16x512x512xf32>) outs(%f : tensor<16x512x512xf32>) -> tensor<16x512x512xf32>
  return %r : tensor<16x512x512xf32>
}

func.func @matmul_transposed_a(%a: tensor<1024x1024xf32>, %b: tensor<1024x1024xf32>) -> tensor<1024x1024xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1024x1024xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<1024x1024xf32>) -> tensor<1024x1024xf32>
  %r = linalg.matmul indexing_maps = [#km, #kn, #out]
      ins(%a, %b : tensor<1024x1024xf32>, tensor<1024x1024xf32>) outs(%f : tensor<1024x1024xf32>) -> tensor<1024x1024xf32>
  return %r : tensor<1024x1024xf32>
}

func.func @matmul_transposed_b(%a: tensor<1024x1024xf32>, %b: tensor<1024x1024xf32>) -> tensor<1024x1024xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1024x1024xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<1024x1024xf32>) -> tensor<1024x1024xf32>
  %r = linalg.matmul indexing_maps = [#mk, #nk, #out]
      ins(%a, %b : tensor<1024x1024xf32>, tensor<1024x1024xf32>) outs(%f : tensor<1024x1024xf32>) -> tensor<1024x1024xf32>
  return %r : tensor<1024x1024xf32>
}

func.func @matmul_transposed_b_f16(%a: tensor<1024x1024xf16>, %b: tensor<1024x1024xf16>) -> tensor<1024x1024xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1024x1024xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<1024x1024xf32>) -> tensor<1024x1024xf32>
  %r = linalg.matmul indexing_maps = [#mk, #nk, #out]
      ins(%a, %b : tensor<1024x1024xf16>, tensor<1024x1024xf16>) outs(%f : tensor<1024x1024xf32>) -> tensor<1024x1024xf32>
  return %r : tensor<1024x1024xf32>
}

func.func @matmul_bias_relu(%a: tensor<1024x1024xf32>, %b: tensor<1024x1024xf32>, %bias: tensor<1024xf32>) -> tensor<1024x1024xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1024x1024xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<1024x1024xf32>) -> tensor<1024x1024xf32>
  %r = linalg.matmul ins(%a, %b : tensor<1024x1024xf32>, tensor<1024x1024xf32>) outs(%f : tensor<1024x1024xf32>) -> tensor<1024x1024xf32>
  %s = linalg.generic {indexing_maps = [#mn, #n, #mn], iterator_types = ["parallel", "parallel"]}
      ins(%r, %bias : tensor<1024x1024xf32>, tensor<1024xf32>) outs(%e : tensor<1024x1024xf32>) {
  ^bb0(%x: f32, %y: f32, %old: f32):
    %sum = arith.addf %x, %y : f32
    %relu = arith.maximumf %sum, %zero : f32
    linalg.yield %relu : f32
  } -> tensor<1024x1024xf32>
  return %s : tensor<1024x1024xf32>
}

func.func @matmul_skinny(%a: tensor<4096x1024xf32>, %b: tensor<1024x64xf32>) -> tensor<4096x64xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4096x64xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<4096x64xf32>) -> tensor<4096x64xf32>
  %r = linalg.matmul ins(%a, %b : tensor<4096x1024xf32>, tensor<1024x64xf32>) outs(%f : tensor<4096x64xf32>) -> tensor<4096x64xf32>
  return %r : tensor<4096x64xf32>
}

// What figures.py tunes, ships and measures.

#all = affine_map<(m, n) -> (m, n)>

func.func @copy(%x: tensor<8192x4096xf32>) -> tensor<8192x4096xf32> {
  %e = tensor.empty() : tensor<8192x4096xf32>
  %r = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<8192x4096xf32>) outs(%e : tensor<8192x4096xf32>) {
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  } -> tensor<8192x4096xf32>
  return %r : tensor<8192x4096xf32>
}

func.func @add(%x: tensor<8192x4096xf32>, %y: tensor<8192x4096xf32>) -> tensor<8192x4096xf32> {
  %e = tensor.empty() : tensor<8192x4096xf32>
  %r = linalg.add ins(%x, %y : tensor<8192x4096xf32>, tensor<8192x4096xf32>)
                  outs(%e : tensor<8192x4096xf32>) -> tensor<8192x4096xf32>
  return %r : tensor<8192x4096xf32>
}

func.func @transpose(%x: tensor<8192x4096xf32>) -> tensor<4096x8192xf32> {
  %e = tensor.empty() : tensor<4096x8192xf32>
  %r = linalg.transpose ins(%x : tensor<8192x4096xf32>)
                        outs(%e : tensor<4096x8192xf32>) permutation = [1, 0]
  return %r : tensor<4096x8192xf32>
}

func.func @row_sum(%x: tensor<8192x4096xf32>) -> tensor<8192xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8192xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<8192xf32>) -> tensor<8192xf32>
  %r = linalg.reduce { arith.addf } ins(%x : tensor<8192x4096xf32>)
                                    outs(%f : tensor<8192xf32>) dimensions = [1]
  return %r : tensor<8192xf32>
}

func.func @softmax(%x: tensor<8192x4096xf32>) -> tensor<8192x4096xf32> {
  %e = tensor.empty() : tensor<8192x4096xf32>
  %r = linalg.softmax dimension(1) ins(%x : tensor<8192x4096xf32>)
                                   outs(%e : tensor<8192x4096xf32>) -> tensor<8192x4096xf32>
  return %r : tensor<8192x4096xf32>
}

func.func @matmul_2048(%x: tensor<2048x2048xf32>, %y: tensor<2048x2048xf32>) -> tensor<2048x2048xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2048x2048xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<2048x2048xf32>) -> tensor<2048x2048xf32>
  %r = linalg.matmul ins(%x, %y : tensor<2048x2048xf32>, tensor<2048x2048xf32>)
                     outs(%f : tensor<2048x2048xf32>) -> tensor<2048x2048xf32>
  return %r : tensor<2048x2048xf32>
}

func.func @matmul_4096(%x: tensor<4096x4096xf32>, %y: tensor<4096x4096xf32>) -> tensor<4096x4096xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4096x4096xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<4096x4096xf32>) -> tensor<4096x4096xf32>
  %r = linalg.matmul ins(%x, %y : tensor<4096x4096xf32>, tensor<4096x4096xf32>)
                     outs(%f : tensor<4096x4096xf32>) -> tensor<4096x4096xf32>
  return %r : tensor<4096x4096xf32>
}

func.func @matmul_f16_2048(%x: tensor<2048x2048xf16>, %y: tensor<2048x2048xf16>) -> tensor<2048x2048xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2048x2048xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<2048x2048xf32>) -> tensor<2048x2048xf32>
  %r = linalg.matmul ins(%x, %y : tensor<2048x2048xf16>, tensor<2048x2048xf16>)
                     outs(%f : tensor<2048x2048xf32>) -> tensor<2048x2048xf32>
  return %r : tensor<2048x2048xf32>
}

func.func @matmul_f16_4096(%x: tensor<4096x4096xf16>, %y: tensor<4096x4096xf16>) -> tensor<4096x4096xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4096x4096xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<4096x4096xf32>) -> tensor<4096x4096xf32>
  %r = linalg.matmul ins(%x, %y : tensor<4096x4096xf16>, tensor<4096x4096xf16>)
                     outs(%f : tensor<4096x4096xf32>) -> tensor<4096x4096xf32>
  return %r : tensor<4096x4096xf32>
}

func.func @matmul_bf16_2048(%x: tensor<2048x2048xbf16>, %y: tensor<2048x2048xbf16>) -> tensor<2048x2048xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2048x2048xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<2048x2048xf32>) -> tensor<2048x2048xf32>
  %r = linalg.matmul ins(%x, %y : tensor<2048x2048xbf16>, tensor<2048x2048xbf16>)
                     outs(%f : tensor<2048x2048xf32>) -> tensor<2048x2048xf32>
  return %r : tensor<2048x2048xf32>
}

func.func @matmul_bf16_4096(%x: tensor<4096x4096xbf16>, %y: tensor<4096x4096xbf16>) -> tensor<4096x4096xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4096x4096xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<4096x4096xf32>) -> tensor<4096x4096xf32>
  %r = linalg.matmul ins(%x, %y : tensor<4096x4096xbf16>, tensor<4096x4096xbf16>)
                     outs(%f : tensor<4096x4096xf32>) -> tensor<4096x4096xf32>
  return %r : tensor<4096x4096xf32>
}

func.func @matmul_i8_2048(%x: tensor<2048x2048xi8>, %y: tensor<2048x2048xi8>) -> tensor<2048x2048xi32> {
  %zero = arith.constant 0 : i32
  %e = tensor.empty() : tensor<2048x2048xi32>
  %f = linalg.fill ins(%zero : i32) outs(%e : tensor<2048x2048xi32>) -> tensor<2048x2048xi32>
  %r = linalg.matmul ins(%x, %y : tensor<2048x2048xi8>, tensor<2048x2048xi8>)
                     outs(%f : tensor<2048x2048xi32>) -> tensor<2048x2048xi32>
  return %r : tensor<2048x2048xi32>
}

func.func @matmul_i8_4096(%x: tensor<4096x4096xi8>, %y: tensor<4096x4096xi8>) -> tensor<4096x4096xi32> {
  %zero = arith.constant 0 : i32
  %e = tensor.empty() : tensor<4096x4096xi32>
  %f = linalg.fill ins(%zero : i32) outs(%e : tensor<4096x4096xi32>) -> tensor<4096x4096xi32>
  %r = linalg.matmul ins(%x, %y : tensor<4096x4096xi8>, tensor<4096x4096xi8>)
                     outs(%f : tensor<4096x4096xi32>) -> tensor<4096x4096xi32>
  return %r : tensor<4096x4096xi32>
}

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

// Kernels whose bytes take the time, for tonno-benchmark-gpu-bounds.

#row = affine_map<(i, j) -> (i)>
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

func.func @column_sum(%x: tensor<8192x4096xf32>) -> tensor<4096xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<4096xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<4096xf32>) -> tensor<4096xf32>
  %r = linalg.reduce { arith.addf } ins(%x : tensor<8192x4096xf32>) outs(%init : tensor<4096xf32>) dimensions = [0]
  return %r : tensor<4096xf32>
}

func.func @layernorm(%x: tensor<8192x4096xf32>) -> tensor<8192x4096xf32> {
  %zero = arith.constant 0.0 : f32
  %count = arith.constant 4096.0 : f32
  %epsilon = arith.constant 1.0e-5 : f32
  %rows = tensor.empty() : tensor<8192xf32>
  %empty = tensor.empty() : tensor<8192x4096xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%rows : tensor<8192xf32>) -> tensor<8192xf32>
  %sum = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<8192x4096xf32>) outs(%zeros : tensor<8192xf32>) {
  ^bb0(%a: f32, %o: f32):
    %c = arith.addf %a, %o : f32
    linalg.yield %c : f32
  } -> tensor<8192xf32>
  %squares = linalg.generic {indexing_maps = [#all, #row, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x, %sum : tensor<8192x4096xf32>, tensor<8192xf32>) outs(%zeros : tensor<8192xf32>) {
  ^bb0(%a: f32, %s: f32, %o: f32):
    %mean = arith.divf %s, %count : f32
    %d = arith.subf %a, %mean : f32
    %dd = arith.mulf %d, %d : f32
    %c = arith.addf %dd, %o : f32
    linalg.yield %c : f32
  } -> tensor<8192xf32>
  %r = linalg.generic {indexing_maps = [#all, #row, #row, #all], iterator_types = ["parallel", "parallel"]}
      ins(%x, %sum, %squares : tensor<8192x4096xf32>, tensor<8192xf32>, tensor<8192xf32>)
      outs(%empty : tensor<8192x4096xf32>) {
  ^bb0(%a: f32, %s: f32, %ss: f32, %o: f32):
    %mean = arith.divf %s, %count : f32
    %d = arith.subf %a, %mean : f32
    %variance = arith.divf %ss, %count : f32
    %safe = arith.addf %variance, %epsilon : f32
    %scale = math.rsqrt %safe : f32
    %n = arith.mulf %d, %scale : f32
    linalg.yield %n : f32
  } -> tensor<8192x4096xf32>
  return %r : tensor<8192x4096xf32>
}

func.func @softmax_f16(%x: tensor<8192x4096xf16>) -> tensor<8192x4096xf16> {
  %e = tensor.empty() : tensor<8192x4096xf16>
  %r = linalg.softmax dimension(1) ins(%x : tensor<8192x4096xf16>)
                                   outs(%e : tensor<8192x4096xf16>) -> tensor<8192x4096xf16>
  return %r : tensor<8192x4096xf16>
}

func.func @sum(%x: tensor<8192x4096xf32>) -> tensor<f32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<f32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<f32>) -> tensor<f32>
  %r = linalg.reduce { arith.addf } ins(%x : tensor<8192x4096xf32>)
                                    outs(%f : tensor<f32>) dimensions = [0, 1]
  return %r : tensor<f32>
}

// Sums along and across rows, softmax and layer normalisation: one launch each.
//
//   tonno-tune examples/gpu/rows.mlir --target=nvptx --chip=sm_90 --compile-only

#all = affine_map<(m, n) -> (m, n)>
#row = affine_map<(m, n) -> (m)>
#column = affine_map<(m, n) -> (n)>

func.func @row_sum(%x: tensor<4096x1024xf32>) -> tensor<4096xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4096xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<4096xf32>) -> tensor<4096xf32>
  %r = linalg.reduce { arith.addf } ins(%x : tensor<4096x1024xf32>) outs(%f : tensor<4096xf32>) dimensions = [1]
  return %r : tensor<4096xf32>
}

func.func @column_sum(%x: tensor<4096x1024xf32>) -> tensor<1024xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1024xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<1024xf32>) -> tensor<1024xf32>
  %r = linalg.reduce { arith.addf } ins(%x : tensor<4096x1024xf32>) outs(%f : tensor<1024xf32>) dimensions = [0]
  return %r : tensor<1024xf32>
}

func.func @softmax_f32(%x: tensor<4096x1024xf32>) -> tensor<4096x1024xf32> {
  %e = tensor.empty() : tensor<4096x1024xf32>
  %r = linalg.softmax dimension(1) ins(%x : tensor<4096x1024xf32>) outs(%e : tensor<4096x1024xf32>) -> tensor<4096x1024xf32>
  return %r : tensor<4096x1024xf32>
}

func.func @softmax_f16(%x: tensor<4096x1024xf16>) -> tensor<4096x1024xf16> {
  %e = tensor.empty() : tensor<4096x1024xf16>
  %r = linalg.softmax dimension(1) ins(%x : tensor<4096x1024xf16>) outs(%e : tensor<4096x1024xf16>) -> tensor<4096x1024xf16>
  return %r : tensor<4096x1024xf16>
}

func.func @layernorm(%x: tensor<4096x1024xf32>, %gamma: tensor<1024xf32>, %beta: tensor<1024xf32>) -> tensor<4096x1024xf32> {
  %zero = arith.constant 0.0 : f32
  %length = arith.constant 1024.0 : f32
  %epsilon = arith.constant 1.0e-3 : f32
  %rows = tensor.empty() : tensor<4096xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%rows : tensor<4096xf32>) -> tensor<4096xf32>
  %sum = linalg.reduce { arith.addf } ins(%x : tensor<4096x1024xf32>) outs(%zeros : tensor<4096xf32>) dimensions = [1]
  %others = tensor.empty() : tensor<4096xf32>
  %zeros2 = linalg.fill ins(%zero : f32) outs(%others : tensor<4096xf32>) -> tensor<4096xf32>
  %squares = linalg.generic {indexing_maps = [#all, #row, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x, %sum : tensor<4096x1024xf32>, tensor<4096xf32>) outs(%zeros2 : tensor<4096xf32>) {
  ^bb0(%a: f32, %s: f32, %o: f32):
    %mean = arith.divf %s, %length : f32
    %d = arith.subf %a, %mean : f32
    %q = arith.mulf %d, %d : f32
    %next = arith.addf %o, %q : f32
    linalg.yield %next : f32
  } -> tensor<4096xf32>
  %e = tensor.empty() : tensor<4096x1024xf32>
  %r = linalg.generic {indexing_maps = [#all, #row, #row, #column, #column, #all], iterator_types = ["parallel", "parallel"]}
      ins(%x, %sum, %squares, %gamma, %beta : tensor<4096x1024xf32>, tensor<4096xf32>, tensor<4096xf32>, tensor<1024xf32>, tensor<1024xf32>) outs(%e : tensor<4096x1024xf32>) {
  ^bb0(%a: f32, %s: f32, %q: f32, %g: f32, %b: f32, %o: f32):
    %mean = arith.divf %s, %length : f32
    %d = arith.subf %a, %mean : f32
    %v = arith.divf %q, %length : f32
    %w = arith.addf %v, %epsilon : f32
    %root = math.sqrt %w : f32
    %n = arith.divf %d, %root : f32
    %m = arith.mulf %n, %g : f32
    %p = arith.addf %m, %b : f32
    linalg.yield %p : f32
  } -> tensor<4096x1024xf32>
  return %r : tensor<4096x1024xf32>
}

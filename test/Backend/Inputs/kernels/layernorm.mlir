#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
#column = affine_map<(i, j) -> (j)>
func.func @layernorm(%x: tensor<32x96xf32>, %gamma: tensor<96xf32>, %beta: tensor<96xf32>) -> tensor<32x96xf32> {
  %zero = arith.constant 0.0 : f32
  %n = arith.constant 96.0 : f32
  %eps = arith.constant 1.0e-5 : f32
  %v = tensor.empty() : tensor<32xf32>
  %e = tensor.empty() : tensor<32x96xf32>
  %z = linalg.fill ins(%zero : f32) outs(%v : tensor<32xf32>) -> tensor<32xf32>
  %sum = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<32x96xf32>) outs(%z : tensor<32xf32>) {
  ^bb0(%a: f32, %o: f32):
    %s = arith.addf %a, %o : f32
    linalg.yield %s : f32
  } -> tensor<32xf32>
  %square = linalg.generic {indexing_maps = [#id, #row, #row], iterator_types = ["parallel", "reduction"]} ins(%x, %sum : tensor<32x96xf32>, tensor<32xf32>) outs(%z : tensor<32xf32>) {
  ^bb0(%a: f32, %t: f32, %o: f32):
    %m = arith.divf %t, %n : f32
    %d = arith.subf %a, %m : f32
    %q = arith.mulf %d, %d : f32
    %s = arith.addf %q, %o : f32
    linalg.yield %s : f32
  } -> tensor<32xf32>
  %r = linalg.generic {indexing_maps = [#id, #row, #row, #column, #column, #id], iterator_types = ["parallel", "parallel"]} ins(%x, %sum, %square, %gamma, %beta : tensor<32x96xf32>, tensor<32xf32>, tensor<32xf32>, tensor<96xf32>, tensor<96xf32>) outs(%e : tensor<32x96xf32>) {
  ^bb0(%a: f32, %t: f32, %q: f32, %g: f32, %b: f32, %o: f32):
    %m = arith.divf %t, %n : f32
    %d = arith.subf %a, %m : f32
    %w = arith.divf %q, %n : f32
    %u = arith.addf %w, %eps : f32
    %i = math.rsqrt %u : f32
    %k = arith.mulf %d, %i : f32
    %h = arith.mulf %k, %g : f32
    %s = arith.addf %h, %b : f32
    linalg.yield %s : f32
  } -> tensor<32x96xf32>
  return %r : tensor<32x96xf32>
}

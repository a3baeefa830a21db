#id = affine_map<(i, j) -> (i, j)>
#r = affine_map<(i, j) -> (i)>
func.func @softmax_generics(%a: tensor<64x100xf32>) -> tensor<64x100xf32> {
  %ninf = arith.constant 0xFF800000 : f32
  %z = arith.constant 0.0 : f32
  %v = tensor.empty() : tensor<64xf32>
  %e = tensor.empty() : tensor<64x100xf32>
  %mi = linalg.fill ins(%ninf : f32) outs(%v : tensor<64xf32>) -> tensor<64xf32>
  %m = linalg.generic {indexing_maps = [#id, #r], iterator_types = ["parallel", "reduction"]} ins(%a : tensor<64x100xf32>) outs(%mi : tensor<64xf32>) {
  ^bb0(%x: f32, %o: f32):
    %s = arith.maximumf %x, %o : f32
    linalg.yield %s : f32
  } -> tensor<64xf32>
  %ex = linalg.generic {indexing_maps = [#id, #r, #id], iterator_types = ["parallel", "parallel"]} ins(%a, %m : tensor<64x100xf32>, tensor<64xf32>) outs(%e : tensor<64x100xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %s = arith.subf %x, %y : f32
    %t = math.exp %s : f32
    linalg.yield %t : f32
  } -> tensor<64x100xf32>
  %si = linalg.fill ins(%z : f32) outs(%v : tensor<64xf32>) -> tensor<64xf32>
  %su = linalg.generic {indexing_maps = [#id, #r], iterator_types = ["parallel", "reduction"]} ins(%ex : tensor<64x100xf32>) outs(%si : tensor<64xf32>) {
  ^bb0(%x: f32, %o: f32):
    %s = arith.addf %x, %o : f32
    linalg.yield %s : f32
  } -> tensor<64xf32>
  %d = linalg.generic {indexing_maps = [#id, #r, #id], iterator_types = ["parallel", "parallel"]} ins(%ex, %su : tensor<64x100xf32>, tensor<64xf32>) outs(%e : tensor<64x100xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %s = arith.divf %x, %y : f32
    linalg.yield %s : f32
  } -> tensor<64x100xf32>
  return %d : tensor<64x100xf32>
}

// Attention, each query with the keys up to 8 behind it: one launch.
func.func @attention(%q: tensor<1x24x32xf16>, %k: tensor<1x40x32xf16>, %v: tensor<1x40x32xf16>) -> tensor<1x24x32xf16> {
  %zero = arith.constant 0.0 : f32
  %scale = arith.constant 0.125 : f32
  %inf = arith.constant 0xFF800000 : f32
  %e = tensor.empty() : tensor<1x24x40xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<1x24x40xf32>) -> tensor<1x24x40xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(b,m,n,d)->(b,m,d)>, affine_map<(b,m,n,d)->(b,n,d)>, affine_map<(b,m,n,d)->(b,m,n)>], iterator_types = ["parallel","parallel","parallel","reduction"]} ins(%q, %k : tensor<1x24x32xf16>, tensor<1x40x32xf16>) outs(%f : tensor<1x24x40xf32>) {
  ^bb0(%a: f16, %b: f16, %c: f32):
    %x = arith.extf %a : f16 to f32
    %y = arith.extf %b : f16 to f32
    %p = arith.mulf %x, %y : f32
    %r = arith.addf %c, %p : f32
    linalg.yield %r : f32
  } -> tensor<1x24x40xf32>
  %t = linalg.generic {indexing_maps = [affine_map<(b,m,n)->(b,m,n)>, affine_map<(b,m,n)->(b,m,n)>], iterator_types = ["parallel","parallel","parallel"]} ins(%s : tensor<1x24x40xf32>) outs(%e : tensor<1x24x40xf32>) {
  ^bb0(%a: f32, %c: f32):
    %i = linalg.index 1 : index
    %j = linalg.index 2 : index
    %c8 = arith.constant 8 : index
    %last = arith.addi %i, %c8 : index
    %t = arith.cmpi sle, %j, %last : index
    %x = arith.mulf %a, %scale : f32
    %r = arith.select %t, %x, %inf : f32
    linalg.yield %r : f32
  } -> tensor<1x24x40xf32>
  %p = linalg.softmax dimension(2) ins(%t : tensor<1x24x40xf32>) outs(%e : tensor<1x24x40xf32>) -> tensor<1x24x40xf32>
  %h = tensor.empty() : tensor<1x24x40xf16>
  %w = linalg.generic {indexing_maps = [affine_map<(b,m,n)->(b,m,n)>, affine_map<(b,m,n)->(b,m,n)>], iterator_types = ["parallel","parallel","parallel"]} ins(%p : tensor<1x24x40xf32>) outs(%h : tensor<1x24x40xf16>) {
  ^bb0(%a: f32, %c: f16):
    %r = arith.truncf %a : f32 to f16
    linalg.yield %r : f16
  } -> tensor<1x24x40xf16>
  %z16 = arith.constant 0.0 : f16
  %o = tensor.empty() : tensor<1x24x32xf16>
  %g = linalg.fill ins(%z16 : f16) outs(%o : tensor<1x24x32xf16>) -> tensor<1x24x32xf16>
  %res = linalg.batch_matmul ins(%w, %v : tensor<1x24x40xf16>, tensor<1x40x32xf16>) outs(%g : tensor<1x24x32xf16>) -> tensor<1x24x32xf16>
  return %res : tensor<1x24x32xf16>
}

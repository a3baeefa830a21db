// Attention whose defaults docs/results/gpu.md has static bounds of: of many
// heads, with keys as rows, f16 or bf16 with scores in f32.

func.func @heads_64(%q: tensor<64x2048x64xf16>, %k: tensor<64x2048x64xf16>, %v: tensor<64x2048x64xf16>) -> tensor<64x2048x64xf16> {
  %zero = arith.constant 0.0 : f32
  %scale = arith.constant 0.125 : f32
  %e = tensor.empty() : tensor<64x2048x2048xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<64x2048x2048xf32>) -> tensor<64x2048x2048xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(b,m,n,d)->(b,m,d)>, affine_map<(b,m,n,d)->(b,n,d)>, affine_map<(b,m,n,d)->(b,m,n)>], iterator_types = ["parallel","parallel","parallel","reduction"]} ins(%q, %k : tensor<64x2048x64xf16>, tensor<64x2048x64xf16>) outs(%f : tensor<64x2048x2048xf32>) {
  ^bb0(%a: f16, %b: f16, %c: f32):
    %x = arith.extf %a : f16 to f32
    %y = arith.extf %b : f16 to f32
    %p = arith.mulf %x, %y : f32
    %r = arith.addf %c, %p : f32
    linalg.yield %r : f32
  } -> tensor<64x2048x2048xf32>
  %t = linalg.generic {indexing_maps = [affine_map<(b,m,n)->(b,m,n)>, affine_map<(b,m,n)->(b,m,n)>], iterator_types = ["parallel","parallel","parallel"]} ins(%s : tensor<64x2048x2048xf32>) outs(%e : tensor<64x2048x2048xf32>) {
  ^bb0(%a: f32, %c: f32):
    %r = arith.mulf %a, %scale : f32
    linalg.yield %r : f32
  } -> tensor<64x2048x2048xf32>
  %p = linalg.softmax dimension(2) ins(%t : tensor<64x2048x2048xf32>) outs(%e : tensor<64x2048x2048xf32>) -> tensor<64x2048x2048xf32>
  %h = tensor.empty() : tensor<64x2048x2048xf16>
  %w = linalg.generic {indexing_maps = [affine_map<(b,m,n)->(b,m,n)>, affine_map<(b,m,n)->(b,m,n)>], iterator_types = ["parallel","parallel","parallel"]} ins(%p : tensor<64x2048x2048xf32>) outs(%h : tensor<64x2048x2048xf16>) {
  ^bb0(%a: f32, %c: f16):
    %r = arith.truncf %a : f32 to f16
    linalg.yield %r : f16
  } -> tensor<64x2048x2048xf16>
  %z16 = arith.constant 0.0 : f16
  %o = tensor.empty() : tensor<64x2048x64xf16>
  %g = linalg.fill ins(%z16 : f16) outs(%o : tensor<64x2048x64xf16>) -> tensor<64x2048x64xf16>
  %res = linalg.batch_matmul ins(%w, %v : tensor<64x2048x2048xf16>, tensor<64x2048x64xf16>) outs(%g : tensor<64x2048x64xf16>) -> tensor<64x2048x64xf16>
  return %res : tensor<64x2048x64xf16>
}

func.func @heads_128(%q: tensor<32x2048x128xf16>, %k: tensor<32x2048x128xf16>, %v: tensor<32x2048x128xf16>) -> tensor<32x2048x128xf16> {
  %zero = arith.constant 0.0 : f32
  %scale = arith.constant 0.125 : f32
  %e = tensor.empty() : tensor<32x2048x2048xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<32x2048x2048xf32>) -> tensor<32x2048x2048xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(b,m,n,d)->(b,m,d)>, affine_map<(b,m,n,d)->(b,n,d)>, affine_map<(b,m,n,d)->(b,m,n)>], iterator_types = ["parallel","parallel","parallel","reduction"]} ins(%q, %k : tensor<32x2048x128xf16>, tensor<32x2048x128xf16>) outs(%f : tensor<32x2048x2048xf32>) {
  ^bb0(%a: f16, %b: f16, %c: f32):
    %x = arith.extf %a : f16 to f32
    %y = arith.extf %b : f16 to f32
    %p = arith.mulf %x, %y : f32
    %r = arith.addf %c, %p : f32
    linalg.yield %r : f32
  } -> tensor<32x2048x2048xf32>
  %t = linalg.generic {indexing_maps = [affine_map<(b,m,n)->(b,m,n)>, affine_map<(b,m,n)->(b,m,n)>], iterator_types = ["parallel","parallel","parallel"]} ins(%s : tensor<32x2048x2048xf32>) outs(%e : tensor<32x2048x2048xf32>) {
  ^bb0(%a: f32, %c: f32):
    %r = arith.mulf %a, %scale : f32
    linalg.yield %r : f32
  } -> tensor<32x2048x2048xf32>
  %p = linalg.softmax dimension(2) ins(%t : tensor<32x2048x2048xf32>) outs(%e : tensor<32x2048x2048xf32>) -> tensor<32x2048x2048xf32>
  %h = tensor.empty() : tensor<32x2048x2048xf16>
  %w = linalg.generic {indexing_maps = [affine_map<(b,m,n)->(b,m,n)>, affine_map<(b,m,n)->(b,m,n)>], iterator_types = ["parallel","parallel","parallel"]} ins(%p : tensor<32x2048x2048xf32>) outs(%h : tensor<32x2048x2048xf16>) {
  ^bb0(%a: f32, %c: f16):
    %r = arith.truncf %a : f32 to f16
    linalg.yield %r : f16
  } -> tensor<32x2048x2048xf16>
  %z16 = arith.constant 0.0 : f16
  %o = tensor.empty() : tensor<32x2048x128xf16>
  %g = linalg.fill ins(%z16 : f16) outs(%o : tensor<32x2048x128xf16>) -> tensor<32x2048x128xf16>
  %res = linalg.batch_matmul ins(%w, %v : tensor<32x2048x2048xf16>, tensor<32x2048x128xf16>) outs(%g : tensor<32x2048x128xf16>) -> tensor<32x2048x128xf16>
  return %res : tensor<32x2048x128xf16>
}

func.func @bf16_64(%q: tensor<64x2048x64xbf16>, %k: tensor<64x2048x64xbf16>, %v: tensor<64x2048x64xbf16>) -> tensor<64x2048x64xbf16> {
  %zero = arith.constant 0.0 : f32
  %scale = arith.constant 0.125 : f32
  %e = tensor.empty() : tensor<64x2048x2048xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<64x2048x2048xf32>) -> tensor<64x2048x2048xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(b,m,n,d)->(b,m,d)>, affine_map<(b,m,n,d)->(b,n,d)>, affine_map<(b,m,n,d)->(b,m,n)>], iterator_types = ["parallel","parallel","parallel","reduction"]} ins(%q, %k : tensor<64x2048x64xbf16>, tensor<64x2048x64xbf16>) outs(%f : tensor<64x2048x2048xf32>) {
  ^bb0(%a: bf16, %b: bf16, %c: f32):
    %x = arith.extf %a : bf16 to f32
    %y = arith.extf %b : bf16 to f32
    %p = arith.mulf %x, %y : f32
    %r = arith.addf %c, %p : f32
    linalg.yield %r : f32
  } -> tensor<64x2048x2048xf32>
  %t = linalg.generic {indexing_maps = [affine_map<(b,m,n)->(b,m,n)>, affine_map<(b,m,n)->(b,m,n)>], iterator_types = ["parallel","parallel","parallel"]} ins(%s : tensor<64x2048x2048xf32>) outs(%e : tensor<64x2048x2048xf32>) {
  ^bb0(%a: f32, %c: f32):
    %r = arith.mulf %a, %scale : f32
    linalg.yield %r : f32
  } -> tensor<64x2048x2048xf32>
  %p = linalg.softmax dimension(2) ins(%t : tensor<64x2048x2048xf32>) outs(%e : tensor<64x2048x2048xf32>) -> tensor<64x2048x2048xf32>
  %h = tensor.empty() : tensor<64x2048x2048xbf16>
  %w = linalg.generic {indexing_maps = [affine_map<(b,m,n)->(b,m,n)>, affine_map<(b,m,n)->(b,m,n)>], iterator_types = ["parallel","parallel","parallel"]} ins(%p : tensor<64x2048x2048xf32>) outs(%h : tensor<64x2048x2048xbf16>) {
  ^bb0(%a: f32, %c: bf16):
    %r = arith.truncf %a : f32 to bf16
    linalg.yield %r : bf16
  } -> tensor<64x2048x2048xbf16>
  %z16 = arith.constant 0.0 : bf16
  %o = tensor.empty() : tensor<64x2048x64xbf16>
  %g = linalg.fill ins(%z16 : bf16) outs(%o : tensor<64x2048x64xbf16>) -> tensor<64x2048x64xbf16>
  %res = linalg.batch_matmul ins(%w, %v : tensor<64x2048x2048xbf16>, tensor<64x2048x64xbf16>) outs(%g : tensor<64x2048x64xbf16>) -> tensor<64x2048x64xbf16>
  return %res : tensor<64x2048x64xbf16>
}

func.func @short(%q: tensor<96x512x64xf16>, %k: tensor<96x512x64xf16>, %v: tensor<96x512x64xf16>) -> tensor<96x512x64xf16> {
  %zero = arith.constant 0.0 : f32
  %scale = arith.constant 0.125 : f32
  %e = tensor.empty() : tensor<96x512x512xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<96x512x512xf32>) -> tensor<96x512x512xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(b,m,n,d)->(b,m,d)>, affine_map<(b,m,n,d)->(b,n,d)>, affine_map<(b,m,n,d)->(b,m,n)>], iterator_types = ["parallel","parallel","parallel","reduction"]} ins(%q, %k : tensor<96x512x64xf16>, tensor<96x512x64xf16>) outs(%f : tensor<96x512x512xf32>) {
  ^bb0(%a: f16, %b: f16, %c: f32):
    %x = arith.extf %a : f16 to f32
    %y = arith.extf %b : f16 to f32
    %p = arith.mulf %x, %y : f32
    %r = arith.addf %c, %p : f32
    linalg.yield %r : f32
  } -> tensor<96x512x512xf32>
  %t = linalg.generic {indexing_maps = [affine_map<(b,m,n)->(b,m,n)>, affine_map<(b,m,n)->(b,m,n)>], iterator_types = ["parallel","parallel","parallel"]} ins(%s : tensor<96x512x512xf32>) outs(%e : tensor<96x512x512xf32>) {
  ^bb0(%a: f32, %c: f32):
    %r = arith.mulf %a, %scale : f32
    linalg.yield %r : f32
  } -> tensor<96x512x512xf32>
  %p = linalg.softmax dimension(2) ins(%t : tensor<96x512x512xf32>) outs(%e : tensor<96x512x512xf32>) -> tensor<96x512x512xf32>
  %h = tensor.empty() : tensor<96x512x512xf16>
  %w = linalg.generic {indexing_maps = [affine_map<(b,m,n)->(b,m,n)>, affine_map<(b,m,n)->(b,m,n)>], iterator_types = ["parallel","parallel","parallel"]} ins(%p : tensor<96x512x512xf32>) outs(%h : tensor<96x512x512xf16>) {
  ^bb0(%a: f32, %c: f16):
    %r = arith.truncf %a : f32 to f16
    linalg.yield %r : f16
  } -> tensor<96x512x512xf16>
  %z16 = arith.constant 0.0 : f16
  %o = tensor.empty() : tensor<96x512x64xf16>
  %g = linalg.fill ins(%z16 : f16) outs(%o : tensor<96x512x64xf16>) -> tensor<96x512x64xf16>
  %res = linalg.batch_matmul ins(%w, %v : tensor<96x512x512xf16>, tensor<96x512x64xf16>) outs(%g : tensor<96x512x64xf16>) -> tensor<96x512x64xf16>
  return %res : tensor<96x512x64xf16>
}

func.func @long(%q: tensor<8x8192x128xbf16>, %k: tensor<8x8192x128xbf16>, %v: tensor<8x8192x128xbf16>) -> tensor<8x8192x128xbf16> {
  %zero = arith.constant 0.0 : f32
  %scale = arith.constant 0.125 : f32
  %e = tensor.empty() : tensor<8x8192x8192xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<8x8192x8192xf32>) -> tensor<8x8192x8192xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(b,m,n,d)->(b,m,d)>, affine_map<(b,m,n,d)->(b,n,d)>, affine_map<(b,m,n,d)->(b,m,n)>], iterator_types = ["parallel","parallel","parallel","reduction"]} ins(%q, %k : tensor<8x8192x128xbf16>, tensor<8x8192x128xbf16>) outs(%f : tensor<8x8192x8192xf32>) {
  ^bb0(%a: bf16, %b: bf16, %c: f32):
    %x = arith.extf %a : bf16 to f32
    %y = arith.extf %b : bf16 to f32
    %p = arith.mulf %x, %y : f32
    %r = arith.addf %c, %p : f32
    linalg.yield %r : f32
  } -> tensor<8x8192x8192xf32>
  %t = linalg.generic {indexing_maps = [affine_map<(b,m,n)->(b,m,n)>, affine_map<(b,m,n)->(b,m,n)>], iterator_types = ["parallel","parallel","parallel"]} ins(%s : tensor<8x8192x8192xf32>) outs(%e : tensor<8x8192x8192xf32>) {
  ^bb0(%a: f32, %c: f32):
    %r = arith.mulf %a, %scale : f32
    linalg.yield %r : f32
  } -> tensor<8x8192x8192xf32>
  %p = linalg.softmax dimension(2) ins(%t : tensor<8x8192x8192xf32>) outs(%e : tensor<8x8192x8192xf32>) -> tensor<8x8192x8192xf32>
  %h = tensor.empty() : tensor<8x8192x8192xbf16>
  %w = linalg.generic {indexing_maps = [affine_map<(b,m,n)->(b,m,n)>, affine_map<(b,m,n)->(b,m,n)>], iterator_types = ["parallel","parallel","parallel"]} ins(%p : tensor<8x8192x8192xf32>) outs(%h : tensor<8x8192x8192xbf16>) {
  ^bb0(%a: f32, %c: bf16):
    %r = arith.truncf %a : f32 to bf16
    linalg.yield %r : bf16
  } -> tensor<8x8192x8192xbf16>
  %z16 = arith.constant 0.0 : bf16
  %o = tensor.empty() : tensor<8x8192x128xbf16>
  %g = linalg.fill ins(%z16 : bf16) outs(%o : tensor<8x8192x128xbf16>) -> tensor<8x8192x128xbf16>
  %res = linalg.batch_matmul ins(%w, %v : tensor<8x8192x8192xbf16>, tensor<8x8192x128xbf16>) outs(%g : tensor<8x8192x128xbf16>) -> tensor<8x8192x128xbf16>
  return %res : tensor<8x8192x128xbf16>
}

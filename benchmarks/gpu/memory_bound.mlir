// Kernels whose bytes take the time, for tonno-benchmark-gpu-bounds.

#row = affine_map<(i, j) -> (i)>
#all = affine_map<(m, n) -> (m, n)>
#column = affine_map<(m, n) -> (n)>

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

func.func @softmax_bf16(%x: tensor<8192x4096xbf16>) -> tensor<8192x4096xbf16> {
  %e = tensor.empty() : tensor<8192x4096xbf16>
  %r = linalg.softmax dimension(1) ins(%x : tensor<8192x4096xbf16>) outs(%e : tensor<8192x4096xbf16>) -> tensor<8192x4096xbf16>
  return %r : tensor<8192x4096xbf16>
}

func.func @softmax_long(%x: tensor<1024x32768xf32>) -> tensor<1024x32768xf32> {
  %e = tensor.empty() : tensor<1024x32768xf32>
  %r = linalg.softmax dimension(1) ins(%x : tensor<1024x32768xf32>) outs(%e : tensor<1024x32768xf32>) -> tensor<1024x32768xf32>
  return %r : tensor<1024x32768xf32>
}

func.func @rmsnorm_f16(%x: tensor<8192x4096xf16>, %g: tensor<4096xf16>) -> tensor<8192x4096xf16> {
  %z = arith.constant 0.0 : f32
  %count = arith.constant 4096.0 : f32
  %eps = arith.constant 1.0e-5 : f32
  %rows = tensor.empty() : tensor<8192xf32>
  %empty = tensor.empty() : tensor<8192x4096xf16>
  %zeros = linalg.fill ins(%z : f32) outs(%rows : tensor<8192xf32>) -> tensor<8192xf32>
  %s = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<8192x4096xf16>) outs(%zeros : tensor<8192xf32>) {
  ^bb0(%a: f16, %o: f32):
    %v = arith.extf %a : f16 to f32
    %d = arith.mulf %v, %v : f32
    %c = arith.addf %d, %o : f32
    linalg.yield %c : f32
  } -> tensor<8192xf32>
  %r = linalg.generic {indexing_maps = [#all, #row, #column, #all], iterator_types = ["parallel", "parallel"]}
      ins(%x, %s, %g : tensor<8192x4096xf16>, tensor<8192xf32>, tensor<4096xf16>) outs(%empty : tensor<8192x4096xf16>) {
  ^bb0(%a: f16, %ss: f32, %w: f16, %o: f16):
    %v = arith.extf %a : f16 to f32
    %mean = arith.divf %ss, %count : f32
    %safe = arith.addf %mean, %eps : f32
    %scale = math.rsqrt %safe : f32
    %p = arith.mulf %v, %scale : f32
    %wf = arith.extf %w : f16 to f32
    %q = arith.mulf %p, %wf : f32
    %n = arith.truncf %q : f32 to f16
    linalg.yield %n : f16
  } -> tensor<8192x4096xf16>
  return %r : tensor<8192x4096xf16>
}

func.func @rmsnorm_long(%x: tensor<1024x32768xf16>, %g: tensor<32768xf16>) -> tensor<1024x32768xf16> {
  %z = arith.constant 0.0 : f32
  %count = arith.constant 32768.0 : f32
  %eps = arith.constant 1.0e-5 : f32
  %rows = tensor.empty() : tensor<1024xf32>
  %empty = tensor.empty() : tensor<1024x32768xf16>
  %zeros = linalg.fill ins(%z : f32) outs(%rows : tensor<1024xf32>) -> tensor<1024xf32>
  %s = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<1024x32768xf16>) outs(%zeros : tensor<1024xf32>) {
  ^bb0(%a: f16, %o: f32):
    %v = arith.extf %a : f16 to f32
    %d = arith.mulf %v, %v : f32
    %c = arith.addf %d, %o : f32
    linalg.yield %c : f32
  } -> tensor<1024xf32>
  %r = linalg.generic {indexing_maps = [#all, #row, #column, #all], iterator_types = ["parallel", "parallel"]}
      ins(%x, %s, %g : tensor<1024x32768xf16>, tensor<1024xf32>, tensor<32768xf16>) outs(%empty : tensor<1024x32768xf16>) {
  ^bb0(%a: f16, %ss: f32, %w: f16, %o: f16):
    %v = arith.extf %a : f16 to f32
    %mean = arith.divf %ss, %count : f32
    %safe = arith.addf %mean, %eps : f32
    %scale = math.rsqrt %safe : f32
    %p = arith.mulf %v, %scale : f32
    %wf = arith.extf %w : f16 to f32
    %q = arith.mulf %p, %wf : f32
    %n = arith.truncf %q : f32 to f16
    linalg.yield %n : f16
  } -> tensor<1024x32768xf16>
  return %r : tensor<1024x32768xf16>
}

func.func @gelu_f16(%x: tensor<8192x4096xf16>) -> tensor<8192x4096xf16> {
  %e = tensor.empty() : tensor<8192x4096xf16>
  %r = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<8192x4096xf16>) outs(%e : tensor<8192x4096xf16>) {
  ^bb0(%a: f16, %o: f16):
    %half = arith.constant 0.5 : f32
    %one = arith.constant 1.0 : f32
    %c = arith.constant 0.70710678 : f32
    %v = arith.extf %a : f16 to f32
    %s = arith.mulf %v, %c : f32
    %f = math.erf %s : f32
    %g = arith.addf %f, %one : f32
    %h = arith.mulf %v, %half : f32
    %q = arith.mulf %h, %g : f32
    %n = arith.truncf %q : f32 to f16
    linalg.yield %n : f16
  } -> tensor<8192x4096xf16>
  return %r : tensor<8192x4096xf16>
}

func.func @gelu_bf16(%x: tensor<8192x4096xbf16>) -> tensor<8192x4096xbf16> {
  %e = tensor.empty() : tensor<8192x4096xbf16>
  %r = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<8192x4096xbf16>) outs(%e : tensor<8192x4096xbf16>) {
  ^bb0(%a: bf16, %o: bf16):
    %half = arith.constant 0.5 : f32
    %one = arith.constant 1.0 : f32
    %c = arith.constant 0.70710678 : f32
    %v = arith.extf %a : bf16 to f32
    %s = arith.mulf %v, %c : f32
    %f = math.erf %s : f32
    %g = arith.addf %f, %one : f32
    %h = arith.mulf %v, %half : f32
    %q = arith.mulf %h, %g : f32
    %n = arith.truncf %q : f32 to bf16
    linalg.yield %n : bf16
  } -> tensor<8192x4096xbf16>
  return %r : tensor<8192x4096xbf16>
}

func.func @column_sum_few(%x: tensor<65536x256xf32>) -> tensor<256xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<256xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<256xf32>) -> tensor<256xf32>
  %r = linalg.reduce { arith.addf } ins(%x : tensor<65536x256xf32>) outs(%init : tensor<256xf32>) dimensions = [0]
  return %r : tensor<256xf32>
}

func.func @row_sum_few(%x: tensor<16x1048576xf32>) -> tensor<16xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<16xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<16xf32>) -> tensor<16xf32>
  %r = linalg.reduce { arith.addf } ins(%x : tensor<16x1048576xf32>) outs(%init : tensor<16xf32>) dimensions = [1]
  return %r : tensor<16xf32>
}

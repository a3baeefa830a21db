// Memory that is read and written once: a sum with a scale for each column, and a
// transposition, whose tiles go through shared memory.
//
//   tonno-tune examples/gpu/elementwise.mlir --target=nvptx --chip=sm_90 --compile-only

func.func @scale_add_f32(%x: tensor<4096x1024xf32>, %y: tensor<4096x1024xf32>, %scale: tensor<1024xf32>) -> tensor<4096x1024xf32> {
  %e = tensor.empty() : tensor<4096x1024xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (n)>, affine_map<(m, n) -> (m, n)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%x, %y, %scale : tensor<4096x1024xf32>, tensor<4096x1024xf32>, tensor<1024xf32>) outs(%e : tensor<4096x1024xf32>) {
  ^bb0(%a: f32, %b: f32, %s: f32, %o: f32):
    %p = arith.mulf %a, %s : f32
    %q = arith.addf %p, %b : f32
    linalg.yield %q : f32
  } -> tensor<4096x1024xf32>
  return %r : tensor<4096x1024xf32>
}

func.func @scale_add_bf16(%x: tensor<4096x1024xbf16>, %y: tensor<4096x1024xbf16>, %scale: tensor<1024xbf16>) -> tensor<4096x1024xbf16> {
  %e = tensor.empty() : tensor<4096x1024xbf16>
  %r = linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (n)>, affine_map<(m, n) -> (m, n)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%x, %y, %scale : tensor<4096x1024xbf16>, tensor<4096x1024xbf16>, tensor<1024xbf16>) outs(%e : tensor<4096x1024xbf16>) {
  ^bb0(%a: bf16, %b: bf16, %s: bf16, %o: bf16):
    %p = arith.mulf %a, %s : bf16
    %q = arith.addf %p, %b : bf16
    linalg.yield %q : bf16
  } -> tensor<4096x1024xbf16>
  return %r : tensor<4096x1024xbf16>
}

func.func @transpose_f32(%x: tensor<4096x1024xf32>) -> tensor<1024x4096xf32> {
  %e = tensor.empty() : tensor<1024x4096xf32>
  %r = linalg.transpose ins(%x : tensor<4096x1024xf32>) outs(%e : tensor<1024x4096xf32>) permutation = [1, 0]
  return %r : tensor<1024x4096xf32>
}

func.func @transpose_f16(%x: tensor<4096x1024xf16>) -> tensor<1024x4096xf16> {
  %e = tensor.empty() : tensor<1024x4096xf16>
  %r = linalg.transpose ins(%x : tensor<4096x1024xf16>) outs(%e : tensor<1024x4096xf16>) permutation = [1, 0]
  return %r : tensor<1024x4096xf16>
}

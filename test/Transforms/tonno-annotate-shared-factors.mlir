// RUN: tonno-opt %s --tonno-annotate='target=nvptx chip=sm_90a' | FileCheck %s --check-prefix=HOPPER
// RUN: tonno-opt %s --tonno-annotate='target=nvptx chip=sm_100a' | FileCheck %s --check-prefix=BLACKWELL

// The registers of sums cannot be spilled: as many workgroups as PER_UNIT says
// must have them. Threads that load sums from tensor memory need some, too.
// HOPPER: #BM = #tonno.knob<"BM" from pow2<64 to 256> default 128>
// HOPPER: #BN = #tonno.knob<"BN" from pow2<16 to 256> default 256>
// HOPPER: #SPLIT = #tonno.knob<"SPLIT" from pow2<1 to 2> default 1>
// HOPPER: #WM = #tonno.knob<"WM" from pow2<64 to 128> default 64>
// HOPPER: #WN = #tonno.knob<"WN" from pow2<16 to 256> default 256>
// HOPPER: #tonno.constraint<"(BM floordiv WM) * (BN floordiv WN) <= 8">
// HOPPER: #tonno.constraint<"WM * WN floordiv 128 + 40 <= 255">
// HOPPER-SAME: #tonno.constraint<"PER_UNIT * (WM * WN floordiv 128 + 40) * (BM floordiv WM) * (BN floordiv WN) * 128 <= 65536">
// HOPPER: linalg.matmul {tonno.lowering_config = {copy = "async", instruction = "wgmma_64xNx16", order = #ORDER, per_unit = #PER_UNIT, reduction = [0, 0, #BK], split = #SPLIT, stages = #STAGES, subgroup = [#WM, #WN, 0], workgroup = [#BM, #BN, 0]}}
// BLACKWELL: #BM = #tonno.knob<"BM" from pow2<128 to 256>
// BLACKWELL: #tonno.constraint<"STAGES * (BM + BN) * (BK * 2 + 0) <= 231424">
// BLACKWELL-SAME: #tonno.constraint<"PER_UNIT * (72) * (BM floordiv 128) * (BN floordiv WN) * 128 <= 65536">
// BLACKWELL: instruction = "tcgen05_128xNx16"
// BLACKWELL-SAME: subgroup = [128, #WN, 0], workgroup = [#BM, #BN, 0]
func.func @product(%a: tensor<2048x1024xf16>, %b: tensor<1024x2048xf16>) -> tensor<2048x2048xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2048x2048xf32>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<2048x2048xf32>) -> tensor<2048x2048xf32>
  %r = linalg.matmul ins(%a, %b : tensor<2048x1024xf16>, tensor<1024x2048xf16>) outs(%i : tensor<2048x2048xf32>) -> tensor<2048x2048xf32>
  return %r : tensor<2048x2048xf32>
}

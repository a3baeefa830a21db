// The second product of attention speaks for all three parts, unless a part is
// configured, or has too few rows.

// RUN: tonno-opt %s -split-input-file --tonno-annotate="target=nvptx chip=sm_90" | FileCheck %s
// RUN: tonno-opt %s -split-input-file --tonno-annotate="target=nvptx chip=sm_90" --tonno-apply --tonno-lower-nvptx=chip=sm_90 | FileCheck %s --check-prefix=LAUNCHES
// RUN: tonno-opt %s -split-input-file --tonno-annotate="target=amdgpu chip=gfx950" | FileCheck %s --check-prefix=CDNA4
// RUN: tonno-opt %s -split-input-file --tonno-annotate="target=amdgpu chip=gfx1100" | FileCheck %s --check-prefix=RDNA3

// CHECK-LABEL: func @attention
// CHECK-SAME:    tonno.constraints = [#tonno.constraint<"WM <= BM">, {{.*}}"BM * 128 + STAGES * (BN * 128 + 64 * BN * 2) <= 232448"
// CHECK-NOT:     lowering_config
// CHECK:         linalg.softmax
// CHECK-NOT:     lowering_config
// CHECK:         linalg.batch_matmul {tonno.lowering_config = {copy = "async", instruction = "mma_16x8x16", per_unit = #{{.*}}, reduction = [0, 0, 0, #{{.*}}], softmax = "online", stages = #{{.*}}, subgroup = [1, #{{.*}}, 0, 0], workgroup = [1, #{{.*}}, 0, 0]}}
// LAUNCHES:      tonno.launches = [{{{[^}]*}}symbol = "attention_entry"}]

// CDNA4-LABEL:   func @attention
// CDNA4-SAME:    "BM * 144 + STAGES * (BN * 144 + 64 * (BN * 2 + 16)) <= 163840"
// CDNA4-SAME:    + BN * 256 floordiv (256 * (BM floordiv WM)) <= 512"
// CDNA4:         linalg.batch_matmul {tonno.lowering_config = {instruction = #INSTRUCTION, {{.*}}softmax = "online"

// Its factors are distributed over lanes in another way than sums.
// RDNA3:         linalg.batch_matmul {tonno.lowering_config
// RDNA3:         linalg.softmax {{.*}}tonno.lowering_config
// RDNA3-NOT:     softmax =
// RDNA3:         linalg.batch_matmul {tonno.lowering_config
func.func @attention(%q: tensor<64x512x64xf16>, %k: tensor<64x64x512xf16>, %v: tensor<64x512x64xf16>) -> tensor<64x512x64xf16> {
  %zero = arith.constant 0.0 : f16
  %se = tensor.empty() : tensor<64x512x512xf16>
  %sf = linalg.fill ins(%zero : f16) outs(%se : tensor<64x512x512xf16>) -> tensor<64x512x512xf16>
  %s = linalg.batch_matmul ins(%q, %k : tensor<64x512x64xf16>, tensor<64x64x512xf16>) outs(%sf : tensor<64x512x512xf16>) -> tensor<64x512x512xf16>
  %p = linalg.softmax dimension(2) ins(%s : tensor<64x512x512xf16>) outs(%se : tensor<64x512x512xf16>) -> tensor<64x512x512xf16>
  %oe = tensor.empty() : tensor<64x512x64xf16>
  %of = linalg.fill ins(%zero : f16) outs(%oe : tensor<64x512x64xf16>) -> tensor<64x512x64xf16>
  %o = linalg.batch_matmul ins(%p, %v : tensor<64x512x512xf16>, tensor<64x512x64xf16>) outs(%of : tensor<64x512x64xf16>) -> tensor<64x512x64xf16>
  return %o : tensor<64x512x64xf16>
}

// -----

// Four queries would leave most rows of an instruction empty.
// CHECK-LABEL: func @few_rows
// CHECK-NOT:     softmax =
// LAUNCHES:      symbol = "few_rows_entry_0"
func.func @few_rows(%q: tensor<64x4x64xf16>, %k: tensor<64x64x512xf16>, %v: tensor<64x512x64xf16>) -> tensor<64x4x64xf16> {
  %zero = arith.constant 0.0 : f16
  %se = tensor.empty() : tensor<64x4x512xf16>
  %sf = linalg.fill ins(%zero : f16) outs(%se : tensor<64x4x512xf16>) -> tensor<64x4x512xf16>
  %s = linalg.batch_matmul ins(%q, %k : tensor<64x4x64xf16>, tensor<64x64x512xf16>) outs(%sf : tensor<64x4x512xf16>) -> tensor<64x4x512xf16>
  %p = linalg.softmax dimension(2) ins(%s : tensor<64x4x512xf16>) outs(%se : tensor<64x4x512xf16>) -> tensor<64x4x512xf16>
  %oe = tensor.empty() : tensor<64x4x64xf16>
  %of = linalg.fill ins(%zero : f16) outs(%oe : tensor<64x4x64xf16>) -> tensor<64x4x64xf16>
  %o = linalg.batch_matmul ins(%p, %v : tensor<64x4x512xf16>, tensor<64x512x64xf16>) outs(%of : tensor<64x4x64xf16>) -> tensor<64x4x64xf16>
  return %o : tensor<64x4x64xf16>
}

// -----

// The scores are a result, too.
// CHECK-LABEL: func @scores_returned
// CHECK-NOT:     softmax =
// LAUNCHES:      symbol = "scores_returned_entry_0"
func.func @scores_returned(%q: tensor<64x512x64xf16>, %k: tensor<64x64x512xf16>, %v: tensor<64x512x64xf16>) -> (tensor<64x512x64xf16>, tensor<64x512x512xf16>) {
  %zero = arith.constant 0.0 : f16
  %se = tensor.empty() : tensor<64x512x512xf16>
  %sf = linalg.fill ins(%zero : f16) outs(%se : tensor<64x512x512xf16>) -> tensor<64x512x512xf16>
  %s = linalg.batch_matmul ins(%q, %k : tensor<64x512x64xf16>, tensor<64x64x512xf16>) outs(%sf : tensor<64x512x512xf16>) -> tensor<64x512x512xf16>
  %pe = tensor.empty() : tensor<64x512x512xf16>
  %p = linalg.softmax dimension(2) ins(%s : tensor<64x512x512xf16>) outs(%pe : tensor<64x512x512xf16>) -> tensor<64x512x512xf16>
  %oe = tensor.empty() : tensor<64x512x64xf16>
  %of = linalg.fill ins(%zero : f16) outs(%oe : tensor<64x512x64xf16>) -> tensor<64x512x64xf16>
  %o = linalg.batch_matmul ins(%p, %v : tensor<64x512x512xf16>, tensor<64x512x64xf16>) outs(%of : tensor<64x512x64xf16>) -> tensor<64x512x64xf16>
  return %o, %s : tensor<64x512x64xf16>, tensor<64x512x512xf16>
}

// -----

// The launch would not store the sums that the division reads.
// CHECK-LABEL: func @divided_later
// CHECK-NOT:     softmax =
// LAUNCHES:      symbol = "divided_later_entry_0"
#all = affine_map<(m, n) -> (m, n)>
#row = affine_map<(m, n) -> (m)>
func.func @divided_later(%q: tensor<512x64xf16>, %k: tensor<64x512xf16>, %v: tensor<512x64xf16>) -> tensor<512x64xf32> {
  %zero = arith.constant 0.0 : f32
  %infinity = arith.constant 0xFF800000 : f32
  %se = tensor.empty() : tensor<512x512xf32>
  %sf = linalg.fill ins(%zero : f32) outs(%se : tensor<512x512xf32>) -> tensor<512x512xf32>
  %s = linalg.matmul ins(%q, %k : tensor<512x64xf16>, tensor<64x512xf16>) outs(%sf : tensor<512x512xf32>) -> tensor<512x512xf32>
  %re = tensor.empty() : tensor<512xf32>
  %mf = linalg.fill ins(%infinity : f32) outs(%re : tensor<512xf32>) -> tensor<512xf32>
  %m = linalg.reduce {arith.maximumf} ins(%s : tensor<512x512xf32>) outs(%mf : tensor<512xf32>) dimensions = [1]
  %p = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]} ins(%s, %m : tensor<512x512xf32>, tensor<512xf32>) outs(%se : tensor<512x512xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %d = arith.subf %a, %b : f32
    %e = math.exp %d : f32
    linalg.yield %e : f32
  } -> tensor<512x512xf32>
  %lf = linalg.fill ins(%zero : f32) outs(%re : tensor<512xf32>) -> tensor<512xf32>
  %l = linalg.reduce {arith.addf} ins(%p : tensor<512x512xf32>) outs(%lf : tensor<512xf32>) dimensions = [1]
  %he = tensor.empty() : tensor<512x512xf16>
  %h = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]} ins(%p : tensor<512x512xf32>) outs(%he : tensor<512x512xf16>) {
  ^bb0(%a: f32, %o: f16):
    %r = arith.truncf %a : f32 to f16
    linalg.yield %r : f16
  } -> tensor<512x512xf16>
  %oe = tensor.empty() : tensor<512x64xf32>
  %of = linalg.fill ins(%zero : f32) outs(%oe : tensor<512x64xf32>) -> tensor<512x64xf32>
  %w = linalg.matmul ins(%h, %v : tensor<512x512xf16>, tensor<512x64xf16>) outs(%of : tensor<512x64xf32>) -> tensor<512x64xf32>
  %r = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]} ins(%w, %l : tensor<512x64xf32>, tensor<512xf32>) outs(%oe : tensor<512x64xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %d = arith.divf %a, %b : f32
    linalg.yield %d : f32
  } -> tensor<512x64xf32>
  return %r : tensor<512x64xf32>
}

// -----

// Dropout behind the softmax is not a factor of rows; a view of a product's
// result begins another launch.
// CHECK-LABEL: func @dropout
// CHECK-NOT:     softmax =
// LAUNCHES:      symbol = "dropout_entry_0"
func.func @dropout(%q: tensor<64x512x64xf16>, %k: tensor<64x64x512xf16>, %v: tensor<64x512x64xf16>, %keep: tensor<64x512x512xf16>, %bias: tensor<64x512x8x8xf16>) -> tensor<64x512x8x8xf16> {
  %zero = arith.constant 0.0 : f16
  %se = tensor.empty() : tensor<64x512x512xf16>
  %sf = linalg.fill ins(%zero : f16) outs(%se : tensor<64x512x512xf16>) -> tensor<64x512x512xf16>
  %s = linalg.batch_matmul ins(%q, %k : tensor<64x512x64xf16>, tensor<64x64x512xf16>) outs(%sf : tensor<64x512x512xf16>) -> tensor<64x512x512xf16>
  %p = linalg.softmax dimension(2) ins(%s : tensor<64x512x512xf16>) outs(%se : tensor<64x512x512xf16>) -> tensor<64x512x512xf16>
  %d = linalg.mul ins(%p, %keep : tensor<64x512x512xf16>, tensor<64x512x512xf16>) outs(%se : tensor<64x512x512xf16>) -> tensor<64x512x512xf16>
  %oe = tensor.empty() : tensor<64x512x64xf16>
  %of = linalg.fill ins(%zero : f16) outs(%oe : tensor<64x512x64xf16>) -> tensor<64x512x64xf16>
  %o = linalg.batch_matmul ins(%d, %v : tensor<64x512x512xf16>, tensor<64x512x64xf16>) outs(%of : tensor<64x512x64xf16>) -> tensor<64x512x64xf16>
  %x = tensor.expand_shape %o [[0], [1], [2, 3]] output_shape [64, 512, 8, 8] : tensor<64x512x64xf16> into tensor<64x512x8x8xf16>
  %e = tensor.empty() : tensor<64x512x8x8xf16>
  %r = linalg.add ins(%x, %bias : tensor<64x512x8x8xf16>, tensor<64x512x8x8xf16>) outs(%e : tensor<64x512x8x8xf16>) -> tensor<64x512x8x8xf16>
  return %r : tensor<64x512x8x8xf16>
}

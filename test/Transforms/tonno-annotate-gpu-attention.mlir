// The second product of attention speaks for all three parts, unless a part is
// configured, or has too few rows.

// RUN: tonno-opt %s -split-input-file --tonno-annotate="target=nvptx chip=sm_90" | FileCheck %s
// RUN: tonno-opt %s -split-input-file --tonno-annotate="target=nvptx chip=sm_90" --tonno-apply --tonno-lower-nvptx=chip=sm_90 | FileCheck %s --check-prefix=LAUNCHES
// RUN: tonno-opt %s -split-input-file --tonno-annotate="target=amdgpu chip=gfx1100" | FileCheck %s --check-prefix=RDNA3

// CHECK-LABEL: func @attention
// CHECK-SAME:    tonno.constraints = [#tonno.constraint<"WM <= BM">, {{.*}}"BM * 128 + STAGES * (BN * 128 + 64 * BN * 2) <= 232448"
// CHECK-NOT:     lowering_config
// CHECK:         linalg.softmax
// CHECK-NOT:     lowering_config
// CHECK:         linalg.batch_matmul {tonno.lowering_config = {copy = "async", instruction = "mma_16x8x16", per_unit = #{{.*}}, reduction = [0, 0, 0, #{{.*}}], softmax = "online", stages = #{{.*}}, subgroup = [1, #{{.*}}, 0, 0], workgroup = [1, #{{.*}}, 0, 0]}}
// LAUNCHES:      tonno.launches = [{{{[^}]*}}symbol = "attention_entry"}]

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

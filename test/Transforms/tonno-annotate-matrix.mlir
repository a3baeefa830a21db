// RUN: tonno-opt %s -split-input-file --tonno-annotate='target=amdgpu chip=gfx942' | FileCheck %s
// RUN: tonno-opt %s -split-input-file --tonno-annotate='target=nvptx chip=sm_80' | FileCheck %s --check-prefix=NVIDIA
// RUN: tonno-opt %s -split-input-file --tonno-annotate='target=amdgpu chip=gfx1100' | FileCheck %s --check-prefix=RDNA

// Products of narrow factors use matrix units, by default with the tile of the
// lowest bound.
//  CHECK-DAG: #[[I:.+]] = #tonno.knob<"INSTRUCTION" from ["mfma_32x32x8", "mfma_16x16x16"] default "mfma_32x32x8">
//  CHECK-DAG: #[[BM:.+]] = #tonno.knob<"BM" from pow2<32 to 256> default 128>
//  CHECK-DAG: #[[BN:.+]] = #tonno.knob<"BN" from pow2<32 to 256> default 256>
//  CHECK-DAG: #[[WM:.+]] = #tonno.knob<"WM" from pow2<32 to 128> default 32>
//      CHECK: func.func @matmul_f16
// CHECK-SAME: "WM <= BM"
// CHECK-SAME: "(BM floordiv WM) * (BN floordiv WN) <= 16"
// CHECK-SAME: "PER_UNIT * ((BM floordiv WM) * (BN floordiv WN) * 64) <= 2048"
// CHECK-SAME: "STAGES * (BM + BN) * (BK * 2 + 16) <= 65536"
//      CHECK: linalg.matmul {tonno.lowering_config = {instruction = #[[I]], order = #ORDER, per_unit = #PER_UNIT, reduction = [0, 0, #BK], stages = #STAGES, subgroup = [#[[WM]], #WN, 0], workgroup = [#[[BM]], #[[BN]], 0]}}
// NVIDIA: "STAGES" from [2, 3, 4, 5, 6]
// NVIDIA: linalg.matmul {tonno.lowering_config = {copy = "async", instruction = "mma_16x8x16"
// RDNA: linalg.matmul {tonno.lowering_config = {instruction = "wmma_16x16x16"
func.func @matmul_f16(%a: tensor<4096x4096xf16>, %b: tensor<4096x4096xf16>, %c: tensor<4096x4096xf32>) -> tensor<4096x4096xf32> {
  %r = linalg.matmul ins(%a, %b : tensor<4096x4096xf16>, tensor<4096x4096xf16>) outs(%c : tensor<4096x4096xf32>) -> tensor<4096x4096xf32>
  return %r : tensor<4096x4096xf32>
}

// -----

// Sums in bf16 are formed in f32.
// CHECK-LABEL: func.func @sums_in_bf16
// CHECK: linalg.matmul {tonno.lowering_config = {instruction =
func.func @sums_in_bf16(%a: tensor<64x64xbf16>, %b: tensor<64x64xbf16>, %c: tensor<64x64xbf16>) -> tensor<64x64xbf16> {
  %r = linalg.matmul ins(%a, %b : tensor<64x64xbf16>, tensor<64x64xbf16>) outs(%c : tensor<64x64xbf16>) -> tensor<64x64xbf16>
  return %r : tensor<64x64xbf16>
}

// -----

// Results with 16 rows have instructions with 16 rows.
//  CHECK-DAG: #WN = #tonno.knob<"WN" from pow2<16 to 128>
//      CHECK: func.func @few_rows
//      CHECK: linalg.matmul {tonno.lowering_config = {instruction = "mfma_16x16x32"
func.func @few_rows(%a: tensor<16x256xi8>, %b: tensor<256x512xi8>, %c: tensor<16x512xi32>) -> tensor<16x512xi32> {
  %r = linalg.matmul ins(%a, %b : tensor<16x256xi8>, tensor<256x512xi8>) outs(%c : tensor<16x512xi32>) -> tensor<16x512xi32>
  return %r : tensor<16x512xi32>
}

// -----

// What matrix units don't compute: f32, unsigned bytes, other payloads; and what
// is too small for them.
// CHECK-LABEL: func.func @not_for_matrix_units
// CHECK-NOT: instruction =
// CHECK: return
func.func @not_for_matrix_units(
    %a: tensor<64x64xf32>, %c: tensor<64x64xf32>, %i: tensor<64x64xi8>, %s: tensor<64x64xi32>,
    %h: tensor<64x64xf16>, %x: tensor<8x8xf16>, %y: tensor<8x8xf32>)
    -> (tensor<64x64xf32>, tensor<64x64xi32>, tensor<64x64xf32>, tensor<8x8xf32>) {
  %0 = linalg.matmul ins(%a, %a : tensor<64x64xf32>, tensor<64x64xf32>) outs(%c : tensor<64x64xf32>) -> tensor<64x64xf32>
  %1 = linalg.matmul {cast = #linalg.type_fn<cast_unsigned>} ins(%i, %i : tensor<64x64xi8>, tensor<64x64xi8>) outs(%s : tensor<64x64xi32>) -> tensor<64x64xi32>
  %2 = linalg.matmul ins(%h, %a : tensor<64x64xf16>, tensor<64x64xf32>) outs(%c : tensor<64x64xf32>) -> tensor<64x64xf32>
  %3 = linalg.matmul ins(%x, %x : tensor<8x8xf16>, tensor<8x8xf16>) outs(%y : tensor<8x8xf32>) -> tensor<8x8xf32>
  return %0, %1, %2, %3 : tensor<64x64xf32>, tensor<64x64xi32>, tensor<64x64xf32>, tensor<8x8xf32>
}

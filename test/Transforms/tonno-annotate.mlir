// RUN: tonno-opt %s -split-input-file --tonno-annotate=chip=x86_64-linux-gnu:znver4 | FileCheck %s
// RUN: tonno-opt %s -split-input-file --tonno-annotate=chip=x86_64-linux-gnu:haswell | FileCheck %s --check-prefix=AVX2
// RUN: tonno-opt %s -split-input-file --tonno-annotate="target=host chip=x86_64-linux-gnu:x86-64" | FileCheck %s --check-prefix=SSE
// RUN: tonno-opt %s -split-input-file --tonno-annotate="target=host chip=aarch64-linux-gnu:neoverse-n1" | FileCheck %s --check-prefix=NEON

// A second run, even for another chip, finds nothing to do.
// RUN: tonno-opt %s -split-input-file --tonno-annotate=chip=x86_64-linux-gnu:haswell -o %t.once
// RUN: tonno-opt %t.once -split-input-file --tonno-annotate=chip=x86_64-linux-gnu:znver4 -o %t.twice
// RUN: diff %t.once %t.twice

// A matrix product: the registers bound MR x NR, the second cache the blocks.
// Rows of B lie far apart: by default it is packed, in blocks that serve all
// rows.
// CHECK-DAG: #BK = #tonno.knob<"BK" from pow2<128 to 256> default 256>
// CHECK-DAG: #BM = #tonno.knob<"BM" from pow2<16 to 512> default 64>
// CHECK-DAG: #BN = #tonno.knob<"BN" from pow2<64 to 1024> default 128>
// CHECK-DAG: #MR = #tonno.knob<"MR" from [2, 4, 6, 8, 12] default 8>
// CHECK-DAG: #NR = #tonno.knob<"NR" from pow2<16 to 64> default 32>
// CHECK-DAG: #PB = #tonno.knob<"PB" from [0, 1] default 1>
//     CHECK: func.func @matmul
// CHECK-SAME: tonno.constraints = [#tonno.constraint<"MR * NR <= 448">]
//     CHECK: linalg.matmul {tonno.lowering_config = {interchange = [1, 2, 0], pack = [0, #PB, 0], reduction = [0, 0, #BK], subgroup = [#MR, #NR, 0], workgroup = [#BM, #BN, 0]}}
// AVX2-DAG: #BN = #tonno.knob<"BN" from pow2<32 to 1024> default 128>
// AVX2-DAG: #MR = #tonno.knob<"MR" from [2, 4, 6, 8, 12] default 6>
// AVX2-DAG: #NR = #tonno.knob<"NR" from pow2<8 to 32> default 16>
//     AVX2: func.func @matmul
// AVX2-SAME: "MR * NR <= 96"
// SSE-DAG: #MR = #tonno.knob<"MR" from [2, 4, 6, 8, 12] default 6>
// SSE-DAG: #NR = #tonno.knob<"NR" from pow2<4 to 16> default 8>
//     SSE: func.func @matmul
// SSE-SAME: "MR * NR <= 48"
// NEON-DAG: #MR = #tonno.knob<"MR" from [2, 4, 6, 8, 12] default 8>
// NEON-DAG: #NR = #tonno.knob<"NR" from pow2<4 to 16> default 8>
//     NEON: func.func @matmul
// NEON-SAME: "MR * NR <= 112"
func.func @matmul(%a: tensor<512x256xf32>, %b: tensor<256x1000xf32>, %c: tensor<512x1000xf32>) -> tensor<512x1000xf32> {
  %r = linalg.matmul ins(%a, %b : tensor<512x256xf32>, tensor<256x1000xf32>) outs(%c : tensor<512x1000xf32>) -> tensor<512x1000xf32>
  return %r : tensor<512x1000xf32>
}

// -----

// Wider elements: fewer in a register, smaller blocks.
// CHECK-DAG: #BK = #tonno.knob<"BK" from pow2<128 to 512> default 512>
// CHECK-DAG: #NR = #tonno.knob<"NR" from pow2<8 to 32> default 16>
//     CHECK: func.func @matmul_f64
// CHECK-SAME: "MR * NR <= 224"
// CHECK-SAME: "BM * BK * 8 <= 524288"
//     AVX2: func.func @matmul_f64
// AVX2-SAME: "MR * NR <= 48"
//     SSE: func.func @matmul_f64
// SSE-SAME: "MR * NR <= 24"
func.func @matmul_f64(%a: tensor<512x512xf64>, %b: tensor<512x512xf64>, %c: tensor<512x512xf64>) -> tensor<512x512xf64> {
  %r = linalg.matmul ins(%a, %b : tensor<512x512xf64>, tensor<512x512xf64>) outs(%c : tensor<512x512xf64>) -> tensor<512x512xf64>
  return %r : tensor<512x512xf64>
}

// -----

// Products of i8 are added in pairs, which lie side by side in a copy of B. That
// of A is widened, too.
// CHECK-DAG: #MR = #tonno.knob<"MR" from [2, 4, 6, 8, 12] default 8>
// CHECK-DAG: #NR = #tonno.knob<"NR" from pow2<16 to 64> default 32>
// CHECK-DAG: #PA = #tonno.knob<"PA" from [0, 1] default 1>
// CHECK-DAG: #PB = #tonno.knob<"PB" from [0, 1] default 1>
//     CHECK: func.func @matmul_i8
//     CHECK: linalg.matmul {tonno.lowering_config = {interchange = [1, 2, 0], pack = [#PA, #PB, 2],
//  AVX2-DAG: #NR = #tonno.knob<"NR" from pow2<8 to 32> default 16>
//      AVX2: linalg.matmul {tonno.lowering_config = {interchange = [1, 2, 0], pack = [#PA, #PB, 2],
//       SSE: linalg.matmul {tonno.lowering_config = {interchange = [1, 2, 0], pack = [#PA, #PB, 2],
func.func @matmul_i8(%a: tensor<50x300xi8>, %b: tensor<300x200xi8>, %c: tensor<50x200xi32>) -> tensor<50x200xi32> {
  %r = linalg.matmul ins(%a, %b : tensor<50x300xi8>, tensor<300x200xi8>) outs(%c : tensor<50x200xi32>) -> tensor<50x200xi32>
  return %r : tensor<50x200xi32>
}

// -----

// Those of bf16 where there is an instruction for it, with A where it is.
// CHECK-DAG: #NR = #tonno.knob<"NR" from pow2<16 to 64> default 32>
// CHECK-DAG: #PB = #tonno.knob<"PB" from [0, 1] default 1>
//     CHECK: func.func @matmul_bf16
//     CHECK: linalg.matmul {tonno.lowering_config = {interchange = [1, 2, 0], pack = [0, #PB, 2],
//  AVX2-DAG: #PB = #tonno.knob<"PB" from [0, 1] default 0>
//      AVX2: func.func @matmul_bf16
//      AVX2: linalg.matmul {tonno.lowering_config = {interchange = [1, 2, 0], pack = [0, #PB, 0],
//       SSE: func.func @matmul_bf16
//       SSE: linalg.matmul {tonno.lowering_config = {interchange = [1, 2, 0], pack = [0, #PB, 0],
func.func @matmul_bf16(%a: tensor<50x300xbf16>, %b: tensor<300x200xbf16>, %c: tensor<50x200xf32>) -> tensor<50x200xf32> {
  %r = linalg.matmul ins(%a, %b : tensor<50x300xbf16>, tensor<300x200xbf16>) outs(%c : tensor<50x200xf32>) -> tensor<50x200xf32>
  return %r : tensor<50x200xf32>
}

// -----

// Rows lie less far apart, but B is too large for the caches that are near.
// CHECK-DAG: #PB = #tonno.knob<"PB" from [0, 1] default 1>
//     CHECK: func.func @matmul_large
func.func @matmul_large(%a: tensor<130x700xf32>, %b: tensor<700x500xf32>, %c: tensor<130x500xf32>) -> tensor<130x500xf32> {
  %r = linalg.matmul ins(%a, %b : tensor<130x700xf32>, tensor<700x500xf32>) outs(%c : tensor<130x500xf32>) -> tensor<130x500xf32>
  return %r : tensor<130x500xf32>
}

// -----

// What adds up blocks of a product has all of their rows: B is copied once.
// CHECK-DAG: #BM = #tonno.knob<"BM" from pow2<16 to 1024> default 1024>
// CHECK-DAG: #PB = #tonno.knob<"PB" from [0, 1] default 1>
//     CHECK: func.func @followed
//     CHECK: fuse = [#BM, #BN]
func.func @followed(%a: tensor<1000x600xf32>, %b: tensor<600x700xf32>, %d: tensor<1000x700xf32>) -> tensor<1000x700xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<1000x700xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<1000x700xf32>) -> tensor<1000x700xf32>
  %product = linalg.matmul ins(%a, %b : tensor<1000x600xf32>, tensor<600x700xf32>) outs(%init : tensor<1000x700xf32>) -> tensor<1000x700xf32>
  %r = linalg.add ins(%product, %d : tensor<1000x700xf32>, tensor<1000x700xf32>) outs(%empty : tensor<1000x700xf32>) -> tensor<1000x700xf32>
  return %r : tensor<1000x700xf32>
}

// -----

// Rows that registers hold are read whole, where they lie.
// CHECK-DAG: #MR = #tonno.knob<"MR" from [2, 4, 6, 8, 12] default 4>
// CHECK-DAG: #NR = #tonno.knob<"NR" from pow2<16 to 64> default 64>
//     CHECK: func.func @matmul_rows
//  AVX2-DAG: #NR = #tonno.knob<"NR" from pow2<8 to 32> default 16>
//      AVX2: func.func @matmul_rows
func.func @matmul_rows(%a: tensor<64x64xf32>, %b: tensor<64x64xf32>, %c: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %r = linalg.matmul ins(%a, %b : tensor<64x64xf32>, tensor<64x64xf32>) outs(%c : tensor<64x64xf32>) -> tensor<64x64xf32>
  return %r : tensor<64x64xf32>
}

// -----

// Of rows of three vectors a fourth would be for nothing.
// CHECK-DAG: #NR = #tonno.knob<"NR" from pow2<16 to 64> default 32>
//     CHECK: func.func @matmul_short_rows
func.func @matmul_short_rows(%a: tensor<64x64xf32>, %b: tensor<64x48xf32>, %c: tensor<64x48xf32>) -> tensor<64x48xf32> {
  %r = linalg.matmul ins(%a, %b : tensor<64x64xf32>, tensor<64x48xf32>) outs(%c : tensor<64x48xf32>) -> tensor<64x48xf32>
  return %r : tensor<64x48xf32>
}

// -----

// One product after another. No option exceeds what covers the op, and what the
// nearest cache holds is not packed.
// CHECK-DAG: #BM = #tonno.knob<"BM" from pow2<16 to 32> default 32>
//     CHECK: func.func @batch_matmul
// CHECK-NOT: pack
//     CHECK: linalg.batch_matmul {tonno.lowering_config = {reduction = [0, 0, 0, 64], subgroup = [1, #MR, #NR, 0], workgroup = [1, #BM, 32, 0]}}
func.func @batch_matmul(%a: tensor<4x20x40xf32>, %b: tensor<4x40x32xf32>, %c: tensor<4x20x32xf32>) -> tensor<4x20x32xf32> {
  %r = linalg.batch_matmul ins(%a, %b : tensor<4x20x40xf32>, tensor<4x40x32xf32>) outs(%c : tensor<4x20x32xf32>) -> tensor<4x20x32xf32>
  return %r : tensor<4x20x32xf32>
}
// CHECK: linalg.batch_matmul {{.*}}interchange = [0, 2, 3, 1], pack = [0, 0, #PB{{.*}}, 0]
func.func @large_batch_matmul(%a: tensor<4x128x512xf32>, %b: tensor<4x512x512xf32>, %c: tensor<4x128x512xf32>) -> tensor<4x128x512xf32> {
  %r = linalg.batch_matmul ins(%a, %b : tensor<4x128x512xf32>, tensor<4x512x512xf32>) outs(%c : tensor<4x128x512xf32>) -> tensor<4x128x512xf32>
  return %r : tensor<4x128x512xf32>
}

// -----

// Columns of a transposed operand lie side by side: that of B is read across,
// and packed by default; that of A may be.
// CHECK-DAG: #PB = #tonno.knob<"PB" from [0, 1] default 1>
// CHECK-DAG: #PA = #tonno.knob<"PA" from [0, 1] default 0>
//     CHECK: func.func @transposed
//     CHECK: linalg.generic {{.*}} pack = [#PA, #PB, 0]
func.func @transposed(%a: tensor<256x256xf32>, %b: tensor<256x256xf32>, %c: tensor<256x256xf32>) -> tensor<256x256xf32> {
  %r = linalg.generic {
    indexing_maps = [affine_map<(m, n, k) -> (k, m)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>],
    iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%a, %b : tensor<256x256xf32>, tensor<256x256xf32>) outs(%c : tensor<256x256xf32>) {
  ^bb0(%x: f32, %y: f32, %sum: f32):
    %product = arith.mulf %x, %y : f32
    %next = arith.addf %sum, %product : f32
    linalg.yield %next : f32
  } -> tensor<256x256xf32>
  return %r : tensor<256x256xf32>
}

// -----

// Sums along rows, also of products: an accumulator for each of some rows.
// CHECK-DAG: #KR = #tonno.knob<"KR" from pow2<8 to 64> default 64>
// CHECK-DAG: #MR = #tonno.knob<"MR" from pow2<1 to 16> default 1>
//     CHECK: func.func @row_sum
// CHECK-SAME: [#tonno.constraint<"MR * KR <= 256">]
//     CHECK: linalg.reduce
// CHECK-SAME: {subgroup = [#MR, #KR]}
// AVX2-DAG: #KR = #tonno.knob<"KR" from pow2<4 to 32> default 32>
//     AVX2: func.func @row_sum
// AVX2-SAME: [#tonno.constraint<"MR * KR <= 64">]
// SSE-DAG: #KR = #tonno.knob<"KR" from pow2<2 to 16> default 16>
//     SSE: func.func @row_sum
// SSE-SAME: [#tonno.constraint<"MR * KR <= 32">]
func.func @row_sum(%x: tensor<64x500xf32>, %c: tensor<64xf32>) -> tensor<64xf32> {
  %r = linalg.reduce { arith.addf } ins(%x : tensor<64x500xf32>) outs(%c : tensor<64xf32>) dimensions = [1]
  return %r : tensor<64xf32>
}
// CHECK: linalg.matvec {tonno.lowering_config = {subgroup = [#MR, #KR]}}
func.func @matvec(%x: tensor<64x500xf32>, %v: tensor<500xf32>, %c: tensor<64xf32>) -> tensor<64xf32> {
  %r = linalg.matvec ins(%x, %v : tensor<64x500xf32>, tensor<500xf32>) outs(%c : tensor<64xf32>) -> tensor<64xf32>
  return %r : tensor<64xf32>
}
// CHECK: linalg.dot {tonno.lowering_config = {subgroup = [#KR]}}
func.func @dot(%v: tensor<500xf32>, %c: tensor<f32>) -> tensor<f32> {
  %r = linalg.dot ins(%v, %v : tensor<500xf32>, tensor<500xf32>) outs(%c : tensor<f32>) -> tensor<f32>
  return %r : tensor<f32>
}

// -----

// Sums across rows, also of a product with one row: the rows in turn.
// CHECK-DAG: #KR = #tonno.knob<"KR" from pow2<1 to 16> default 1>
// CHECK-DAG: #NR = #tonno.knob<"NR" from pow2<16 to 32> default 16>
//     CHECK: func.func @column_sum
// CHECK-SAME: [#tonno.constraint<"KR * NR <= 512">]
//     CHECK: linalg.reduce
// CHECK-SAME: {reduction = [#KR, 0], subgroup = [#KR, #NR]}
// AVX2-DAG: #NR = #tonno.knob<"NR" from pow2<8 to 16> default 8>
//     AVX2: func.func @column_sum
// AVX2-SAME: [#tonno.constraint<"KR * NR <= 128">]
// SSE-DAG: #NR = #tonno.knob<"NR" from pow2<4 to 8> default 4>
//     SSE: func.func @column_sum
// SSE-SAME: [#tonno.constraint<"KR * NR <= 64">]
func.func @column_sum(%x: tensor<500x64xf32>, %c: tensor<64xf32>) -> tensor<64xf32> {
  %r = linalg.reduce { arith.addf } ins(%x : tensor<500x64xf32>) outs(%c : tensor<64xf32>) dimensions = [0]
  return %r : tensor<64xf32>
}
// CHECK: linalg.matmul {tonno.lowering_config = {reduction = [0, 0, #KR], subgroup = [1, #NR, #KR], workgroup = [1, 0, 0]}}
func.func @one_row(%a: tensor<1x500xf32>, %b: tensor<500x64xf32>, %c: tensor<1x64xf32>) -> tensor<1x64xf32> {
  %r = linalg.matmul ins(%a, %b : tensor<1x500xf32>, tensor<500x64xf32>) outs(%c : tensor<1x64xf32>) -> tensor<1x64xf32>
  return %r : tensor<1x64xf32>
}

// -----

// Along the rows. Where there is one loop, nothing is traded against it.
// CHECK-DAG: #MR = #tonno.knob<"MR" from pow2<1 to 4> default 1>
// CHECK-DAG: #NR = #tonno.knob<"NR" from pow2<16 to 128> default 32>
// CHECK-DAG: #[[I8:NR.*]] = #tonno.knob<"NR" from pow2<64 to 512> default 128>
//     CHECK: func.func @elementwise
// CHECK-SAME: [#tonno.constraint<"MR * NR <= 128">]
//     CHECK: linalg.exp {tonno.lowering_config = {workgroup = [1, #MR, #NR]}}
// AVX2-DAG: #NR = #tonno.knob<"NR" from pow2<8 to 32> default 16>
//     AVX2: func.func @elementwise
// AVX2-SAME: [#tonno.constraint<"MR * NR <= 32">]
// SSE-DAG: #NR = #tonno.knob<"NR" from pow2<4 to 16> default 8>
//     SSE: func.func @elementwise
// SSE-SAME: [#tonno.constraint<"MR * NR <= 16">]
func.func @elementwise(%x: tensor<8x32x500xf32>, %c: tensor<8x32x500xf32>) -> tensor<8x32x500xf32> {
  %r = linalg.exp ins(%x : tensor<8x32x500xf32>) outs(%c : tensor<8x32x500xf32>) -> tensor<8x32x500xf32>
  return %r : tensor<8x32x500xf32>
}
//     CHECK: func.func @one_loop
// CHECK-NOT: constraint
//     CHECK: linalg.add {tonno.lowering_config = {workgroup = [#[[I8]]]}}
func.func @one_loop(%x: tensor<500xi8>, %c: tensor<500xi8>) -> tensor<500xi8> {
  %r = linalg.add ins(%x, %x : tensor<500xi8>, tensor<500xi8>) outs(%c : tensor<500xi8>) -> tensor<500xi8>
  return %r : tensor<500xi8>
}
// CHECK: linalg.exp {tonno.lowering_config = {workgroup = [#MR, #NR]}} ins(%{{.*}} : memref
func.func @on_buffers(%x: memref<64x500xf32>, %c: memref<64x500xf32>) {
  linalg.exp ins(%x : memref<64x500xf32>) outs(%c : memref<64x500xf32>)
  return
}

// -----

// Across the rows of one operand: blocks, and tiles that are transposed in
// registers.
// CHECK-DAG: #BM = #tonno.knob<"BM" from pow2<32 to 256> default 128>
// CHECK-DAG: #BN = #tonno.knob<"BN" from pow2<16 to 64> default 64>
// CHECK-DAG: #MR = #tonno.knob<"MR" from pow2<2 to 16> default 16>
// CHECK-DAG: #NR = #tonno.knob<"NR" from pow2<8 to 32> default 16>
//     CHECK: func.func @transpose
// CHECK-SAME: [#tonno.constraint<"MR * NR <= 128 or MR * NR == 256 and MR == NR">, #tonno.constraint<"MR <= BM">, #tonno.constraint<"NR <= BN">]
//     CHECK: linalg.transpose
// CHECK-SAME: {subgroup = [#MR, #NR], workgroup = [#BM, #BN]}
// AVX2-DAG: #MR = #tonno.knob<"MR" from pow2<2 to 16> default 16>
// AVX2-DAG: #NR = #tonno.knob<"NR" from pow2<4 to 16> default 16>
//     AVX2: func.func @transpose
// AVX2-SAME: [#tonno.constraint<"MR * NR <= 32 or MR * NR == 256 and MR == NR">
// SSE-DAG: #NR = #tonno.knob<"NR" from pow2<2 to 8> default 4>
//     SSE: func.func @transpose
// SSE-SAME: [#tonno.constraint<"MR * NR <= 16">
func.func @transpose(%x: tensor<64x1000xf32>, %c: tensor<1000x64xf32>) -> tensor<1000x64xf32> {
  %r = linalg.transpose ins(%x : tensor<64x1000xf32>) outs(%c : tensor<1000x64xf32>) permutation = [1, 0]
  return %r : tensor<1000x64xf32>
}

// -----

// Names that are taken: by the user, here and in what is called, and by the op
// before. The user's constraints stay.
//     CHECK: func.func @names
// CHECK-SAME: tonno.constraints = [#tonno.constraint<"MR < 9">, #tonno.constraint<"MR_1 * KR <= 256">, #tonno.constraint<"MR_2 * KR_2 <= 256">], x.k = #MR}
//     CHECK: linalg.reduce
// CHECK-SAME: {subgroup = [#MR_1, #KR]}
//     CHECK: linalg.reduce
// CHECK-SAME: {subgroup = [#MR_2, #KR_2]}
func.func private @callee() attributes {x.k = #tonno.knob<"KR_1" from [1, 2]>}
func.func @names(%x: tensor<64x500xf32>, %c: tensor<64xf32>) -> tensor<64xf32>
    attributes {x.k = #tonno.knob<"MR" from [1, 2]>, tonno.constraints = [#tonno.constraint<"MR < 9">]} {
  func.call @callee() : () -> ()
  %r = linalg.reduce { arith.addf } ins(%x : tensor<64x500xf32>) outs(%c : tensor<64xf32>) dimensions = [1]
  %s = linalg.reduce { arith.addf } ins(%x : tensor<64x500xf32>) outs(%r : tensor<64xf32>) dimensions = [1]
  return %s : tensor<64xf32>
}

// -----

// One op after another by some rows at a time; what follows a product by its
// blocks.
// CHECK-DAG: #FM = #tonno.knob<"FM" from pow2<1 to 64> default 1>
//     CHECK: func.func @softmax
//     CHECK: linalg.exp {tonno.lowering_config = {workgroup = [#{{.+}}, #{{.+}}]}}
//     CHECK: linalg.reduce {{.*}} {tonno.lowering_config = {subgroup = [#{{.+}}, #{{.+}}]}}
//     CHECK: linalg.generic {{.*}}tonno.lowering_config = {fuse = [#FM, 0], workgroup = [#{{.+}}, #{{.+}}]}
#all = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
func.func @softmax(%x: tensor<64x512xf32>, %zeros: tensor<64xf32>) -> tensor<64x512xf32> {
  %empty = tensor.empty() : tensor<64x512xf32>
  %e = linalg.exp ins(%x : tensor<64x512xf32>) outs(%empty : tensor<64x512xf32>) -> tensor<64x512xf32>
  %sum = linalg.reduce { arith.addf } ins(%e : tensor<64x512xf32>) outs(%zeros : tensor<64xf32>) dimensions = [1]
  %r = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]}
      ins(%e, %sum : tensor<64x512xf32>, tensor<64xf32>) outs(%empty : tensor<64x512xf32>) {
  ^bb0(%a: f32, %s: f32, %o: f32):
    %d = arith.divf %a, %s : f32
    linalg.yield %d : f32
  } -> tensor<64x512xf32>
  return %r : tensor<64x512xf32>
}

// -----

//     CHECK: func.func @relu
//     CHECK: linalg.matmul {tonno.lowering_config = {interchange = [1, 2, 0], pack = [0, #PB, 0], reduction = [0, 0, #BK], subgroup = [#MR, #NR, 0]}}
//     CHECK: linalg.max {tonno.lowering_config = {fuse = [#BM, #BN], stream = [0, #ST], workgroup = [#MR_1, #NR_1]}}
func.func @relu(%a: tensor<512x256xf32>, %b: tensor<256x512xf32>, %c: tensor<512x512xf32>, %zeros: tensor<512x512xf32>) -> tensor<512x512xf32> {
  %p = linalg.matmul ins(%a, %b : tensor<512x256xf32>, tensor<256x512xf32>) outs(%c : tensor<512x512xf32>) -> tensor<512x512xf32>
  %r = linalg.max ins(%p, %zeros : tensor<512x512xf32>, tensor<512x512xf32>) outs(%c : tensor<512x512xf32>) -> tensor<512x512xf32>
  return %r : tensor<512x512xf32>
}

// -----

// Windows: the loop that vectors are made of, and one that shares what is read
// along it: pixels share filters, filters share pixels.
// CHECK-DAG: #BM = #tonno.knob<"BM" from pow2<1 to 32> default 32>
// CHECK-DAG: #MR = #tonno.knob<"MR" from [1, 2, 4, 8, 16] default 8>
// CHECK-DAG: #NR = #tonno.knob<"NR" from pow2<16 to 64> default 32>
//     CHECK: func.func @pixels
// CHECK-SAME: tonno.constraints = [#tonno.constraint<"MR * NR <= 448">, #tonno.constraint<"MR <= BM">]
//     CHECK: linalg.conv_2d_nhwc_hwcf {tonno.lowering_config = {subgroup = [1, 1, #MR, #NR, 1, 1, 1], workgroup = [1, 1, #BM, 0, 0, 0, 0]}}
func.func @pixels(%x: tensor<1x34x34x8xf32>, %k: tensor<3x3x8x64xf32>, %c: tensor<1x32x32x64xf32>) -> tensor<1x32x32x64xf32> {
  %r = linalg.conv_2d_nhwc_hwcf ins(%x, %k : tensor<1x34x34x8xf32>, tensor<3x3x8x64xf32>) outs(%c : tensor<1x32x32x64xf32>) -> tensor<1x32x32x64xf32>
  return %r : tensor<1x32x32x64xf32>
}

// -----

// A filter that exceeds half of the second cache: blocks of its channels, each
// for all rows.
// CHECK-DAG: #BH = #tonno.knob<"BH" from pow2<1 to 8> default 8>
// CHECK-DAG: #BK = #tonno.knob<"BK" from pow2<16 to 512> default 16>
//     CHECK: func.func @large_filter
//     CHECK: linalg.conv_2d_nhwc_hwcf {tonno.lowering_config = {reduction = [0, 0, 0, 0, 1, 1, #BK], subgroup = [1, 1, #MR, #NR, 1, 1, 1], workgroup = [1, #BH, #BM, 0, 0, 0, 0]}}
func.func @large_filter(%x: tensor<1x9x9x512xf32>, %k: tensor<3x3x512x512xf32>, %c: tensor<1x7x7x512xf32>) -> tensor<1x7x7x512xf32> {
  %r = linalg.conv_2d_nhwc_hwcf ins(%x, %k : tensor<1x9x9x512xf32>, tensor<3x3x512x512xf32>) outs(%c : tensor<1x7x7x512xf32>) -> tensor<1x7x7x512xf32>
  return %r : tensor<1x7x7x512xf32>
}

// -----

// A filter with the same contents in all calls is packed at load. Then as many
// channels as fit the cache make a block: all of these.
// CHECK-DAG: #BK = #tonno.knob<"BK" from pow2<16 to 512> default 512>
// CHECK-DAG: #PB = #tonno.knob<"PB" from [0, 1] default 1>
// CHECK-LABEL: func.func @constant_filter(
//     CHECK: linalg.conv_2d_nhwc_hwcf {tonno.lowering_config = {pack = [0, 0, 0, #PB, 0, 0, 0], reduction = [0, 0, 0, 0, 1, 1, #BK], subgroup = [1, 1, #MR, #NR, 1, 1, 1], workgroup = [1, #BH, #BM, 0, 0, 0, 0]}}
func.func @constant_filter(%x: tensor<1x9x9x512xf32>, %k: tensor<3x3x512x512xf32> {tonno.constant}, %c: tensor<1x7x7x512xf32>) -> tensor<1x7x7x512xf32> {
  %r = linalg.conv_2d_nhwc_hwcf ins(%x, %k : tensor<1x9x9x512xf32>, tensor<3x3x512x512xf32>) outs(%c : tensor<1x7x7x512xf32>) -> tensor<1x7x7x512xf32>
  return %r : tensor<1x7x7x512xf32>
}

// -----

// Panels of 32 don't divide 40 columns, and f16 is widened when it is copied.
// CHECK-NOT: "PB"
// CHECK-LABEL: func.func @constant_not_packed(
func.func @constant_not_packed(%x: tensor<1x9x9x512xf32>, %k: tensor<3x3x512x40xf32> {tonno.constant}, %c: tensor<1x7x7x40xf32>, %y: tensor<1x9x9x512xf16>, %l: tensor<3x3x512x64xf16> {tonno.constant}, %d: tensor<1x7x7x64xf32>) -> (tensor<1x7x7x40xf32>, tensor<1x7x7x64xf32>) {
  %r = linalg.conv_2d_nhwc_hwcf ins(%x, %k : tensor<1x9x9x512xf32>, tensor<3x3x512x40xf32>) outs(%c : tensor<1x7x7x40xf32>) -> tensor<1x7x7x40xf32>
  %s = linalg.conv_2d_nhwc_hwcf ins(%y, %l : tensor<1x9x9x512xf16>, tensor<3x3x512x64xf16>) outs(%d : tensor<1x7x7x64xf32>) -> tensor<1x7x7x64xf32>
  return %r, %s : tensor<1x7x7x40xf32>, tensor<1x7x7x64xf32>
}

// -----

// By as many pixels as leave none over.
// CHECK: #MR = #tonno.knob<"MR" from [1, 2, 4, 7, 8, 14, 16] default 14>
// CHECK: func.func @channels
//  AVX2: #MR = #tonno.knob<"MR" from [1, 2, 4, 7, 8, 14, 16] default 4>
//  AVX2: func.func @channels
func.func @channels(%x: tensor<1x58x58x32xf32>, %k: tensor<3x3x32xf32>, %c: tensor<1x56x56x32xf32>) -> tensor<1x56x56x32xf32> {
  %r = linalg.depthwise_conv_2d_nhwc_hwc ins(%x, %k : tensor<1x58x58x32xf32>, tensor<3x3x32xf32>) outs(%c : tensor<1x56x56x32xf32>) -> tensor<1x56x56x32xf32>
  return %r : tensor<1x56x56x32xf32>
}

// -----

// Unless that takes twice as many tiles.
// CHECK: #MR = #tonno.knob<"MR" from [1, 2, 4, 8, 16] default 8>
// CHECK: func.func @prime
func.func @prime(%x: tensor<1x19x19x32xf32>, %k: tensor<3x3x32xf32>, %c: tensor<1x17x17x32xf32>) -> tensor<1x17x17x32xf32> {
  %r = linalg.depthwise_conv_2d_nhwc_hwc ins(%x, %k : tensor<1x19x19x32xf32>, tensor<3x3x32xf32>) outs(%c : tensor<1x17x17x32xf32>) -> tensor<1x17x17x32xf32>
  return %r : tensor<1x17x17x32xf32>
}

// -----

// Rows of pixels lie across lines of the cache: each serves many filters.
// CHECK-DAG: #MR = #tonno.knob<"MR" from [1, 2, 4, 8, 16] default 16>
// CHECK-DAG: #NR = #tonno.knob<"NR" from pow2<16 to 32> default 16>
//     CHECK: func.func @filters
//     CHECK: linalg.conv_2d_nchw_fchw {tonno.lowering_config = {subgroup = [1, #MR, 1, #NR, 1, 1, 1], workgroup = [1, #BM, 1, 0, 0, 0, 0]}}
func.func @filters(%x: tensor<1x8x34x34xf32>, %k: tensor<64x8x3x3xf32>, %c: tensor<1x64x32x32xf32>) -> tensor<1x64x32x32xf32> {
  %r = linalg.conv_2d_nchw_fchw ins(%x, %k : tensor<1x8x34x34xf32>, tensor<64x8x3x3xf32>) outs(%c : tensor<1x64x32x32xf32>) -> tensor<1x64x32x32xf32>
  return %r : tensor<1x64x32x32xf32>
}

// -----

// Those of different channels share nothing: memory is read in its order. Its
// rows are the last loops of the result, whatever the op's are.
// CHECK-DAG: #BM = #tonno.knob<"BM" from pow2<1 to 64> default 4>
// CHECK-DAG: #MR = #tonno.knob<"MR" from [1, 2, 4, 7, 8, 14, 16] default 2>
// CHECK-DAG: #NR = #tonno.knob<"NR" from pow2<16 to 64> default 32>
//     CHECK: func.func @each_channel
//     CHECK: linalg.depthwise_conv_2d_nchw_chw {tonno.lowering_config = {subgroup = [1, #MR, #NR, 1, 1, 1], workgroup = [1, #BM, 0, 1, 0, 0]}}
func.func @each_channel(%x: tensor<1x32x58x58xf32>, %k: tensor<32x3x3xf32>, %c: tensor<1x32x56x56xf32>) -> tensor<1x32x56x56xf32> {
  %r = linalg.depthwise_conv_2d_nchw_chw ins(%x, %k : tensor<1x32x58x58xf32>, tensor<32x3x3xf32>) outs(%c : tensor<1x32x56x56xf32>) -> tensor<1x32x56x56xf32>
  return %r : tensor<1x32x56x56xf32>
}

// -----

// CHECK: #MR = #tonno.knob<"MR" from [1, 2, 4, 7, 8, 14, 16] default 1>
// CHECK: func.func @pool
func.func @pool(%x: tensor<1x32x113x113xf32>, %k: tensor<3x3xf32>, %c: tensor<1x32x56x56xf32>) -> tensor<1x32x56x56xf32> {
  %r = linalg.pooling_nchw_max {strides = dense<2> : vector<2xi64>} ins(%x, %k : tensor<1x32x113x113xf32>, tensor<3x3xf32>) outs(%c : tensor<1x32x56x56xf32>) -> tensor<1x32x56x56xf32>
  return %r : tensor<1x32x56x56xf32>
}

// -----

// Products of integers take registers before they are added.
// CHECK-DAG: #MR = #tonno.knob<"MR" from [1, 2, 4, 8, 16] default 4>
// CHECK-DAG: #NR = #tonno.knob<"NR" from pow2<16 to 64> default 64>
//     CHECK: func.func @integers
func.func @integers(%x: tensor<1x34x34x8xi8>, %k: tensor<3x3x8x64xi8>, %c: tensor<1x32x32x64xi32>) -> tensor<1x32x32x64xi32> {
  %r = linalg.conv_2d_nhwc_hwcf ins(%x, %k : tensor<1x34x34x8xi8>, tensor<3x3x8x64xi8>) outs(%c : tensor<1x32x32x64xi32>) -> tensor<1x32x32x64xi32>
  return %r : tensor<1x32x32x64xi32>
}

// -----

// Rows shorter than vectors go together: each pixel twice.
// CHECK: #MR = #tonno.knob<"MR" from pow2<1 to 64> default 16>
// CHECK: func.func @twice
// CHECK: tonno.lowering_config = {workgroup = [1, #MR, 2]}
func.func @twice(%x: tensor<64x56xf32>, %c: tensor<64x56x2xf32>) -> tensor<64x56x2xf32> {
  %r = linalg.broadcast ins(%x : tensor<64x56xf32>) outs(%c : tensor<64x56x2xf32>) dimensions = [2]
  return %r : tensor<64x56x2xf32>
}

// -----

// Without channels there is but one loop.
//     CHECK: #[[NR:.+]] = #tonno.knob<"NR" from pow2<16 to 64> default 16>
//     CHECK: linalg.conv_1d {tonno.lowering_config = {subgroup = [#[[NR]], 1]}}
func.func @signal(%x: tensor<104xf32>, %k: tensor<5xf32>, %c: tensor<100xf32>) -> tensor<100xf32> {
  %r = linalg.conv_1d ins(%x, %k : tensor<104xf32>, tensor<5xf32>) outs(%c : tensor<100xf32>) -> tensor<100xf32>
  return %r : tensor<100xf32>
}

// -----

// A softmax is tuned as the ops that it becomes: its sums by `subgroup`, the
// others by `workgroup`, all of them by rows.
// CHECK-DAG: #FM = #tonno.knob<"FM" from pow2<1 to 64> default 1>
//     CHECK: func.func @softmax
// CHECK-SAME: tonno.constraints = [#tonno.constraint<"MR * KR <= 256">, #tonno.constraint<"MR_1 * NR <= 128">]
//     CHECK: linalg.softmax {tonno.lowering_config = {fuse = [#FM, 0], stream = [0, #ST], subgroup = [#MR, #KR], workgroup = [#MR_1, #NR]}}
func.func @softmax(%x: tensor<512x512xf32>) -> tensor<512x512xf32> {
  %e = tensor.empty() : tensor<512x512xf32>
  %r = linalg.softmax dimension(1) ins(%x : tensor<512x512xf32>) outs(%e : tensor<512x512xf32>) -> tensor<512x512xf32>
  return %r : tensor<512x512xf32>
}

// -----

// The same on buffers.
//     CHECK: func.func @softmax_of_buffers
//     CHECK: linalg.softmax {tonno.lowering_config = {fuse = [#FM, 0], subgroup = [#MR, #KR], workgroup = [#MR_1, #NR]}}
func.func @softmax_of_buffers(%x: memref<512x512xf32>, %r: memref<512x512xf32>) {
  linalg.softmax dimension(1) ins(%x : memref<512x512xf32>) outs(%r : memref<512x512xf32>)
  return
}

// -----

// What becomes a part of the op that uses it has no knobs, nor is it a reason
// to go by tiles.
// CHECK: func.func @chain
// CHECK: linalg.exp ins
// CHECK: linalg.reciprocal ins
// CHECK: linalg.mul {tonno.lowering_config = {workgroup = [#MR, #NR]}}
func.func @chain(%x: tensor<64x64xf32>, %c: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %e = tensor.empty() : tensor<64x64xf32>
  %a = linalg.exp ins(%x : tensor<64x64xf32>) outs(%e : tensor<64x64xf32>) -> tensor<64x64xf32>
  %b = linalg.reciprocal ins(%a : tensor<64x64xf32>) outs(%e : tensor<64x64xf32>) -> tensor<64x64xf32>
  %r = linalg.mul ins(%b, %x : tensor<64x64xf32>, tensor<64x64xf32>) outs(%c : tensor<64x64xf32>) -> tensor<64x64xf32>
  return %r : tensor<64x64xf32>
}

// -----

// Attention: the last product is what all of it is computed with, some rows at
// a time or, as the last option, all of them.
// CHECK-DAG: #FM = #tonno.knob<"FM" from pow2<4 to 512> default 8>
//     CHECK: func.func @attention
//     CHECK: linalg.matmul {tonno.lowering_config = {interchange = [1, 2, 0], pack = [0, #PB, 0], reduction = [0, 0, 64], subgroup = [#MR, #NR, 0], workgroup = [#BM, #BN, 0]}}
//     CHECK: linalg.softmax {tonno.lowering_config = {subgroup = [#MR_1, #KR], workgroup = [#MR_2, #NR_1]}}
//     CHECK: linalg.matmul {tonno.lowering_config = {fuse = [#FM, 0, 0], interchange = [1, 2, 0], pack = [0, #PB_1, 0], reduction = [0, 0, #BK], subgroup = [#MR_3, #NR_2, 0], workgroup = [#BM_1, 64, 0]}}
func.func @attention(%q: tensor<512x64xf32>, %k: tensor<64x512xf32>, %v: tensor<512x64xf32>) -> tensor<512x64xf32> {
  %zero = arith.constant 0.0 : f32
  %square = tensor.empty() : tensor<512x512xf32>
  %out = tensor.empty() : tensor<512x64xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%square : tensor<512x512xf32>) -> tensor<512x512xf32>
  %scores = linalg.matmul ins(%q, %k : tensor<512x64xf32>, tensor<64x512xf32>) outs(%s0 : tensor<512x512xf32>) -> tensor<512x512xf32>
  %p = linalg.softmax dimension(1) ins(%scores : tensor<512x512xf32>) outs(%square : tensor<512x512xf32>) -> tensor<512x512xf32>
  %o0 = linalg.fill ins(%zero : f32) outs(%out : tensor<512x64xf32>) -> tensor<512x64xf32>
  %r = linalg.matmul ins(%p, %v : tensor<512x512xf32>, tensor<512x64xf32>) outs(%o0 : tensor<512x64xf32>) -> tensor<512x64xf32>
  return %r : tensor<512x64xf32>
}

// -----

// Gathers, as generic ops and as tensor.gather, along what is gathered.
//     CHECK: func.func @gather
//     CHECK: linalg.generic {{.*}}tonno.lowering_config = {workgroup = [#NR]}
//     CHECK: tensor.gather {{.*}}tonno.lowering_config = {workgroup = [#MR, #NR_1]}
#all = affine_map<(i) -> (i)>
func.func @gather(%at: tensor<64xindex>, %x: tensor<64xf32>, %rows: tensor<64x1xindex>, %y: tensor<99x64xf32>) -> (tensor<64xf32>, tensor<64x64xf32>) {
  %c = tensor.empty() : tensor<64xf32>
  %r = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel"]}
      ins(%at : tensor<64xindex>) outs(%c : tensor<64xf32>) {
  ^bb0(%i: index, %o: f32):
    %e = tensor.extract %x[%i] : tensor<64xf32>
    linalg.yield %e : f32
  } -> tensor<64xf32>
  %s = tensor.gather %y[%rows] gather_dims([0]) : (tensor<99x64xf32>, tensor<64x1xindex>) -> tensor<64x64xf32>
  return %r, %s : tensor<64xf32>, tensor<64x64xf32>
}

// -----

// Packing, as the transposition that it becomes.
//     CHECK: func.func @packing
//     CHECK: linalg.pack {{.*}}tonno.lowering_config = {workgroup = [1, 1, #MR, 16]}
//     CHECK: linalg.unpack {{.*}}tonno.lowering_config = {workgroup = [1, 1, #MR_1, 16]}
func.func @packing(%x: tensor<128x256xf32>) -> tensor<128x256xf32> {
  %e = tensor.empty() : tensor<16x16x8x16xf32>
  %p = linalg.pack %x inner_dims_pos = [0, 1] inner_tiles = [8, 16] into %e : tensor<128x256xf32> -> tensor<16x16x8x16xf32>
  %f = tensor.empty() : tensor<128x256xf32>
  %u = linalg.unpack %p inner_dims_pos = [0, 1] inner_tiles = [8, 16] into %f : tensor<16x16x8x16xf32> -> tensor<128x256xf32>
  return %u : tensor<128x256xf32>
}

// -----

// Two sums of one op are summed up like one; where the largest is can't be
// summed up in parts, but is found for several rows side by side.
//     CHECK: func.func @several_results
//     CHECK: linalg.generic {{.*}}tonno.lowering_config = {subgroup = [#MR, #KR]}
//     CHECK: linalg.generic {{.*}}tonno.lowering_config = {subgroup = [#NR, 1]}
#row = affine_map<(i, j) -> (i)>
#square = affine_map<(i, j) -> (i, j)>
func.func @several_results(%x: tensor<64x96xf32>, %s: tensor<64xf32>, %q: tensor<64xf32>, %p: tensor<64xi32>) -> (tensor<64xf32>, tensor<64xf32>, tensor<64xi32>) {
  %moments:2 = linalg.generic {indexing_maps = [#square, #row, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<64x96xf32>) outs(%s, %q : tensor<64xf32>, tensor<64xf32>) {
  ^bb0(%a: f32, %m: f32, %n: f32):
    %t = arith.addf %a, %m : f32
    %aa = arith.mulf %a, %a : f32
    %u = arith.addf %aa, %n : f32
    linalg.yield %t, %u : f32, f32
  } -> (tensor<64xf32>, tensor<64xf32>)
  %most:2 = linalg.generic {indexing_maps = [#square, #row, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<64x96xf32>) outs(%s, %p : tensor<64xf32>, tensor<64xi32>) {
  ^bb0(%a: f32, %m: f32, %n: i32):
    %j = linalg.index 1 : index
    %k = arith.index_cast %j : index to i32
    %c = arith.cmpf ogt, %a, %m : f32
    %v = arith.select %c, %a, %m : f32
    %w = arith.select %c, %k, %n : i32
    linalg.yield %v, %w : f32, i32
  } -> (tensor<64xf32>, tensor<64xi32>)
  return %moments#0, %moments#1, %most#1 : tensor<64xf32>, tensor<64xf32>, tensor<64xi32>
}

// -----

// What is left alone: see the pass's description.
// CHECK-NOT: #tonno.knob
func.func @configured(%x: tensor<64x64xf32>, %c: tensor<64x64xf32>) -> tensor<64x64xf32> {
  // CHECK: linalg.exp {tonno.lowering_config = {}}
  %r = linalg.exp {tonno.lowering_config = {}} ins(%x : tensor<64x64xf32>) outs(%c : tensor<64x64xf32>) -> tensor<64x64xf32>
  return %r : tensor<64x64xf32>
}
// CHECK-NOT: lowering_config
func.func @scheduled(%x: tensor<64x64xf32>, %c: tensor<64x64xf32>) -> tensor<64x64xf32> attributes {tonno.schedule = @schedules::@schedule} {
  %r = linalg.exp ins(%x : tensor<64x64xf32>) outs(%c : tensor<64x64xf32>) -> tensor<64x64xf32>
  return %r : tensor<64x64xf32>
}
func.func @pipelined(%x: tensor<64x64xf32>, %c: tensor<64x64xf32>) -> tensor<64x64xf32> attributes {tonno.pipeline = {passes = "builtin.module(cse)"}} {
  %r = linalg.exp ins(%x : tensor<64x64xf32>) outs(%c : tensor<64x64xf32>) -> tensor<64x64xf32>
  return %r : tensor<64x64xf32>
}
func.func private @not_public(%x: tensor<64x64xf32>, %c: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %r = linalg.exp ins(%x : tensor<64x64xf32>) outs(%c : tensor<64x64xf32>) -> tensor<64x64xf32>
  return %r : tensor<64x64xf32>
}
func.func @dynamic(%x: tensor<64x?xf32>, %c: tensor<64x?xf32>) -> tensor<64x?xf32> {
  %r = linalg.exp ins(%x : tensor<64x?xf32>) outs(%c : tensor<64x?xf32>) -> tensor<64x?xf32>
  return %r : tensor<64x?xf32>
}
func.func @fill(%x: f32, %c: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %r = linalg.fill ins(%x : f32) outs(%c : tensor<64x64xf32>) -> tensor<64x64xf32>
  return %r : tensor<64x64xf32>
}
func.func @empty(%x: tensor<0x64xf32>, %c: tensor<0x64xf32>) -> tensor<0x64xf32> {
  %r = linalg.exp ins(%x : tensor<0x64xf32>) outs(%c : tensor<0x64xf32>) -> tensor<0x64xf32>
  return %r : tensor<0x64xf32>
}
// Smaller than a vector.
func.func @small(%x: tensor<1x3xf32>, %c: tensor<1x3xf32>) -> tensor<1x3xf32> {
  %r = linalg.exp ins(%x : tensor<1x3xf32>) outs(%c : tensor<1x3xf32>) -> tensor<1x3xf32>
  return %r : tensor<1x3xf32>
}
#all = affine_map<(i) -> (i)>
func.func @branches(%x: tensor<64xf32>, %c: tensor<64xf32>) -> tensor<64xf32> {
  %r = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel"]}
      ins(%x : tensor<64xf32>) outs(%c : tensor<64xf32>) {
  ^bb0(%a: f32, %o: f32):
    %zero = arith.constant 0.0 : f32
    %positive = arith.cmpf ogt, %a, %zero : f32
    %e = scf.if %positive -> f32 {
      scf.yield %a : f32
    } else {
      scf.yield %o : f32
    }
    linalg.yield %e : f32
  } -> tensor<64xf32>
  return %r : tensor<64xf32>
}
module @schedules attributes {transform.with_named_sequence} {
  transform.named_sequence @schedule(%root: !transform.any_op {transform.readonly}) {
    transform.yield
  }
}

// -----

// A schedule that is the kernel's for being the only one.
// CHECK: func.func @lone
// CHECK-NOT: #tonno.knob
// CHECK-NOT: lowering_config
module attributes {transform.with_named_sequence} {
  func.func @lone(%x: tensor<64x64xf32>, %c: tensor<64x64xf32>) -> tensor<64x64xf32> {
    %r = linalg.exp ins(%x : tensor<64x64xf32>) outs(%c : tensor<64x64xf32>) -> tensor<64x64xf32>
    return %r : tensor<64x64xf32>
  }
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    transform.yield
  }
}

// -----

// Slices of one tensor can't all begin with a cache line: half as many vectors
// of half a line as whole ones lie across two.
// CHECK-DAG: #MR = #tonno.knob<"MR" from pow2<1 to 4> default 1>
// CHECK-DAG: #NR = #tonno.knob<"NR" from pow2<8 to 128> default 8>
//     CHECK: func.func @neighbours
//     CHECK: linalg.add {tonno.lowering_config = {workgroup = [#MR, #NR]}}
//  AVX2-DAG: #NR = #tonno.knob<"NR" from pow2<8 to 32> default 8>
//      AVX2: func.func @neighbours
//   SSE-DAG: #NR = #tonno.knob<"NR" from pow2<4 to 16> default 4>
//       SSE: func.func @neighbours
func.func @neighbours(%x: tensor<66x512xf32>, %c: tensor<64x512xf32>) -> tensor<64x512xf32> {
  %a = tensor.extract_slice %x[0, 0] [64, 512] [1, 1] : tensor<66x512xf32> to tensor<64x512xf32>
  %b = tensor.extract_slice %x[2, 0] [64, 512] [1, 1] : tensor<66x512xf32> to tensor<64x512xf32>
  %r = linalg.add ins(%a, %b : tensor<64x512xf32>, tensor<64x512xf32>) outs(%c : tensor<64x512xf32>) -> tensor<64x512xf32>
  return %r : tensor<64x512xf32>
}

// -----

// CHECK-DAG: #NR = #tonno.knob<"NR" from pow2<16 to 128> default 32>
//     CHECK: func.func @one_slice
//     CHECK: linalg.mul {tonno.lowering_config = {workgroup = [#MR, #NR]}}
func.func @one_slice(%x: tensor<64x514xf32>, %y: tensor<64x514xf32>, %c: tensor<64x512xf32>) -> tensor<64x512xf32> {
  %a = tensor.extract_slice %x[0, 2] [64, 512] [1, 1] : tensor<64x514xf32> to tensor<64x512xf32>
  %b = tensor.extract_slice %y[0, 0] [64, 512] [1, 1] : tensor<64x514xf32> to tensor<64x512xf32>
  %r = linalg.mul ins(%a, %b : tensor<64x512xf32>, tensor<64x512xf32>) outs(%c : tensor<64x512xf32>) -> tensor<64x512xf32>
  return %r : tensor<64x512xf32>
}

// -----

// What the caller gets, and is larger than the second cache, may go past it;
// what another op reads stays in it.
// CHECK-DAG: #ST = #tonno.knob<"ST" from [0, 1] default 0>
//     CHECK: func.func @large
//     CHECK: linalg.reduce
// CHECK-SAME: {subgroup = [#MR, #KR]}
//     CHECK: linalg.mul {tonno.lowering_config = {stream = [0, #ST], workgroup = [#MR_1, #NR]}}
func.func @large(%x: tensor<512x300xf32>, %y: tensor<512x300xf32>, %c: tensor<512x300xf32>, %sums: tensor<512xf32>) -> (tensor<512xf32>, tensor<512x300xf32>) {
  %s = linalg.reduce {arith.addf} ins(%x : tensor<512x300xf32>) outs(%sums : tensor<512xf32>) dimensions = [1]
  %r = linalg.mul ins(%x, %y : tensor<512x300xf32>, tensor<512x300xf32>) outs(%c : tensor<512x300xf32>) -> tensor<512x300xf32>
  return %s, %r : tensor<512xf32>, tensor<512x300xf32>
}

// -----

// CHECK: func.func @large_transpose
// CHECK: linalg.transpose
// CHECK-SAME: {stream = [0, #ST], subgroup = [#MR, #NR], workgroup = [#BM, #BN]}
func.func @large_transpose(%x: tensor<512x300xf32>, %c: tensor<300x512xf32>) -> tensor<300x512xf32> {
  %r = linalg.transpose ins(%x : tensor<512x300xf32>) outs(%c : tensor<300x512xf32>) permutation = [1, 0]
  return %r : tensor<300x512xf32>
}

// -----

// CHECK: func.func @read_again
// CHECK-NOT: stream
// CHECK: return
func.func @read_again(%x: tensor<512x300xf32>, %c: tensor<512x300xf32>) -> (tensor<512x300xf32>, tensor<512x300xf32>) {
  %r = linalg.exp ins(%x : tensor<512x300xf32>) outs(%c : tensor<512x300xf32>) -> tensor<512x300xf32>
  return %r, %r : tensor<512x300xf32>, tensor<512x300xf32>
}

// -----

// So may what is a sum of few terms; channels that have nothing to share are
// read by whole rows of them.
// CHECK-DAG: #NR = #tonno.knob<"NR" from pow2<16 to 128> default 32>
// CHECK-DAG: #ST = #tonno.knob<"ST" from [0, 1] default 0>
//     CHECK: func.func @large_filter
//     CHECK: {stream = [0, 0, 0, #ST, 0, 0], subgroup = [1, 1, #MR, #NR, 1, 1], workgroup = [1, 1, #BM, 0, 0, 0]}
func.func @large_filter(%x: tensor<1x66x66x128xf32>, %k: tensor<3x3x128xf32>, %c: tensor<1x64x64x128xf32>) -> tensor<1x64x64x128xf32> {
  %r = linalg.depthwise_conv_2d_nhwc_hwc ins(%x, %k : tensor<1x66x66x128xf32>, tensor<3x3x128xf32>) outs(%c : tensor<1x64x64x128xf32>) -> tensor<1x64x64x128xf32>
  return %r : tensor<1x64x64x128xf32>
}

// -----

// CHECK: func.func @large_product
// CHECK: linalg.matmul {tonno.lowering_config = {{.*}}stream = [0, #ST, 0],
func.func @large_product(%a: tensor<512x32xf32>, %b: tensor<32x512xf32>, %c: tensor<512x512xf32>) -> tensor<512x512xf32> {
  %r = linalg.matmul ins(%a, %b : tensor<512x32xf32>, tensor<32x512xf32>) outs(%c : tensor<512x512xf32>) -> tensor<512x512xf32>
  return %r : tensor<512x512xf32>
}

// -----

// CHECK: func.func @many_terms
// CHECK-NOT: stream
// CHECK: return
func.func @many_terms(%a: tensor<512x256xf32>, %b: tensor<256x512xf32>, %c: tensor<512x512xf32>) -> tensor<512x512xf32> {
  %r = linalg.matmul ins(%a, %b : tensor<512x256xf32>, tensor<256x512xf32>) outs(%c : tensor<512x512xf32>) -> tensor<512x512xf32>
  return %r : tensor<512x512xf32>
}

// -----

// Rows of a convolution that is followed by other ops are computed together:
// all of them where the filter does not stay in the second-level cache.
// CHECK:       #FM = #tonno.knob<"FM" from pow2<1 to 64> default 16>
// CHECK:       #FM_1 = #tonno.knob<"FM_1" from pow2<1 to 32> default 32>
// CHECK-LABEL: func.func @convolution_and_bias(
// CHECK: linalg.conv_2d_nhwc_hwcf
// CHECK: linalg.add {tonno.lowering_config = {fuse = [1, #FM, 0, 0]
// CHECK: linalg.conv_2d_nhwc_hwcf
// CHECK: linalg.add {tonno.lowering_config = {fuse = [1, #FM_1, 0, 0]
func.func @convolution_and_bias(%x: tensor<1x30x30x64xf32>, %w: tensor<3x3x64x512xf32>, %b: tensor<1x28x28x512xf32>, %y: tensor<1x66x66x16xf32>, %v: tensor<3x3x16x32xf32>, %c: tensor<1x64x64x32xf32>) -> (tensor<1x28x28x512xf32>, tensor<1x64x64x32xf32>) {
  %zero = arith.constant 0.0 : f32
  %e0 = tensor.empty() : tensor<1x64x64x32xf32>
  %f0 = linalg.fill ins(%zero : f32) outs(%e0 : tensor<1x64x64x32xf32>) -> tensor<1x64x64x32xf32>
  %small = linalg.conv_2d_nhwc_hwcf ins(%y, %v : tensor<1x66x66x16xf32>, tensor<3x3x16x32xf32>) outs(%f0 : tensor<1x64x64x32xf32>) -> tensor<1x64x64x32xf32>
  %r0 = linalg.add ins(%small, %c : tensor<1x64x64x32xf32>, tensor<1x64x64x32xf32>) outs(%e0 : tensor<1x64x64x32xf32>) -> tensor<1x64x64x32xf32>
  %e1 = tensor.empty() : tensor<1x28x28x512xf32>
  %f1 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<1x28x28x512xf32>) -> tensor<1x28x28x512xf32>
  %large = linalg.conv_2d_nhwc_hwcf ins(%x, %w : tensor<1x30x30x64xf32>, tensor<3x3x64x512xf32>) outs(%f1 : tensor<1x28x28x512xf32>) -> tensor<1x28x28x512xf32>
  %r1 = linalg.add ins(%large, %b : tensor<1x28x28x512xf32>, tensor<1x28x28x512xf32>) outs(%e1 : tensor<1x28x28x512xf32>) -> tensor<1x28x28x512xf32>
  return %r1, %r0 : tensor<1x28x28x512xf32>, tensor<1x64x64x32xf32>
}

// -----

// So are rows of a product that is normalised: its matrix would be read again
// for each few of them.
// CHECK:       #FM = #tonno.knob<"FM" from pow2<1 to 64> default 8>
// CHECK:       #FM_1 = #tonno.knob<"FM_1" from pow2<1 to 64> default 64>
// CHECK-LABEL: func.func @product_and_norm(
// CHECK: linalg.softmax {tonno.lowering_config = {fuse = [#FM, 0]
// CHECK: linalg.softmax {tonno.lowering_config = {fuse = [#FM_1, 0]
func.func @product_and_norm(%x: tensor<64x64xf32>, %w: tensor<64x64xf32>, %y: tensor<64x1024xf32>, %v: tensor<1024x768xf32>) -> (tensor<64x64xf32>, tensor<64x768xf32>) {
  %zero = arith.constant 0.0 : f32
  %e0 = tensor.empty() : tensor<64x64xf32>
  %f0 = linalg.fill ins(%zero : f32) outs(%e0 : tensor<64x64xf32>) -> tensor<64x64xf32>
  %p0 = linalg.matmul ins(%x, %w : tensor<64x64xf32>, tensor<64x64xf32>) outs(%f0 : tensor<64x64xf32>) -> tensor<64x64xf32>
  %s0 = linalg.softmax dimension(1) ins(%p0 : tensor<64x64xf32>) outs(%e0 : tensor<64x64xf32>) -> tensor<64x64xf32>
  %e1 = tensor.empty() : tensor<64x768xf32>
  %f1 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<64x768xf32>) -> tensor<64x768xf32>
  %p1 = linalg.matmul ins(%y, %v : tensor<64x1024xf32>, tensor<1024x768xf32>) outs(%f1 : tensor<64x768xf32>) -> tensor<64x768xf32>
  %s1 = linalg.softmax dimension(1) ins(%p1 : tensor<64x768xf32>) outs(%e1 : tensor<64x768xf32>) -> tensor<64x768xf32>
  return %s0, %s1 : tensor<64x64xf32>, tensor<64x768xf32>
}

// -----

// A product of rows that another product makes: the matrices would be read
// again for each few rows. The first is computed by blocks, with the sum that
// follows it, and the norm's rows begin with the second.
// CHECK-LABEL: func.func @two_products(
// CHECK: linalg.matmul
// CHECK: linalg.exp {tonno.lowering_config = {fuse = [#BM, #BN]
// CHECK: linalg.matmul
// CHECK: linalg.softmax {tonno.lowering_config = {fuse = [#FM, 0]
func.func @two_products(%x: tensor<64x768xf32>, %w: tensor<768x1024xf32>, %v: tensor<1024x768xf32>) -> tensor<64x768xf32> {
  %zero = arith.constant 0.0 : f32
  %e0 = tensor.empty() : tensor<64x1024xf32>
  %f0 = linalg.fill ins(%zero : f32) outs(%e0 : tensor<64x1024xf32>) -> tensor<64x1024xf32>
  %p0 = linalg.matmul ins(%x, %w : tensor<64x768xf32>, tensor<768x1024xf32>) outs(%f0 : tensor<64x1024xf32>) -> tensor<64x1024xf32>
  %a0 = linalg.exp ins(%p0 : tensor<64x1024xf32>) outs(%e0 : tensor<64x1024xf32>) -> tensor<64x1024xf32>
  %e1 = tensor.empty() : tensor<64x768xf32>
  %f1 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<64x768xf32>) -> tensor<64x768xf32>
  %p1 = linalg.matmul ins(%a0, %v : tensor<64x1024xf32>, tensor<1024x768xf32>) outs(%f1 : tensor<64x768xf32>) -> tensor<64x768xf32>
  %s1 = linalg.softmax dimension(1) ins(%p1 : tensor<64x768xf32>) outs(%e1 : tensor<64x768xf32>) -> tensor<64x768xf32>
  return %s1 : tensor<64x768xf32>
}

// -----

// Matrices that stay in the cache: all rows together, a few at a time.
// CHECK-LABEL: func.func @two_small_products(
// CHECK-NOT: fuse
// CHECK: linalg.softmax {tonno.lowering_config = {fuse = [#FM, 0]
func.func @two_small_products(%x: tensor<64x64xf32>, %w: tensor<64x128xf32>, %v: tensor<128x64xf32>) -> tensor<64x64xf32> {
  %zero = arith.constant 0.0 : f32
  %e0 = tensor.empty() : tensor<64x128xf32>
  %f0 = linalg.fill ins(%zero : f32) outs(%e0 : tensor<64x128xf32>) -> tensor<64x128xf32>
  %p0 = linalg.matmul ins(%x, %w : tensor<64x64xf32>, tensor<64x128xf32>) outs(%f0 : tensor<64x128xf32>) -> tensor<64x128xf32>
  %a0 = linalg.exp ins(%p0 : tensor<64x128xf32>) outs(%e0 : tensor<64x128xf32>) -> tensor<64x128xf32>
  %e1 = tensor.empty() : tensor<64x64xf32>
  %f1 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<64x64xf32>) -> tensor<64x64xf32>
  %p1 = linalg.matmul ins(%a0, %v : tensor<64x128xf32>, tensor<128x64xf32>) outs(%f1 : tensor<64x64xf32>) -> tensor<64x64xf32>
  %s1 = linalg.softmax dimension(1) ins(%p1 : tensor<64x64xf32>) outs(%e1 : tensor<64x64xf32>) -> tensor<64x64xf32>
  return %s1 : tensor<64x64xf32>
}

// -----

// Constant matrices are packed at load, whatever the number of rows. One row
// needs no blocks.
// CHECK-DAG: #NR = #tonno.knob<"NR" from pow2<32 to 128> default 128>
// CHECK-DAG: #PB = #tonno.knob<"PB" from [0, 1] default 1>
// CHECK-DAG: #PB_1 = #tonno.knob<"PB_1" from [0, 1] default 1>
// CHECK-DAG: #PB_2 = #tonno.knob<"PB_2" from [0, 1] default 0>
// CHECK-LABEL: func.func @constant_matrices(
// CHECK: linalg.vecmat {tonno.lowering_config = {pack = [#PB, 0], subgroup = [#NR, 0]}}
// CHECK: linalg.matmul {{.*}}pack = [0, #PB_1, 0]
// CHECK: linalg.matmul {{.*}}pack = [0, #PB_2, 0]
func.func @constant_matrices(%x: tensor<512xf32>, %w: tensor<512x2048xf32> {tonno.constant}, %y: tensor<16x512xf32>, %v: tensor<512x2048xf32>, %a: tensor<2048xf32>, %b: tensor<16x2048xf32>) -> (tensor<2048xf32>, tensor<16x2048xf32>, tensor<16x2048xf32>) {
  %r = linalg.vecmat ins(%x, %w : tensor<512xf32>, tensor<512x2048xf32>) outs(%a : tensor<2048xf32>) -> tensor<2048xf32>
  %s = linalg.matmul ins(%y, %w : tensor<16x512xf32>, tensor<512x2048xf32>) outs(%b : tensor<16x2048xf32>) -> tensor<16x2048xf32>
  %t = linalg.matmul ins(%y, %v : tensor<16x512xf32>, tensor<512x2048xf32>) outs(%b : tensor<16x2048xf32>) -> tensor<16x2048xf32>
  return %r, %s, %t : tensor<2048xf32>, tensor<16x2048xf32>, tensor<16x2048xf32>
}

// -----

// A product of one batch, transposed: its blocks are those of the root, whose
// first loop goes over the product's rows.
// CHECK-LABEL: func.func @transposed_product(
//       CHECK: linalg.generic
//       CHECK: linalg.generic
//  CHECK-SAME: fuse = [#BM, 1, #BN]
func.func @transposed_product(%x: tensor<1x64x256xf32>, %w: tensor<256x2048xf32>) -> tensor<64x1x2048xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<1x64x2048xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<1x64x2048xf32>) -> tensor<1x64x2048xf32>
  %product = linalg.generic {
      indexing_maps = [affine_map<(b, m, n, k) -> (b, m, k)>, affine_map<(b, m, n, k) -> (k, n)>, affine_map<(b, m, n, k) -> (b, m, n)>],
      iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<1x64x256xf32>, tensor<256x2048xf32>) outs(%init : tensor<1x64x2048xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %c, %p : f32
    linalg.yield %s : f32
  } -> tensor<1x64x2048xf32>
  %turned = tensor.empty() : tensor<64x1x2048xf32>
  %r = linalg.generic {
      indexing_maps = [affine_map<(m, b, n) -> (b, m, n)>, affine_map<(m, b, n) -> (m, b, n)>],
      iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%product : tensor<1x64x2048xf32>) outs(%turned : tensor<64x1x2048xf32>) {
  ^bb0(%v: f32, %out: f32):
    linalg.yield %v : f32
  } -> tensor<64x1x2048xf32>
  return %r : tensor<64x1x2048xf32>
}

// -----

// A product that reads a matrix beyond the second cache, and a sum of each row:
// by as many rows as take half of the cache. They are those of the inner loop
// that has some, whatever unit loops follow.
// CHECK-DAG: #FM = #tonno.knob<"FM" from pow2<1 to 128> default 128>
// CHECK-LABEL: func.func @rows_of_product(
//       CHECK: fuse = [#FM, 1, 0]
func.func @rows_of_product(%x: tensor<128x1x1024xf32>, %w: tensor<1024x384xf32>) -> tensor<128x1x384xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<128x1x384xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<128x1x384xf32>) -> tensor<128x1x384xf32>
  %product = linalg.generic {
      indexing_maps = [affine_map<(m, b, n, k) -> (m, b, k)>, affine_map<(m, b, n, k) -> (k, n)>, affine_map<(m, b, n, k) -> (m, b, n)>],
      iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<128x1x1024xf32>, tensor<1024x384xf32>) outs(%init : tensor<128x1x384xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %c, %p : f32
    linalg.yield %s : f32
  } -> tensor<128x1x384xf32>
  %row = tensor.empty() : tensor<128x1xf32>
  %none = linalg.fill ins(%zero : f32) outs(%row : tensor<128x1xf32>) -> tensor<128x1xf32>
  %sum = linalg.generic {
      indexing_maps = [affine_map<(m, b, n) -> (m, b, n)>, affine_map<(m, b, n) -> (m, b)>],
      iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%product : tensor<128x1x384xf32>) outs(%none : tensor<128x1xf32>) {
  ^bb0(%v: f32, %acc: f32):
    %s = arith.addf %acc, %v : f32
    linalg.yield %s : f32
  } -> tensor<128x1xf32>
  %r = linalg.generic {
      indexing_maps = [affine_map<(m, b, n) -> (m, b, n)>, affine_map<(m, b, n) -> (m, b)>, affine_map<(m, b, n) -> (m, b, n)>],
      iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%product, %sum : tensor<128x1x384xf32>, tensor<128x1xf32>) outs(%empty : tensor<128x1x384xf32>) {
  ^bb0(%v: f32, %s: f32, %out: f32):
    %d = arith.divf %v, %s : f32
    linalg.yield %d : f32
  } -> tensor<128x1x384xf32>
  return %r : tensor<128x1x384xf32>
}

// -----

// The filter of a convolution in bf16 is packed in pairs of channels where there
// is an instruction for them.
// CHECK-DAG: #PB = #tonno.knob<"PB" from [0, 1] default 1>
//     CHECK: func.func @convolution_bf16
//     CHECK: linalg.conv_2d_nhwc_hwcf {tonno.lowering_config = {pack = [0, 0, 0, #PB, 0, 0, 2],
// AVX2-LABEL: func.func @convolution_bf16
//  AVX2-NOT: pack
//      AVX2: return
// SSE-LABEL: func.func @convolution_bf16
//   SSE-NOT: pack
//       SSE: return
func.func @convolution_bf16(%x: tensor<1x10x10x8xbf16>, %f: tensor<3x3x8x32xbf16>, %y: tensor<1x8x8x32xbf16>) -> tensor<1x8x8x32xbf16> {
  %r = linalg.conv_2d_nhwc_hwcf
      ins(%x, %f : tensor<1x10x10x8xbf16>, tensor<3x3x8x32xbf16>) outs(%y : tensor<1x8x8x32xbf16>) -> tensor<1x8x8x32xbf16>
  return %r : tensor<1x8x8x32xbf16>
}

// -----

// Attention with a transposed matrix: that copy serves as many rows as half of
// the cache takes.
// CHECK-DAG: #FM = #tonno.knob<"FM" from pow2<4 to 512> default 128>
//     CHECK: func.func @attention_copied
#q = affine_map<(i, j, k) -> (i, k)>
#t = affine_map<(i, j, k) -> (j, k)>
#s = affine_map<(i, j, k) -> (i, j)>
func.func @attention_copied(%q: tensor<512x64xf32>, %k: tensor<512x64xf32>, %v: tensor<512x64xf32>) -> tensor<512x64xf32> {
  %zero = arith.constant 0.0 : f32
  %square = tensor.empty() : tensor<512x512xf32>
  %out = tensor.empty() : tensor<512x64xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%square : tensor<512x512xf32>) -> tensor<512x512xf32>
  %scores = linalg.matmul indexing_maps = [#q, #t, #s] ins(%q, %k : tensor<512x64xf32>, tensor<512x64xf32>) outs(%s0 : tensor<512x512xf32>) -> tensor<512x512xf32>
  %p = linalg.softmax dimension(1) ins(%scores : tensor<512x512xf32>) outs(%square : tensor<512x512xf32>) -> tensor<512x512xf32>
  %o0 = linalg.fill ins(%zero : f32) outs(%out : tensor<512x64xf32>) -> tensor<512x64xf32>
  %r = linalg.matmul ins(%p, %v : tensor<512x512xf32>, tensor<512x64xf32>) outs(%o0 : tensor<512x64xf32>) -> tensor<512x64xf32>
  return %r : tensor<512x64xf32>
}

// -----

// A matrix of bf16 is summed up by several rows at a time, in registers.
// CHECK-DAG: #KR = #tonno.knob<"KR" from pow2<1 to 16> default 4>
// CHECK-DAG: #NR = #tonno.knob<"NR" from pow2<16 to 32> default 32>
//     CHECK: func.func @vector_product_bf16
//     CHECK: linalg.matmul {tonno.lowering_config = {reduction = [0, 0, #KR], subgroup = [1, #NR, #KR], workgroup = [1, 0, 0]}}
func.func @vector_product_bf16(%a: tensor<1x512xbf16>, %b: tensor<512x256xbf16>, %c: tensor<1x256xbf16>) -> tensor<1x256xbf16> {
  %r = linalg.matmul ins(%a, %b : tensor<1x512xbf16>, tensor<512x256xbf16>) outs(%c : tensor<1x256xbf16>) -> tensor<1x256xbf16>
  return %r : tensor<1x256xbf16>
}

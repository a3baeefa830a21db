// RUN: tonno-opt %s -split-input-file --tonno-annotate="target=nvptx chip=sm_90" | FileCheck %s
// RUN: tonno-opt %s -split-input-file --tonno-annotate="target=amdgpu chip=gfx942" | FileCheck %s --check-prefix=CDNA

// A second run, even for another chip, finds nothing to do.
// RUN: tonno-opt %s -split-input-file --tonno-annotate="target=nvptx chip=sm_90" -o %t.once
// RUN: tonno-opt %t.once -split-input-file --tonno-annotate="target=amdgpu chip=gfx1100" -o %t.twice
// RUN: diff %t.once %t.twice

// A matrix product. Its default has enough workgroups for the whole chip, as
// many threads as keep a compute unit's partitions busy, and 16 points or more
// for each.
// CHECK-DAG: #BK = #tonno.knob<"BK" from pow2<4 to 64> default 16>
// CHECK-DAG: #BM = #tonno.knob<"BM" from pow2<16 to 256> default 64>
// CHECK-DAG: #BN = #tonno.knob<"BN" from pow2<16 to 256> default 64>
// CHECK-DAG: #TM = #tonno.knob<"TM" from pow2<1 to 16> default 4>
// CHECK-DAG: #TN = #tonno.knob<"TN" from pow2<1 to 16> default 8>
//     CHECK: func.func @matmul
// CHECK-SAME: tonno.constraints = [
// CHECK-SAME: #tonno.constraint<"BK * ((BM + BN) * 4 + 32) <= 49152">,
// CHECK-SAME: #tonno.constraint<"BM * BN floordiv (TM * TN) <= 1024">,
// CHECK-SAME: #tonno.constraint<"BM * BN floordiv (TM * TN) >= 32">,
// CHECK-SAME: #tonno.constraint<"BK * ((BM + BN) * 4) floordiv 4 + (TM * TN + TM + TN + 40) * (BM * BN floordiv (TM * TN)) <= 255 * (BM * BN floordiv (TM * TN))">,
// CHECK-SAME: #tonno.constraint<"BK * ((BM + BN) * 4) floordiv 4 + (TM * TN + TM + TN + 40) * (BM * BN floordiv (TM * TN)) <= 65536">]
//     CHECK: linalg.matmul {tonno.lowering_config = {per_unit = #PER_UNIT, reduction = [0, 0, #BK], thread = [#TM, #TN, 0], workgroup = [#BM, #BN, 0]}}
// CDNA-DAG: #TM = #tonno.knob<"TM" from pow2<1 to 16> default 4>
// CDNA-DAG: #TN = #tonno.knob<"TN" from pow2<1 to 16> default 4>
//     CDNA: func.func @matmul
// CDNA-SAME: "BK * ((BM + BN) * 4 + 32) <= 65536"
// CDNA-SAME: "BM * BN floordiv (TM * TN) >= 64"
// CDNA-SAME: <= 131072
func.func @matmul(%a: tensor<1024x1024xf32>, %b: tensor<1024x1024xf32>, %c: tensor<1024x1024xf32>) -> tensor<1024x1024xf32> {
  %r = linalg.matmul ins(%a, %b : tensor<1024x1024xf32>, tensor<1024x1024xf32>) outs(%c : tensor<1024x1024xf32>) -> tensor<1024x1024xf32>
  return %r : tensor<1024x1024xf32>
}

// -----

// One product after another, of wider elements: two registers for each sum, and
// less of what is summed up at a time. No option exceeds what covers the op.
// CHECK-DAG: #BK = #tonno.knob<"BK" from pow2<2 to 32> default 8>
// CHECK-DAG: #BN = #tonno.knob<"BN" from pow2<16 to 128> default 32>
//     CHECK: func.func @batch_f64
// CHECK-SAME: "BK * ((BM + BN) * 8 + 32) <= 49152"
// CHECK-SAME: (TM * TN * 2 + TM + TN + 40)
//     CHECK: linalg.batch_matmul {tonno.lowering_config = {per_unit = #PER_UNIT, reduction = [0, 0, 0, #BK], thread = [1, #TM, #TN, 0], workgroup = [1, #BM, #BN, 0]}}
func.func @batch_f64(%a: tensor<8x300x20xf64>, %b: tensor<8x20x70xf64>, %c: tensor<8x300x70xf64>) -> tensor<8x300x70xf64> {
  %r = linalg.batch_matmul ins(%a, %b : tensor<8x300x20xf64>, tensor<8x20x70xf64>) outs(%c : tensor<8x300x70xf64>) -> tensor<8x300x70xf64>
  return %r : tensor<8x300x70xf64>
}

// -----

// The columns of the result, which lie side by side, are the first operand's.
// CHECK-DAG: #BM = #tonno.knob<"BM" from pow2<16 to 256> default 32>
// CHECK-DAG: #BN = #tonno.knob<"BN" from pow2<16 to 128> default 64>
//     CHECK: linalg.generic
// CHECK-SAME: {per_unit = #PER_UNIT, reduction = [0, 0, #BK], thread = [#TN, #TM, 0], workgroup = [#BN, #BM, 0]}
#lhs = affine_map<(m, n, k) -> (m, k)>
#rhs = affine_map<(m, n, k) -> (k, n)>
#out = affine_map<(m, n, k) -> (n, m)>
func.func @turned_product(%a: tensor<100x64xf32>, %b: tensor<64x4096xf32>, %c: tensor<4096x100xf32>) -> tensor<4096x100xf32> {
  %r = linalg.generic {indexing_maps = [#lhs, #rhs, #out], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<100x64xf32>, tensor<64x4096xf32>) outs(%c : tensor<4096x100xf32>) {
  ^bb0(%x: f32, %y: f32, %s: f32):
    %p = arith.mulf %x, %y : f32
    %q = arith.addf %s, %p : f32
    linalg.yield %q : f32
  } -> tensor<4096x100xf32>
  return %r : tensor<4096x100xf32>
}

// -----

// Bytes that can't be loaded side by side have a register each on their way.
// They are unsigned: matrix units multiply signed ones.
// CHECK-LABEL: func.func @unaligned
// CHECK-SAME: "BK * ((BM + BN) * 1 + 32) <= 49152"
// CHECK-SAME: "BK * ((BM + BN) * 4) floordiv 4 +
func.func @unaligned(%a: tensor<64x90xi8>, %b: tensor<90x72xi8>, %c: tensor<64x72xi32>) -> tensor<64x72xi32> {
  %r = linalg.matmul {cast = #linalg.type_fn<cast_unsigned>} ins(%a, %b : tensor<64x90xi8>, tensor<90x72xi8>) outs(%c : tensor<64x72xi32>) -> tensor<64x72xi32>
  return %r : tensor<64x72xi32>
}

// -----

// 16 bytes of a row for each thread, and rows where one is too short; an element
// for each thread where there are few.
// CHECK-DAG: #[[BM:.+]] = #tonno.knob<"BM" from pow2<1 to 64> default 2>
// CHECK-DAG: #[[SHORT:.+]] = #tonno.knob<"BM" from pow2<1 to 128> default 128>
// CHECK-DAG: #[[BN:.+]] = #tonno.knob<"BN" from pow2<32 to 512> default 512>
// CHECK-DAG: #[[TN:.+]] = #tonno.knob<"TN" from pow2<1 to 8> default 4>
// CHECK-DAG: #[[I8:.+]] = #tonno.knob<"TN" from pow2<1 to 32> default 1>
// CHECK-DAG: #[[FEW:.+]] = #tonno.knob<"BN" from pow2<32 to 512> default 32>
//     CHECK: func.func @elementwise
// CHECK-SAME: "TM <= BM"
// CHECK-SAME: "BM * BN floordiv (TM * TN) <= 1024"
// CHECK-SAME: "TM * TN * 2 + 40 <= 255"
// CHECK-SAME: "(TM * TN * 2 + 40) * (BM * BN floordiv (TM * TN)) <= 65536"
//     CHECK: linalg.exp {tonno.lowering_config = {thread = [1, #TM, #[[TN]]], workgroup = [1, #[[BM]], #[[BN]]]}}
//     CHECK: linalg.exp {tonno.lowering_config = {thread = [#TM, 1, #{{.+}}], workgroup = [#[[SHORT]], 1, 4]}}
//     CHECK: func.func @one_loop
// CHECK-SAME: "BN floordiv TN <= 1024"
//     CHECK: linalg.add {tonno.lowering_config = {thread = [#[[I8]]], workgroup = [#[[FEW]]]}}
func.func @elementwise(%x: tensor<8x64x500xf32>) -> tensor<8x64x500xf32> {
  %e = tensor.empty() : tensor<8x64x500xf32>
  %r = linalg.exp ins(%x : tensor<8x64x500xf32>) outs(%e : tensor<8x64x500xf32>) -> tensor<8x64x500xf32>
  return %r : tensor<8x64x500xf32>
}
func.func @short_rows(%x: tensor<5000x8x3xf32>) -> tensor<5000x8x3xf32> {
  %e = tensor.empty() : tensor<5000x8x3xf32>
  %r = linalg.exp ins(%x : tensor<5000x8x3xf32>) outs(%e : tensor<5000x8x3xf32>) -> tensor<5000x8x3xf32>
  return %r : tensor<5000x8x3xf32>
}
func.func @one_loop(%x: tensor<500xi8>) -> tensor<500xi8> {
  %e = tensor.empty() : tensor<500xi8>
  %r = linalg.add ins(%x, %x : tensor<500xi8>, tensor<500xi8>) outs(%e : tensor<500xi8>) -> tensor<500xi8>
  return %r : tensor<500xi8>
}

// -----

// Squares through shared memory, with a row's padding.
// CHECK-DAG: #BM = #tonno.knob<"BM" from pow2<16 to 128> default 64>
// CHECK-DAG: #BN = #tonno.knob<"BN" from pow2<16 to 128> default 64>
// CHECK-DAG: #TM = #tonno.knob<"TM" from pow2<1 to 16> default 16>
// CHECK-DAG: #TN = #tonno.knob<"TN" from pow2<1 to 8> default 1>
//     CHECK: func.func @transpose
// CHECK-SAME: "BM * (BN + 1) * 4 <= 49152"
//     CHECK: linalg.transpose
// CHECK-SAME: {thread = [#TM, #TN], workgroup = [#BM, #BN]}
func.func @transpose(%x: tensor<4096x1024xf32>) -> tensor<1024x4096xf32> {
  %e = tensor.empty() : tensor<1024x4096xf32>
  %r = linalg.transpose ins(%x : tensor<4096x1024xf32>) outs(%e : tensor<1024x4096xf32>) permutation = [1, 0]
  return %r : tensor<1024x4096xf32>
}

// -----

// A subgroup for each row; all of a workgroup where there are few.
// CHECK-DAG: #BK = #tonno.knob<"BK" from pow2<32 to 1024> default 128>
// CHECK-DAG: #BM = #tonno.knob<"BM" from pow2<1 to 32> default 8>
// CHECK-DAG: #TK = #tonno.knob<"TK" from pow2<1 to 16> default 4>
// CHECK-DAG: #TM = #tonno.knob<"TM" from pow2<1 to 4> default 1>
//     CHECK: func.func @row_sum
// CHECK-SAME: "BM * (BK floordiv TK) * 4 <= 49152"
//     CHECK: linalg.reduce
// CHECK-SAME: {reduction = [0, #BK], thread = [#TM, #TK], workgroup = [#BM, 0]}
// CDNA-DAG: #BK = #tonno.knob<"BK" from pow2<32 to 1024> default 256>
//     CDNA: func.func @row_sum
func.func @row_sum(%x: tensor<4096x1024xf32>, %c: tensor<4096xf32>) -> tensor<4096xf32> {
  %r = linalg.reduce { arith.addf } ins(%x : tensor<4096x1024xf32>) outs(%c : tensor<4096xf32>) dimensions = [1]
  return %r : tensor<4096xf32>
}

// -----

// CHECK-DAG: #BK = #tonno.knob<"BK" from pow2<32 to 8192> default 4096>
// CHECK-DAG: #BM = #tonno.knob<"BM" from pow2<1 to 2> default 1>
//     CHECK: func.func @few_rows
func.func @few_rows(%x: tensor<2x100000xf32>, %c: tensor<2xf32>) -> tensor<2xf32> {
  %r = linalg.reduce { arith.addf } ins(%x : tensor<2x100000xf32>) outs(%c : tensor<2xf32>) dimensions = [1]
  return %r : tensor<2xf32>
}

// -----

// Columns: some side by side, whose parts the threads sum up; of these two,
// so that there are enough workgroups.
// CHECK-DAG: #BK = #tonno.knob<"BK" from pow2<4 to 512> default 256>
// CHECK-DAG: #BN = #tonno.knob<"BN" from pow2<4 to 1024> default 8>
// CHECK-DAG: #TK = #tonno.knob<"TK" from pow2<1 to 16> default 4>
// CHECK-DAG: #TN = #tonno.knob<"TN" from pow2<1 to 8> default 4>
//     CHECK: func.func @column_sum
//     CHECK: linalg.reduce
// CHECK-SAME: {reduction = [#BK, 0], split = #SPLIT, thread = [#TK, #TN], workgroup = [0, #BN]}
func.func @column_sum(%x: tensor<4096x1024xf32>, %c: tensor<1024xf32>) -> tensor<1024xf32> {
  %r = linalg.reduce { arith.addf } ins(%x : tensor<4096x1024xf32>) outs(%c : tensor<1024xf32>) dimensions = [0]
  return %r : tensor<1024xf32>
}

// -----

// Two sums for each row, of no more than there is: 512 of 1000.
// CHECK-DAG: #BK = #tonno.knob<"BK" from pow2<32 to 512> default 128>
//     CHECK: func.func @softmax
// CHECK-SAME: "BM * (BK floordiv TK) * 8 <= 49152"
//     CHECK: linalg.softmax {tonno.lowering_config = {reduction = [0, 0, #BK], thread = [1, #TM, #TK], workgroup = [1, #BM, 0]}}
func.func @softmax(%x: tensor<16x4096x1000xf32>) -> tensor<16x4096x1000xf32> {
  %e = tensor.empty() : tensor<16x4096x1000xf32>
  %r = linalg.softmax dimension(2) ins(%x : tensor<16x4096x1000xf32>) outs(%e : tensor<16x4096x1000xf32>) -> tensor<16x4096x1000xf32>
  return %r : tensor<16x4096x1000xf32>
}

// -----

// Names that are taken: by the user, here and in what is called, and by the
// launch before. The user's constraints stay.
//     CHECK: func.func @names
// CHECK-SAME: tonno.constraints = [#tonno.constraint<"BM < 9">, #tonno.constraint<"TM <= BM_1">
// CHECK-SAME: "BM_2 * BN_1 floordiv (TM_1 * TN_2) <= 1024"
//     CHECK: linalg.exp {tonno.lowering_config = {thread = [#TM, #TN], workgroup = [#BM_1, #BN]}}
//     CHECK: linalg.transpose
// CHECK-SAME: {thread = [#TM_1, #TN_2], workgroup = [#BM_2, #BN_1]}
func.func private @callee() attributes {x.k = #tonno.knob<"TN_1" from [1, 2]>}
func.func @names(%x: tensor<64x500xf32>) -> tensor<500x64xf32>
    attributes {x.k = #tonno.knob<"BM" from [1, 2]>, tonno.constraints = [#tonno.constraint<"BM < 9">]} {
  func.call @callee() : () -> ()
  %e = tensor.empty() : tensor<64x500xf32>
  %r = linalg.exp ins(%x : tensor<64x500xf32>) outs(%e : tensor<64x500xf32>) -> tensor<64x500xf32>
  %f = tensor.empty() : tensor<500x64xf32>
  %s = linalg.transpose ins(%r : tensor<64x500xf32>) outs(%f : tensor<500x64xf32>) permutation = [1, 0]
  return %s : tensor<500x64xf32>
}

// -----

// What is left alone: see the pass's description.
// CHECK-NOT: #tonno.knob
// An op of the launch is configured.
func.func @configured(%x: tensor<64x64xf32>) -> tensor<64x64xf32> {
  // CHECK: linalg.exp ins
  // CHECK: linalg.add {tonno.lowering_config = {}}
  %e = tensor.empty() : tensor<64x64xf32>
  %r = linalg.exp ins(%x : tensor<64x64xf32>) outs(%e : tensor<64x64xf32>) -> tensor<64x64xf32>
  %s = linalg.add {tonno.lowering_config = {}} ins(%r, %x : tensor<64x64xf32>, tensor<64x64xf32>) outs(%e : tensor<64x64xf32>) -> tensor<64x64xf32>
  return %s : tensor<64x64xf32>
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
func.func @one_point(%x: tensor<1x1xf32>, %c: tensor<1x1xf32>) -> tensor<1x1xf32> {
  %r = linalg.exp ins(%x : tensor<1x1xf32>) outs(%c : tensor<1x1xf32>) -> tensor<1x1xf32>
  return %r : tensor<1x1xf32>
}
func.func @no_loop(%x: tensor<f32>, %c: tensor<f32>) -> tensor<f32> {
  %r = linalg.exp ins(%x : tensor<f32>) outs(%c : tensor<f32>) -> tensor<f32>
  return %r : tensor<f32>
}
func.func @by_depth(%x: tensor<1x34x34x8xf32>, %k: tensor<3x3x8xf32>, %c: tensor<1x32x32x8xf32>) -> tensor<1x32x32x8xf32> {
  %r = linalg.depthwise_conv_2d_nhwc_hwc ins(%x, %k : tensor<1x34x34x8xf32>, tensor<3x3x8xf32>) outs(%c : tensor<1x32x32x8xf32>) -> tensor<1x32x32x8xf32>
  return %r : tensor<1x32x32x8xf32>
}
func.func @moved_window(%x: tensor<9x34x34x8xf32>, %i: index, %k: tensor<3x3x8x16xf32>, %c: tensor<1x32x32x16xf32>) -> tensor<1x32x32x16xf32> {
  %one = tensor.extract_slice %x[%i, 0, 0, 0] [1, 34, 34, 8] [1, 1, 1, 1] : tensor<9x34x34x8xf32> to tensor<1x34x34x8xf32>
  %r = linalg.conv_2d_nhwc_hwcf ins(%one, %k : tensor<1x34x34x8xf32>, tensor<3x3x8x16xf32>) outs(%c : tensor<1x32x32x16xf32>) -> tensor<1x32x32x16xf32>
  return %r : tensor<1x32x32x16xf32>
}
func.func @in_a_loop(%x: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %ten = arith.constant 10 : index
  %r = scf.for %i = %zero to %ten step %one iter_args(%v = %x) -> tensor<64x64xf32> {
    %e = tensor.empty() : tensor<64x64xf32>
    %s = linalg.exp ins(%v : tensor<64x64xf32>) outs(%e : tensor<64x64xf32>) -> tensor<64x64xf32>
    scf.yield %s : tensor<64x64xf32>
  }
  return %r : tensor<64x64xf32>
}
#all = affine_map<(i) -> (i)>
#one = affine_map<(i) -> ()>
func.func @gather(%at: tensor<64xindex>, %x: tensor<64xf32>, %c: tensor<64xf32>) -> tensor<64xf32> {
  %r = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel"]}
      ins(%at : tensor<64xindex>) outs(%c : tensor<64xf32>) {
  ^bb0(%i: index, %o: f32):
    %e = tensor.extract %x[%i] : tensor<64xf32>
    linalg.yield %e : f32
  } -> tensor<64xf32>
  return %r : tensor<64xf32>
}
func.func @two_results(%x: tensor<64xf32>, %c: tensor<f32>, %d: tensor<f32>) -> (tensor<f32>, tensor<f32>) {
  %r:2 = linalg.generic {indexing_maps = [#all, #one, #one], iterator_types = ["reduction"]}
      ins(%x : tensor<64xf32>) outs(%c, %d : tensor<f32>, tensor<f32>) {
  ^bb0(%a: f32, %s: f32, %m: f32):
    %t = arith.addf %a, %s : f32
    %n = arith.maximumf %a, %m : f32
    linalg.yield %t, %n : f32, f32
  } -> (tensor<f32>, tensor<f32>)
  return %r#0, %r#1 : tensor<f32>, tensor<f32>
}
func.func @two_loops(%x: tensor<64x64xf32>, %c: tensor<f32>) -> tensor<f32> {
  %r = linalg.reduce { arith.addf } ins(%x : tensor<64x64xf32>) outs(%c : tensor<f32>) dimensions = [0, 1]
  return %r : tensor<f32>
}
module @schedules attributes {transform.with_named_sequence} {
  transform.named_sequence @schedule(%root: !transform.any_op {transform.readonly}) {
    transform.yield
  }
}

// -----

// Where columns don't lie side by side in 16 bytes, each thread reduces one:
// more would read what is apart, and spill the addresses of it.
// CHECK-DAG: #BK = #tonno.knob<"BK" from pow2<4 to 512> default 64>
// CHECK-DAG: #BN = #tonno.knob<"BN" from pow2<8 to 1024> default 16>
// CHECK-DAG: #TN = #tonno.knob<"TN" from pow2<1 to 16> default 1>
//     CHECK: func.func @odd_columns
func.func @odd_columns(%x: tensor<999x1001xbf16>, %sum: tensor<1001xf32>) -> tensor<1001xf32> {
  %r = linalg.reduce ins(%x : tensor<999x1001xbf16>) outs(%sum : tensor<1001xf32>) dimensions = [0]
    (%a: bf16, %s: f32) {
      %w = arith.extf %a : bf16 to f32
      %n = arith.addf %s, %w : f32
      linalg.yield %n : f32
    }
  return %r : tensor<1001xf32>
}

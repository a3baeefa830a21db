// RUN: tonno-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(tonno-map-to-gpu{chip=sm_90a},canonicalize,cse))' | FileCheck %s

// Two warpgroups. Of four stages, two are on their way, and one may still be
// read by the products of the step before. The left factor's rows run along k,
// the right one's along n: in two parts of 64 columns. Descriptors have groups
// of 8 rows of 128 bytes, and parts of 64 rows: 0x4000004000010000 and
// 0x4000004002000000.
// CHECK-LABEL: func.func @in_flight
// CHECK-SAME: %[[LHS:[a-z0-9]*]]: memref<128x512xf16>, %[[RHS:[a-z0-9]*]]: memref<512x128xf16>
// CHECK-DAG: %[[ROWS:.*]] = arith.constant 4611686293305360384 : i64
// CHECK-DAG: %[[COLUMNS:.*]] = arith.constant 4611686293338849280 : i64
// CHECK: gpu.launch {{.*}} threads({{.*}}) in (%{{.*}} = %c256
// CHECK-SAME: dynamic_shared_memory_size %c131072
// CHECK: %[[ALL:.*]] = gpu.dynamic_shared_memory
// CHECK: %[[A:.*]] = memref.view %[[ALL]][%c0][] {{.*}} to memref<512x64xf16,
// CHECK: %[[B:.*]] = memref.view %[[ALL]][%c65536][] {{.*}} to memref<512x64xf16,
// CHECK: nvvm.cp.async.commit.group
// CHECK: nvvm.cp.async.commit.group
// CHECK-NOT: nvvm.cp.async.commit.group
// CHECK: scf.for %[[STEP:.*]] = %c0 to %c8
// CHECK-NEXT: nvvm.cp.async.wait.group 1
// CHECK-NEXT: nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cta>}
// CHECK-NEXT: gpu.barrier
// CHECK: arith.remui %[[STEP]], %c4
// CHECK: memref.extract_aligned_pointer_as_index %[[A]]
// CHECK: %[[L:.*]] = arith.ori %{{.*}}, %[[ROWS]] : i64
// CHECK: memref.extract_aligned_pointer_as_index %[[B]]
// CHECK: %[[R:.*]] = arith.ori %{{.*}}, %[[COLUMNS]] : i64
// CHECK: nvvm.wgmma.fence.aligned
// CHECK: %[[P0:.*]] = nvvm.wgmma.mma_async %[[L]], %[[R]], %{{.*}}, <m = 64, n = 128, k = 16>, D[<f32>, <one>], A[<f16>, <one>, <row>], B[<f16>, <one>, <row>]
// CHECK: %[[L1:.*]] = arith.addi %[[L]], %c2_i64
// CHECK: %[[R1:.*]] = arith.addi %[[R]], %c128_i64
// CHECK: %[[P1:.*]] = nvvm.wgmma.mma_async %[[L1]], %[[R1]], %[[P0]]
// CHECK-COUNT-2: nvvm.wgmma.mma_async
// CHECK-NEXT: nvvm.wgmma.commit.group.sync.aligned
// CHECK-NEXT: %[[NEXT:.*]] = arith.addi %[[STEP]], %c2
// CHECK: arith.remui %[[NEXT]], %c4
// CHECK: nvgpu.device_async_copy
// CHECK: nvvm.cp.async.commit.group
// CHECK-NEXT: nvvm.wgmma.wait.group.sync.aligned 1
// CHECK-NOT: gpu.barrier
// CHECK: scf.yield
// CHECK: nvvm.wgmma.wait.group.sync.aligned 0
// CHECK-NEXT: llvm.inline_asm has_side_effects {{.*}}"", "=f,=f,
// CHECK-COUNT-32: vector.store {{.*}} : memref<128x128xf32>, vector<2xf32>
// CHECK: gpu.terminator
func.func @in_flight(%a: memref<128x512xf16>, %b: memref<512x128xf16>, %c: memref<128x128xf32>)
    attributes {tonno.buffers = [{alignment = 64 : i64, type = memref<128x512xf16>}, {alignment = 64 : i64, type = memref<512x128xf16>}, {alignment = 64 : i64, type = memref<128x128xf32>}]} {
  linalg.matmul {tonno.lowering_config = {instruction = "wgmma_64xNx16", workgroup = [128, 128, 0], subgroup = [64, 128, 0], reduction = [0, 0, 64], stages = 4, copy = "async"}}
      ins(%a, %b : memref<128x512xf16>, memref<512x128xf16>) outs(%c : memref<128x128xf32>)
  return
}

// -----

// Sums of f8 have few digits: those of a step begin at zero, and are added to
// the others by threads. Bytes can't be read from rows along n: the right
// factor is transposed in registers, and published before the barrier. 40
// columns are one instruction.
// CHECK-LABEL: func.func @short_sums
// CHECK-SAME: %{{.*}}: memref<64x256xf8E4M3FN>, %[[RHS:[a-z0-9]*]]: memref<256x40xf8E4M3FN>
// CHECK: gpu.launch
// CHECK: vector.load %[[RHS]]
// CHECK: nvvm.fence.proxy
// CHECK-NEXT: gpu.barrier
// CHECK: scf.for
// CHECK-NOT: gpu.barrier
// CHECK: nvvm.wgmma.fence.aligned
// CHECK: nvvm.wgmma.mma_async {{.*}}, <m = 64, n = 40, k = 32>, D[<f32>, <zero>], A[<e4m3>, <one>, <row>], B[<e4m3>, <one>, <col>]
// CHECK: nvvm.wgmma.mma_async {{.*}}, D[<f32>, <one>]
// CHECK: nvvm.wgmma.commit.group.sync.aligned
// CHECK: vector.load %[[RHS]]
// CHECK: nvvm.wgmma.wait.group.sync.aligned 0
// CHECK: llvm.inline_asm
// CHECK-COUNT-5: arith.addf {{.*}} : vector<4xf32>
// CHECK: nvvm.fence.proxy
// CHECK-NEXT: gpu.barrier
// CHECK-NEXT: scf.yield
// CHECK-NOT: nvvm.wgmma
// CHECK: gpu.terminator
func.func @short_sums(%a: memref<64x256xf8E4M3FN>, %b: memref<256x40xf8E4M3FN>, %c: memref<64x40xf32>)
    attributes {tonno.buffers = [{alignment = 64 : i64, type = memref<64x256xf8E4M3FN>}, {alignment = 64 : i64, type = memref<256x40xf8E4M3FN>}, {alignment = 64 : i64, type = memref<64x40xf32>}]} {
  linalg.matmul {tonno.lowering_config = {instruction = "wgmma_64xNx32", workgroup = [64, 40, 0], subgroup = [64, 40, 0], reduction = [0, 0, 64], stages = 2}}
      ins(%a, %b : memref<64x256xf8E4M3FN>, memref<256x40xf8E4M3FN>) outs(%c : memref<64x40xf32>)
  return
}

// -----

// Rows of 16 bytes are too short to be read along n: the right factor is
// transposed.
// CHECK-LABEL: func.func @few_columns
// CHECK: nvvm.wgmma.mma_async {{.*}}, <m = 64, n = 8, k = 16>, {{.*}}, B[<f16>, <one>, <col>]
func.func @few_columns(%a: memref<64x64xf16>, %b: memref<64x8xf16>, %c: memref<64x8xf32>)
    attributes {tonno.buffers = [{alignment = 64 : i64, type = memref<64x64xf16>}, {alignment = 64 : i64, type = memref<64x8xf16>}, {alignment = 64 : i64, type = memref<64x8xf32>}]} {
  linalg.matmul {tonno.lowering_config = {instruction = "wgmma_64xNx16", workgroup = [64, 8, 0], subgroup = [64, 8, 0], reduction = [0, 0, 64]}}
      ins(%a, %b : memref<64x64xf16>, memref<64x8xf16>) outs(%c : memref<64x8xf32>)
  return
}

// -----

// 40 columns of i8 are more than one instruction of 32, and no multiple of 16.
// CHECK-LABEL: func.func @columns_of_bytes
// CHECK-COUNT-5: nvvm.wgmma.mma_async {{.*}}, <m = 64, n = 8, k = 32>
func.func @columns_of_bytes(%a: memref<64x32xi8>, %b: memref<40x32xi8>, %c: memref<64x40xi32>)
    attributes {tonno.buffers = [{alignment = 64 : i64, type = memref<64x32xi8>}, {alignment = 64 : i64, type = memref<40x32xi8>}, {alignment = 64 : i64, type = memref<64x40xi32>}]} {
  linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>]
      {tonno.lowering_config = {instruction = "wgmma_64xNx32", workgroup = [64, 40, 0], subgroup = [64, 40, 0], reduction = [0, 0, 32]}}
      ins(%a, %b : memref<64x32xi8>, memref<40x32xi8>) outs(%c : memref<64x40xi32>)
  return
}

// RUN: tonno-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(tonno-map-to-gpu{chip=sm_100a},canonicalize,cse))' | FileCheck %s

// The first thread issues the products of all rows and columns, 256 columns at
// a time: two instructions for each 16 of k. They arrive at the stage's barrier.
// A stage is filled again after the products of the step before have arrived.
// Sums are loaded from the two warpgroups' lanes of tensor memory, 32 columns at
// a time.
// CHECK-LABEL: func.func @two_tiles
// CHECK-SAME: %[[LHS:[a-z0-9]*]]: memref<256x512xf16>, %[[RHS:[a-z0-9]*]]: memref<512x256xf16>
// CHECK-DAG: %[[COLUMNS:.*]] = arith.constant 512 : i32
// CHECK-DAG: %[[INSTRUCTION:.*]] = arith.constant 138477584 : i32
// CHECK: gpu.launch {{.*}} threads({{.*}}) in (%{{.*}} = %c256
// CHECK-SAME: dynamic_shared_memory_size %c197632
// CHECK: %[[CONTROL:.*]] = memref.view {{.*}} to memref<7xi32,
// CHECK: scf.if
// CHECK: nvvm.tcgen05.alloc %{{.*}}, %[[COLUMNS]]
// CHECK-NEXT: nvvm.tcgen05.relinquish_alloc_permit
// CHECK: scf.if
// CHECK-COUNT-3: nvvm.mbarrier.init
// CHECK-NEXT: nvvm.fence.mbarrier.init
// CHECK: gpu.barrier
// CHECK-NEXT: %[[BASE:.*]] = memref.load %[[CONTROL]][%c6]
// CHECK: nvvm.cp.async.commit.group
// CHECK: nvvm.cp.async.commit.group
// CHECK: scf.for %[[STEP:.*]] = %c0 to %c8
// CHECK-NEXT: nvvm.cp.async.wait.group 1
// CHECK-NEXT: nvvm.fence.proxy
// CHECK-NEXT: gpu.barrier
// CHECK: %[[STAGE:.*]] = arith.remui %[[STEP]], %c3
// CHECK: %[[LATER:.*]] = arith.cmpi ne, %[[STEP]], %c0
// CHECK: scf.if
// CHECK: nvvm.tcgen05.mma %{{.*}}, %{{.*}}, %{{.*}}, %[[INSTRUCTION]], %[[LATER]] {ctaGroup = #nvvm.cta_group<cta_1>, kind = #nvvm.tcgen05_mma_kind<f16>}
// CHECK: %[[SECOND:.*]] = arith.addi %[[BASE]], %c256_i32
// CHECK: nvvm.tcgen05.mma %{{.*}}, %{{.*}}, %{{.*}}, %[[INSTRUCTION]], %[[LATER]]
// CHECK-COUNT-6: nvvm.tcgen05.mma %{{.*}}, %{{.*}}, %{{.*}}, %[[INSTRUCTION]], %true
// CHECK: nvvm.tcgen05.commit
// CHECK: scf.if %[[LATER]]
// CHECK: nvvm.mbarrier.try_wait.parity
// CHECK: nvgpu.device_async_copy
// CHECK: nvvm.cp.async.commit.group
// CHECK-NOT: gpu.barrier
// CHECK: nvvm.mbarrier.try_wait.parity
// CHECK: nvvm.tcgen05.fence <after>
// CHECK-COUNT-8: nvvm.tcgen05.ld {{.*}} : vector<32xi32>
// CHECK: nvvm.tcgen05.fence <before>
// CHECK-NEXT: gpu.barrier
// CHECK-NEXT: scf.if
// CHECK: nvvm.tcgen05.dealloc %{{.*}}, %[[COLUMNS]]
func.func @two_tiles(%a: memref<256x512xf16>, %b: memref<512x256xf16>, %c: memref<256x256xf32>)
    attributes {tonno.buffers = [{alignment = 64 : i64, type = memref<256x512xf16>}, {alignment = 64 : i64, type = memref<512x256xf16>}, {alignment = 64 : i64, type = memref<256x256xf32>}]} {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%c : memref<256x256xf32>)
  linalg.matmul {tonno.lowering_config = {instruction = "tcgen05_128xNx16", workgroup = [256, 256, 0], subgroup = [128, 256, 0], reduction = [0, 0, 64], stages = 3, copy = "async"}}
      ins(%a, %b : memref<256x512xf16>, memref<512x256xf16>) outs(%c : memref<256x256xf32>)
  return
}

// -----

// What is in the result is added behind the products.
// CHECK-LABEL: func.func @accumulate
// CHECK-SAME: %[[OUT:[a-z0-9]*]]: memref<128x32xi32>
// CHECK: nvvm.tcgen05.mma {{.*}}kind = #nvvm.tcgen05_mma_kind<i8>
// CHECK: nvvm.tcgen05.ld
// CHECK: vector.load %[[OUT]]
// CHECK: arith.addi {{.*}} : vector<8xi32>
// CHECK: vector.store {{.*}}, %[[OUT]]
func.func @accumulate(%a: memref<128x64xi8>, %b: memref<64x32xi8>, %c: memref<128x32xi32>)
    attributes {tonno.buffers = [{alignment = 64 : i64, type = memref<128x64xi8>}, {alignment = 64 : i64, type = memref<64x32xi8>}, {alignment = 64 : i64, type = memref<128x32xi32>}]} {
  linalg.matmul {tonno.lowering_config = {instruction = "tcgen05_128xNx32", workgroup = [128, 32, 0], subgroup = [128, 32, 0], reduction = [0, 0, 32]}}
      ins(%a, %b : memref<128x64xi8>, memref<64x32xi8>) outs(%c : memref<128x32xi32>)
  return
}

// -----

// Without steps, tensor memory has no sums.
// CHECK-LABEL: func.func @no_steps
// CHECK: scf.for %{{.*}} = %c0 to %[[STEPS:.*]] step
// CHECK: %[[EXISTS:.*]] = arith.cmpi ne, %[[STEPS]], %c0
// CHECK: scf.if %[[EXISTS]]
// CHECK: nvvm.mbarrier.try_wait.parity
// CHECK: nvvm.tcgen05.ld
// CHECK: arith.select %[[EXISTS]], %{{.*}}, %{{.*}} : vector<8xf32>
func.func @no_steps(%a: memref<128x?xf16>, %b: memref<?x32xf16>, %c: memref<128x32xf32>)
    attributes {tonno.buffers = [{alignment = 64 : i64, type = memref<128x?xf16>}, {alignment = 64 : i64, type = memref<?x32xf16>}, {alignment = 64 : i64, type = memref<128x32xf32>}]} {
  linalg.matmul {tonno.lowering_config = {instruction = "tcgen05_128xNx16", workgroup = [128, 32, 0], subgroup = [128, 32, 0], reduction = [0, 0, 32]}}
      ins(%a, %b : memref<128x?xf16>, memref<?x32xf16>) outs(%c : memref<128x32xf32>)
  return
}

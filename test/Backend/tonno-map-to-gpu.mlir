// RUN: tonno-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(tonno-map-to-gpu,canonicalize,cse))' | FileCheck %s

// One launch for a product and what is done with its sums; two barriers a step,
// and no more. What only the threads need is not stored.
// CHECK-LABEL: func.func @product
// CHECK-NOT: memref.alloc
// CHECK: gpu.launch
// CHECK-SAME: workgroup(%[[A:.*]] : memref<16x68xf32, #gpu.address_space<workgroup>>, %[[B:.*]] : memref<16x36xf32, #gpu.address_space<workgroup>>)
// CHECK-COUNT-2: vector.load {{.*}} {alignment = 16 : i64} : memref<128x64xf32>, vector<4xf32>
// CHECK: scf.for
// CHECK: gpu.barrier
// CHECK: scf.for
// CHECK: vector.load %[[A]]
// CHECK: vector.load %[[B]]
// CHECK: arith.mulf {{.*}} : vector<4xf32>
// CHECK: gpu.barrier
// CHECK-NOT: gpu.barrier
// CHECK: vector.load {{.*}} : memref<96xf32>, vector<4xf32>
// CHECK: arith.maximumf
// CHECK: vector.store {{.*}} {alignment = 16 : i64} : memref<128x96xf32>, vector<4xf32>
// CHECK-NOT: gpu.launch
// CHECK: return
func.func @product(%a: memref<128x64xf32>, %b: memref<64x96xf32>, %bias: memref<96xf32>, %out: memref<128x96xf32>)
    attributes {tonno.buffers = [{alignment = 64 : i64, type = memref<128x64xf32>}, {alignment = 64 : i64, type = memref<64x96xf32>}, {alignment = 64 : i64, type = memref<96xf32>}, {alignment = 64 : i64, type = memref<128x96xf32>}]} {
  %zero = arith.constant 0.0 : f32
  %sums = memref.alloc() : memref<128x96xf32>
  linalg.fill ins(%zero : f32) outs(%sums : memref<128x96xf32>)
  linalg.matmul {tonno.lowering_config = {workgroup = [64, 32, 0], reduction = [0, 0, 16], thread = [4, 4, 0]}}
      ins(%a, %b : memref<128x64xf32>, memref<64x96xf32>) outs(%sums : memref<128x96xf32>)
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>],
                  iterator_types = ["parallel", "parallel"]}
      ins(%sums, %bias : memref<128x96xf32>, memref<96xf32>) outs(%out : memref<128x96xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %s = arith.addf %x, %y : f32
    %m = arith.maximumf %s, %zero : f32
    linalg.yield %m : f32
  }
  return
}

// -----

// Sums over a row of 128 threads: by shuffles within subgroups, then through
// shared memory with one barrier.
// CHECK-LABEL: func.func @rows
// CHECK: gpu.launch
// CHECK-COUNT-5: gpu.shuffle xor
// CHECK: gpu.barrier
// CHECK-NOT: gpu.barrier
// CHECK-NOT: gpu.shuffle
// CHECK: return
func.func @rows(%x: memref<32x512xf32>, %out: memref<32xf32>)
    attributes {tonno.buffers = [{alignment = 64 : i64, type = memref<32x512xf32>}, {alignment = 64 : i64, type = memref<32xf32>}]} {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%out : memref<32xf32>)
  linalg.generic {indexing_maps = [affine_map<(i, k) -> (i, k)>, affine_map<(i, k) -> (i)>],
                  iterator_types = ["parallel", "reduction"],
                  tonno.lowering_config = {workgroup = [1, 0], reduction = [0, 512], thread = [1, 4]}}
      ins(%x : memref<32x512xf32>) outs(%out : memref<32xf32>) {
  ^bb0(%e: f32, %s: f32):
    %t = arith.addf %e, %s : f32
    linalg.yield %t : f32
  }
  return
}

// -----

// Elementwise ops need no barrier, and no guard where tiles divide; of 16 bytes
// at a time there are four elements.
// CHECK-LABEL: func.func @elementwise
// CHECK: gpu.launch
// CHECK-NOT: scf.if
// CHECK-NOT: gpu.barrier
// CHECK: vector.store {{.*}} {alignment = 16 : i64} : memref<4096xf32>, vector<4xf32>
// CHECK: return
func.func @elementwise(%x: memref<4096xf32>, %out: memref<4096xf32>)
    attributes {tonno.buffers = [{alignment = 64 : i64, type = memref<4096xf32>}, {alignment = 64 : i64, type = memref<4096xf32>}]} {
  linalg.map { math.absf } ins(%x : memref<4096xf32>) outs(%out : memref<4096xf32>)
  return
}

// -----

// A caller that aligns to less gets narrower accesses.
// CHECK-LABEL: func.func @unaligned
// CHECK: gpu.launch
// CHECK: vector.load {{.*}} {alignment = 8 : i64} : memref<4096xf32>, vector<2xf32>
// CHECK: vector.store {{.*}} {alignment = 16 : i64} : memref<4096xf32>, vector<4xf32>
func.func @unaligned(%x: memref<4096xf32>, %out: memref<4096xf32>)
    attributes {tonno.buffers = [{alignment = 8 : i64, type = memref<4096xf32>}, {alignment = 64 : i64, type = memref<4096xf32>}]} {
  linalg.map { math.absf } ins(%x : memref<4096xf32>) outs(%out : memref<4096xf32>)
  return
}

// -----

// What lies crosswise comes through shared memory, in tiles with an odd row.
// CHECK-LABEL: func.func @transpose
// CHECK: gpu.launch
// CHECK-SAME: memref<32x33xf32, #gpu.address_space<workgroup>>
// CHECK: gpu.barrier
// CHECK-NOT: gpu.barrier
// CHECK: return
func.func @transpose(%x: memref<64x128xf32>, %out: memref<128x64xf32>)
    attributes {tonno.buffers = [{alignment = 64 : i64, type = memref<64x128xf32>}, {alignment = 64 : i64, type = memref<128x64xf32>}]} {
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (j, i)>, affine_map<(i, j) -> (i, j)>],
                  iterator_types = ["parallel", "parallel"],
                  tonno.lowering_config = {workgroup = [32, 32], thread = [1, 4]}}
      ins(%x : memref<64x128xf32>) outs(%out : memref<128x64xf32>) {
  ^bb0(%e: f32, %o: f32):
    linalg.yield %e : f32
  }
  return
}

// -----

// What the next op needs of other points waits for a launch of its own.
// CHECK-LABEL: func.func @two
// CHECK: memref.alloc
// CHECK: gpu.launch
// CHECK: gpu.launch
// CHECK-NOT: gpu.launch
func.func @two(%x: memref<64x64xf32>, %out: memref<64x64xf32>) {
  %t = memref.alloc() : memref<64x64xf32>
  linalg.map { math.absf } ins(%x : memref<64x64xf32>) outs(%t : memref<64x64xf32>)
  linalg.transpose ins(%t : memref<64x64xf32>) outs(%out : memref<64x64xf32>) permutation = [1, 0]
  return
}

// -----

// A subgroup's tile of 4 x 128 over 32 threads: a thread has 4 columns of 4
// rows, so 16 x 128 are 4 x 32 threads.
// CHECK-LABEL: func.func @shares
// CHECK: gpu.launch {{.*}} threads({{.*}}) in (%{{[a-z0-9_]*}} = %c128,
// CHECK: vector.load {{.*}} : memref<64x128xf32>, vector<4xf32>
func.func @shares(%a: memref<64x128xf32>, %out: memref<64x128xf32>)
    attributes {tonno.buffers = [{alignment = 64 : i64, type = memref<64x128xf32>}, {alignment = 64 : i64, type = memref<64x128xf32>}]} {
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%a : memref<64x128xf32>) outs(%out : memref<64x128xf32>)
      attrs = {tonno.lowering_config = {workgroup = [16, 128], subgroup = [4, 128]}} {
  ^bb0(%x: f32, %o: f32):
    %s = arith.addf %x, %x : f32
    linalg.yield %s : f32
  }
  return
}

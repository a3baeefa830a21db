// RUN: tonno-opt %s -split-input-file --pass-pipeline='builtin.module(func.func(tonno-map-to-gpu{chip=gfx942 subgroup-size=64 shared-bytes=65536}, canonicalize, cse))' | FileCheck %s

// A product of any number of rows: workgroups for all tiles, of which the last
// is guarded by the size. The last group of rows may have fewer than 'order'.
func.func @product(%a: memref<?x64xf16>, %b: memref<64x64xf16>, %c: memref<?x64xf32>) {
  linalg.matmul {tonno.lowering_config = {instruction = "mfma_32x32x8", workgroup = [64, 64, 0], subgroup = [32, 32, 0], order = 4}}
      ins(%a, %b : memref<?x64xf16>, memref<64x64xf16>) outs(%c : memref<?x64xf32>)
  return
}
// CHECK-LABEL: @product
// CHECK-DAG:   [[ROWS:%.*]] = memref.dim %arg0
// CHECK-DAG:   [[C64:%.*]] = arith.constant 64 : index
// CHECK:       [[SUM:%.*]] = arith.addi [[ROWS]], %c63
// CHECK:       [[TILES:%.*]] = arith.divui [[SUM]], [[C64]]
// CHECK:       gpu.launch blocks([[B:%.*]], %{{.*}}, %{{.*}}) in (%{{.*}} = [[TILES]],
// CHECK:       [[LEFT:%.*]] = arith.subi [[TILES]], %{{.*}}
// CHECK:       arith.minui [[LEFT]], %c4
// CHECK:       arith.cmpi ult, %{{.*}}, [[ROWS]]

// -----

// Rows of any length are reduced in chunks.
func.func @rows(%x: memref<8x?xf32>, %sum: memref<8xf32>) {
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>],
                  iterator_types = ["parallel", "reduction"]}
      ins(%x : memref<8x?xf32>) outs(%sum : memref<8xf32>)
      attrs = {tonno.lowering_config = {workgroup = [1, 0], reduction = [0, 128], thread = [1, 1]}} {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    linalg.yield %c : f32
  }
  return
}
// CHECK-LABEL: @rows
// CHECK:       [[LENGTH:%.*]] = memref.dim %arg0
// CHECK:       gpu.launch
// CHECK:       [[SUM:%.*]] = arith.addi [[LENGTH]], %c127
// CHECK:       [[CHUNKS:%.*]] = arith.divui [[SUM]], %c128
// CHECK:       scf.for %{{.*}} = %c0 to [[CHUNKS]]
// CHECK:       arith.cmpi ult, %{{.*}}, [[LENGTH]]

// -----

// Two loops of unknown extents are equal only if the buffers say so.
func.func @apart(%m: index, %n: index, %x: memref<1xf32>, %y: memref<1xf32>) {
  %one = arith.constant 1.0 : f32
  %a = memref.reinterpret_cast %x to offset: [0], sizes: [%m], strides: [1] : memref<1xf32> to memref<?xf32>
  %b = memref.reinterpret_cast %y to offset: [0], sizes: [%n], strides: [1] : memref<1xf32> to memref<?xf32>
  linalg.fill ins(%one : f32) outs(%a : memref<?xf32>)
  linalg.fill ins(%one : f32) outs(%b : memref<?xf32>)
  return
}
// CHECK-LABEL: @apart
// CHECK-COUNT-2: gpu.launch

// -----

// A loop whose end is one of the kernel's sizes has a thread for each
// iteration; a branch on sizes chooses among launches.
func.func @loop(%x: memref<1xf32>, %n: memref<i64>) attributes {tonno.sizes = 1 : i64} {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %value = arith.constant 1.0 : f32
  %most = arith.constant 100 : index
  %loaded = memref.load %n[] : memref<i64>
  %size = arith.index_cast %loaded : i64 to index
  %few = arith.cmpi slt, %size, %most : index
  scf.if %few {
    scf.parallel (%i) = (%zero) to (%size) step (%one) {
      %all = memref.reinterpret_cast %x to offset: [0], sizes: [%size], strides: [1] : memref<1xf32> to memref<?xf32>
      memref.store %value, %all[%i] : memref<?xf32>
    }
  }
  return
}
// CHECK-LABEL: @loop
// CHECK:       [[SIZE:%.*]] = arith.index_cast
// CHECK:       scf.if
// CHECK:         arith.addi [[SIZE]], %c255
// CHECK:         gpu.launch

// -----

// What is before a branch stays there.
func.func @order(%x: memref<1xf32>, %n: memref<i64>) attributes {tonno.sizes = 1 : i64} {
  %zero = arith.constant 0 : index
  %value = arith.constant 1.0 : f32
  %other = arith.constant 2.0 : f32
  %most = arith.constant 100 : index
  %loaded = memref.load %n[] : memref<i64>
  %size = arith.index_cast %loaded : i64 to index
  %few = arith.cmpi slt, %size, %most : index
  memref.store %value, %x[%zero] : memref<1xf32>
  scf.if %few {
    memref.store %other, %x[%zero] : memref<1xf32>
  }
  memref.store %value, %x[%zero] : memref<1xf32>
  return
}
// CHECK-LABEL: @order
// CHECK:       gpu.launch
// CHECK:       scf.if
// CHECK:         gpu.launch
// CHECK:       gpu.launch

// -----

// Rows of a slice begin at no multiple of a vector.
func.func @slice(%x: memref<?x36xf32, strided<[37, 1]>>, %y: memref<?x36xf32>) {
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
                  iterator_types = ["parallel", "parallel"]}
      ins(%x : memref<?x36xf32, strided<[37, 1]>>) outs(%y : memref<?x36xf32>) {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %a : f32
    linalg.yield %s : f32
  }
  return
}
// CHECK-LABEL: @slice
// CHECK-NOT:   vector.load
// CHECK:       memref.load %arg0

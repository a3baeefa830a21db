// RUN: tonno-opt %s --split-input-file --verify-diagnostics --tonno-workspace --tonno-share-loops | FileCheck %s

// Each thread has a place of its own in the workspace, and on the stack. What
// it uses of the kernel is passed, or computed anew; what is streamed is marked.
// CHECK-LABEL: func.func @f(
// CHECK-SAME:    %[[A:.+]]: memref<64xf32>, %[[W:.+]]: memref<256xi8>)
// CHECK-SAME:    tonno.threads = 2
// CHECK:         %[[N:.+]] = arith.constant 2 : i32
// CHECK:         omp.parallel num_threads(%[[N]] : i32)
// CHECK:           omp.wsloop nowait
// CHECK:             omp.loop_nest (%[[T:.+]]) : i64 =
// CHECK:               func.call @f.part(%[[T]], %[[W]], %[[A]])
// CHECK-NOT:     scf.forall
// CHECK-LABEL: func.func private @f.part(
// CHECK-SAME:    %[[NUMBER:[a-z0-9]+]]: i64
// CHECK-SAME:    memref<256xi8> {llvm.align = 64 : i64, llvm.noalias}
// CHECK-SAME:    memref<64xf32> {llvm.align = 64 : i64, llvm.noalias, tonno.stream}
// CHECK-SAME:    llvm.linkage = #llvm.linkage<internal>
// CHECK:         arith.index_cast %[[NUMBER]] : i64 to index
// CHECK:         memref.alloca
// CHECK:         arith.divui
// CHECK:         memref.view %{{.+}}[%{{.+}}][] : memref<256xi8> to memref<32xf32>
func.func @f(%a: memref<64xf32>) attributes {tonno.buffers = [{alignment = 64 : i64, stream, type = memref<64xf32>}]} {
  %half = memref.subview %a[0] [32] [1] : memref<64xf32> to memref<32xf32, strided<[1]>>
  scf.forall (%i) = (0) to (64) step (32) {
    %own = memref.alloc() : memref<32xf32>
    %stack = memref.alloca() : memref<4xf32>
    %part = memref.subview %a[%i] [32] [1] : memref<64xf32> to memref<32xf32, strided<[1], offset: ?>>
    %few = memref.subview %half[0] [4] [1] : memref<32xf32, strided<[1]>> to memref<4xf32, strided<[1]>>
    linalg.exp ins(%few : memref<4xf32, strided<[1]>>) outs(%stack : memref<4xf32>)
    linalg.exp ins(%part : memref<32xf32, strided<[1], offset: ?>>) outs(%own : memref<32xf32>)
    linalg.copy ins(%own : memref<32xf32>) outs(%part : memref<32xf32, strided<[1], offset: ?>>)
  } {tonno.threads = 2 : i64}
  return
}

// -----

// Whoever else runs loops in parallel has them one iteration after another.
// CHECK-LABEL: func.func @others(
// CHECK-SAME:    %{{.+}}: memref<64xf32>, %{{.+}}: memref<128xi8>)
// CHECK-NOT:     tonno.threads
// CHECK:         scf.forall
// CHECK-NOT:     omp
func.func @others(%a: memref<64xf32>) {
  scf.forall (%i) = (0) to (64) step (32) {
    %own = memref.alloc() : memref<32xf32>
    %part = memref.subview %a[%i] [32] [1] : memref<64xf32> to memref<32xf32, strided<[1], offset: ?>>
    linalg.exp ins(%part : memref<32xf32, strided<[1], offset: ?>>) outs(%own : memref<32xf32>)
    linalg.copy ins(%own : memref<32xf32>) outs(%part : memref<32xf32, strided<[1], offset: ?>>)
  }
  return
}

// -----

func.func private @rows(memref<64xf32>) -> memref<8x4xf32, affine_map<(i, j) -> (j, i)>>

func.func @refused(%a: memref<64xf32>) {
  %rows = func.call @rows(%a) : (memref<64xf32>) -> memref<8x4xf32, affine_map<(i, j) -> (j, i)>>
  %c0 = arith.constant 0 : index
  // expected-error @+1 {{cannot pass a value of type 'memref<8x4xf32, affine_map<(d0, d1) -> (d1, d0)>>' to the outlined parallel region}}
  scf.forall (%i) = (0) to (64) step (32) {
    %first = memref.load %rows[%c0, %c0] : memref<8x4xf32, affine_map<(i, j) -> (j, i)>>
    memref.store %first, %a[%i] : memref<64xf32>
  } {tonno.threads = 2 : i64}
  return
}

// -----

// Of a view whose place is known only later, that and the strides are passed.
// CHECK-LABEL: func.func @chosen(
// CHECK:         %[[BASE:.+]], %[[OFFSET:.+]], %{{.+}}:2, %[[STRIDES:.+]]:2 = memref.extract_strided_metadata
// CHECK:         func.call @chosen.part(%{{.+}}, %[[BASE]], %[[OFFSET]], %[[STRIDES]]#0, %[[STRIDES]]#1
// CHECK-LABEL: func.func private @chosen.part(
// CHECK-SAME:    %{{.+}}: i64, %[[BASE:.+]]: memref<f32>, %[[OFFSET:.+]]: index, %[[ROWS:.+]]: index, %[[COLUMNS:.+]]: index
// CHECK:         memref.reinterpret_cast %[[BASE]] to offset: [%[[OFFSET]]], sizes: [4, 8], strides: [%[[ROWS]], %[[COLUMNS]]]
func.func @chosen(%a: memref<8x16xf32>, %c: memref<i1>) {
  %first = memref.load %c[] : memref<i1>
  %view = scf.if %first -> memref<4x8xf32, strided<[?, ?], offset: ?>> {
    %s = memref.subview %a[4, 0] [4, 8] [1, 1] : memref<8x16xf32> to memref<4x8xf32, strided<[16, 1], offset: 64>>
    %d = memref.cast %s : memref<4x8xf32, strided<[16, 1], offset: 64>> to memref<4x8xf32, strided<[?, ?], offset: ?>>
    scf.yield %d : memref<4x8xf32, strided<[?, ?], offset: ?>>
  } else {
    %s = memref.subview %a[0, 0] [4, 8] [2, 2] : memref<8x16xf32> to memref<4x8xf32, strided<[32, 2]>>
    %d = memref.cast %s : memref<4x8xf32, strided<[32, 2]>> to memref<4x8xf32, strided<[?, ?], offset: ?>>
    scf.yield %d : memref<4x8xf32, strided<[?, ?], offset: ?>>
  }
  scf.forall (%i) = (0) to (4) step (2) {
    %part = memref.subview %view[%i, 0] [2, 8] [1, 1] : memref<4x8xf32, strided<[?, ?], offset: ?>> to memref<2x8xf32, strided<[?, ?], offset: ?>>
    linalg.exp ins(%part : memref<2x8xf32, strided<[?, ?], offset: ?>>) outs(%part : memref<2x8xf32, strided<[?, ?], offset: ?>>)
  } {tonno.threads = 2 : i64}
  return
}

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

// Of a buffer whose place is known only at run time, its numbers are passed.
// CHECK-LABEL: func.func @either(
// CHECK:         %[[ROWS:.+]] = scf.if
// CHECK:         %[[BASE:.+]], %[[OFFSET:.+]], %{{.+}}, %{{.+}} = memref.extract_strided_metadata %[[ROWS]]
// CHECK:         func.call @either.part(%{{.+}}, %{{.+}}, %[[BASE]], %[[OFFSET]]) : (i64, memref<64xf32>, memref<f32>, index)
// CHECK-LABEL: func.func private @either.part(
// CHECK-SAME:    %[[PART_BASE:[a-z0-9]+]]: memref<f32>, %[[PART_OFFSET:[a-z0-9]+]]: index
// CHECK:         memref.reinterpret_cast %[[PART_BASE]] to offset: [%[[PART_OFFSET]]], sizes: [32], strides: [1]
func.func @either(%a: memref<64xf32>, %p: memref<i1>) {
  %c = memref.load %p[] : memref<i1>
  %rows = scf.if %c -> memref<32xf32, strided<[1], offset: ?>> {
    %first = memref.subview %a[0] [32] [1] : memref<64xf32> to memref<32xf32, strided<[1]>>
    %cast = memref.cast %first : memref<32xf32, strided<[1]>> to memref<32xf32, strided<[1], offset: ?>>
    scf.yield %cast : memref<32xf32, strided<[1], offset: ?>>
  } else {
    %last = memref.subview %a[32] [32] [1] : memref<64xf32> to memref<32xf32, strided<[1], offset: 32>>
    %cast = memref.cast %last : memref<32xf32, strided<[1], offset: 32>> to memref<32xf32, strided<[1], offset: ?>>
    scf.yield %cast : memref<32xf32, strided<[1], offset: ?>>
  }
  scf.forall (%i) = (0) to (64) step (32) {
    %part = memref.subview %a[%i] [32] [1] : memref<64xf32> to memref<32xf32, strided<[1], offset: ?>>
    linalg.exp ins(%rows : memref<32xf32, strided<[1], offset: ?>>) outs(%part : memref<32xf32, strided<[1], offset: ?>>)
  } {tonno.threads = 2 : i64}
  return
}

// -----

func.func private @rows(memref<64xf32>) -> memref<?xf32>

func.func @refused(%a: memref<64xf32>) {
  %rows = func.call @rows(%a) : (memref<64xf32>) -> memref<?xf32>
  // expected-error @+1 {{threads can't be handed a value of type 'memref<?xf32>' that comes from outside of the loop they share}}
  scf.forall (%i) = (0) to (64) step (32) {
    %part = memref.subview %a[%i] [32] [1] : memref<64xf32> to memref<32xf32, strided<[1], offset: ?>>
    %some = memref.subview %rows[%i] [32] [1] : memref<?xf32> to memref<32xf32, strided<[1], offset: ?>>
    linalg.copy ins(%some : memref<32xf32, strided<[1], offset: ?>>) outs(%part : memref<32xf32, strided<[1], offset: ?>>)
  } {tonno.threads = 2 : i64}
  return
}

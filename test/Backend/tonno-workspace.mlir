// RUN: tonno-opt %s --split-input-file --verify-diagnostics --tonno-workspace | FileCheck %s
// RUN: tonno-opt %s --split-input-file --verify-diagnostics --tonno-workspace=stack-limit=100 | FileCheck %s --check-prefix=STACK
// RUN: not tonno-opt %s --split-input-file --tonno-workspace --remark-format=emitRemark --remarks-filter-analyse=tonno-workspace 2>&1 | FileCheck %s --check-prefix=REMARK

// The first and the last are never used at the same time: they share memory.
// CHECK-LABEL: func.func @chain(
// CHECK-SAME:    %[[A:.+]]: memref<100xf32>, %[[W:.+]]: memref<896xi8>)
// CHECK-SAME:    tonno.buffers = [{alignment = 64 : i64, type = memref<100xf32>}, {alignment = 64 : i64, type = memref<896xi8>}]
func.func @chain(%a: memref<100xf32>) attributes {tonno.buffers = [{alignment = 64 : i64, type = memref<100xf32>}]} {
  // CHECK-DAG: %[[C0:.+]] = arith.constant 0 : index
  // CHECK-DAG: %[[C448:.+]] = arith.constant 448 : index
  // CHECK-DAG: %[[X:.+]] = memref.view %[[W]][%[[C0]]][] : memref<896xi8> to memref<100xf32>
  // CHECK-DAG: %[[Y:.+]] = memref.view %[[W]][%[[C448]]][] : memref<896xi8> to memref<100xf32>
  // CHECK-DAG: %[[Z:.+]] = memref.view %[[W]][%{{.+}}][] : memref<896xi8> to memref<50xf32>
  // CHECK-NOT: memref.dealloc
  %x = memref.alloc() : memref<100xf32>
  %y = memref.alloc() : memref<100xf32>
  %z = memref.alloc() : memref<50xf32>
  linalg.exp ins(%a : memref<100xf32>) outs(%x : memref<100xf32>)
  linalg.exp ins(%x : memref<100xf32>) outs(%y : memref<100xf32>)
  memref.dealloc %x : memref<100xf32>
  %part = memref.subview %y[0] [50] [1] : memref<100xf32> to memref<50xf32, strided<[1]>>
  linalg.exp ins(%part : memref<50xf32, strided<[1]>>) outs(%z : memref<50xf32>)
  %whole = memref.subview %a[0] [50] [1] : memref<100xf32> to memref<50xf32, strided<[1]>>
  linalg.copy ins(%z : memref<50xf32>) outs(%whole : memref<50xf32, strided<[1]>>)
  return
}

// -----

// Both are alive at once, through the loop's values.
// CHECK-LABEL: func.func @swapped(
// CHECK-SAME:    %{{.+}}: memref<16xf32>, %[[W:.+]]: memref<128xi8>)
func.func @swapped(%a: memref<16xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %x = memref.alloc() : memref<16xf32>
  %y = memref.alloc() : memref<16xf32>
  linalg.copy ins(%a : memref<16xf32>) outs(%x : memref<16xf32>)
  %r:2 = scf.for %i = %c0 to %c4 step %c1 iter_args(%p = %x, %q = %y) -> (memref<16xf32>, memref<16xf32>) {
    linalg.exp ins(%p : memref<16xf32>) outs(%q : memref<16xf32>)
    scf.yield %q, %p : memref<16xf32>, memref<16xf32>
  }
  linalg.copy ins(%r#0 : memref<16xf32>) outs(%a : memref<16xf32>)
  return
}

// -----

// Each iteration may use the same memory. Strides and a larger alignment stay.
// CHECK-LABEL: func.func @in_loop(
// CHECK-SAME:    %{{.+}}: memref<4x4xf32>, %[[W:.+]]: memref<128xi8>)
// CHECK-SAME:    {alignment = 128 : i64, type = memref<128xi8>}
func.func @in_loop(%a: memref<4x4xf32>) attributes {tonno.buffers = [{alignment = 64 : i64, type = memref<4x4xf32>}]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  scf.for %i = %c0 to %c4 step %c1 {
    // CHECK: %[[FLAT:.+]] = memref.view %[[W]]{{.*}} to memref<28xf32>
    // CHECK: memref.reinterpret_cast %[[FLAT]] to offset: [0], sizes: [4, 4], strides: [8, 1]
    %x = memref.alloc() {alignment = 128 : i64} : memref<4x4xf32, strided<[8, 1]>>
    linalg.exp ins(%a : memref<4x4xf32>) outs(%x : memref<4x4xf32, strided<[8, 1]>>)
    linalg.copy ins(%x : memref<4x4xf32, strided<[8, 1]>>) outs(%a : memref<4x4xf32>)
  }
  return
}

// -----

// A little stays on the stack, outside of loops; much goes to the workspace.
// CHECK-LABEL: func.func @stack(
// CHECK-SAME:    %{{.+}}: memref<32xf32>)
// CHECK:         memref.alloca
// CHECK:         scf.for
// CHECK-NOT:     memref.alloca
// STACK-LABEL: func.func @stack(
// STACK-SAME:    %{{.+}}: memref<32xf32>, %{{.+}}: memref<128xi8>)
// STACK-NOT:     memref.alloca
func.func @stack(%a: memref<32xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  scf.for %i = %c0 to %c4 step %c1 {
    %x = memref.alloca() : memref<32xf32>
    linalg.exp ins(%a : memref<32xf32>) outs(%x : memref<32xf32>)
    linalg.copy ins(%x : memref<32xf32>) outs(%a : memref<32xf32>)
  }
  return
}

// -----

// Nothing is known of who has the address: it lives all the time.
// CHECK-LABEL: func.func @address(
// CHECK-SAME:    %{{.+}}: memref<16xf32>, %[[W:.+]]: memref<128xi8>)
func.func @address(%a: memref<16xf32>) -> index {
  %x = memref.alloc() : memref<16xf32>
  %y = memref.alloc() : memref<16xf32>
  %p = memref.extract_aligned_pointer_as_index %x : memref<16xf32> -> index
  linalg.exp ins(%a : memref<16xf32>) outs(%y : memref<16xf32>)
  linalg.copy ins(%y : memref<16xf32>) outs(%a : memref<16xf32>)
  return %p : index
}

// -----

// Of a size that has a bound it takes the most, also beside what is on the stack.
// CHECK-LABEL: func.func @bounded(
// CHECK-SAME:    %{{.+}}: memref<31x8xf32>, %[[W:.+]]: memref<1024xi8>)
// STACK-LABEL: func.func @bounded(
// STACK-SAME:    memref<1024xi8>)
func.func @bounded(%a: memref<31x8xf32>) {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %c16 = arith.constant 16 : index
  %c31 = arith.constant 31 : index
  scf.for %i = %c0 to %c31 step %c16 {
    // CHECK: %[[N:.+]] = affine.min
    // CHECK: memref.view %[[W]][%{{.+}}][%[[N]]] : memref<1024xi8> to memref<?x8xf32>
    // CHECK: %[[M:.+]] = arith.minsi
    // CHECK: memref.view %[[W]][%{{.+}}][%[[M]]] : memref<1024xi8> to memref<?x8xf64>
    %n = affine.min affine_map<(d0) -> (16, 31 - d0)>(%i)
    %x = memref.alloc(%n) : memref<?x8xf32>
    %left = arith.subi %c31, %i : index
    %m = arith.minsi %c8, %left : index
    %y = memref.alloca(%m) : memref<?x8xf64>
    %part = memref.subview %a[%i, 0] [%n, 8] [1, 1] : memref<31x8xf32> to memref<?x8xf32, strided<[8, 1], offset: ?>>
    %z = arith.constant 0.0 : f64
    linalg.exp ins(%part : memref<?x8xf32, strided<[8, 1], offset: ?>>) outs(%x : memref<?x8xf32>)
    linalg.fill ins(%z : f64) outs(%y : memref<?x8xf64>)
    linalg.copy ins(%x : memref<?x8xf32>) outs(%part : memref<?x8xf32, strided<[8, 1], offset: ?>>)
  }
  return
}

// -----

// In each iteration, %x and %z are used one after the other, so they share
// memory; %y, which is from outside of the loop, is used in all of it.
// REMARK: Function=nested | Buffers=3, Bytes=832, PeakBytes=832, SumOfBytes=1216
// CHECK-LABEL: func.func @nested(
// CHECK-SAME:    %{{.+}}: memref<100xf32>, %[[W:.+]]: memref<832xi8>)
func.func @nested(%a: memref<100xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  // CHECK: %[[Y:.+]] = memref.view %[[W]][%{{.+}}][] : memref<832xi8> to memref<100xf32>
  %y = memref.alloc() : memref<100xf32>
  linalg.exp ins(%a : memref<100xf32>) outs(%y : memref<100xf32>)
  scf.for %i = %c0 to %c4 step %c1 {
    // CHECK: %[[OX:.+]] = arith.constant [[OFFSET:[0-9]+]] : index
    // CHECK: memref.view %[[W]][%[[OX]]][] : memref<832xi8> to memref<90xf32>
    // CHECK: %[[OZ:.+]] = arith.constant [[OFFSET]] : index
    // CHECK: memref.view %[[W]][%[[OZ]]][] : memref<832xi8> to memref<94xf32>
    %x = memref.alloc() : memref<90xf32>
    %z = memref.alloc() : memref<94xf32>
    %p = memref.subview %y[0] [90] [1] : memref<100xf32> to memref<90xf32, strided<[1]>>
    %q = memref.subview %y[0] [94] [1] : memref<100xf32> to memref<94xf32, strided<[1]>>
    linalg.exp ins(%p : memref<90xf32, strided<[1]>>) outs(%x : memref<90xf32>)
    linalg.copy ins(%x : memref<90xf32>) outs(%p : memref<90xf32, strided<[1]>>)
    linalg.exp ins(%q : memref<94xf32, strided<[1]>>) outs(%z : memref<94xf32>)
    linalg.copy ins(%z : memref<94xf32>) outs(%q : memref<94xf32, strided<[1]>>)
  }
  linalg.copy ins(%y : memref<100xf32>) outs(%a : memref<100xf32>)
  return
}

// -----

// Iterations of a parallel loop may run at the same time: nothing is shared in
// the body.
// CHECK-LABEL: func.func @parallel(
// CHECK-SAME:    memref<128xi8>)
func.func @parallel(%a: memref<16xf32>) {
  scf.forall (%i) in (4) {
    %x = memref.alloc() : memref<16xf32>
    %z = memref.alloc() : memref<16xf32>
    linalg.exp ins(%a : memref<16xf32>) outs(%x : memref<16xf32>)
    linalg.copy ins(%x : memref<16xf32>) outs(%a : memref<16xf32>)
    linalg.exp ins(%a : memref<16xf32>) outs(%z : memref<16xf32>)
    linalg.copy ins(%z : memref<16xf32>) outs(%a : memref<16xf32>)
  }
  return
}

// -----

// Threads have areas of their own, in which allocations share memory.
// CHECK-LABEL: func.func @threads(
// CHECK-SAME:    %{{.+}}: memref<64xf32>, %[[W:.+]]: memref<256xi8>)
// CHECK: arith.constant 128 : index
// CHECK: memref.view
// CHECK: arith.constant 128 : index
// CHECK: memref.view
func.func @threads(%a: memref<64xf32>) {
  scf.forall (%i) = (0) to (64) step (32) {
    %x = memref.alloc() : memref<32xf32>
    %z = memref.alloc() : memref<32xf32>
    %p = memref.subview %a[%i] [32] [1] : memref<64xf32> to memref<32xf32, strided<[1], offset: ?>>
    linalg.exp ins(%p : memref<32xf32, strided<[1], offset: ?>>) outs(%x : memref<32xf32>)
    linalg.copy ins(%x : memref<32xf32>) outs(%p : memref<32xf32, strided<[1], offset: ?>>)
    linalg.exp ins(%p : memref<32xf32, strided<[1], offset: ?>>) outs(%z : memref<32xf32>)
    linalg.copy ins(%z : memref<32xf32>) outs(%p : memref<32xf32, strided<[1], offset: ?>>)
  } {tonno.threads = 2 : i64}
  return
}

// -----

func.func @dynamic(%n: index) {
  // expected-error @+1 {{cannot allocate workspace of type 'memref<?xf32>', whose size is unknown at compile time; tile or pad to a static shape, or bound the size by affine.min}}
  %x = memref.alloc(%n) : memref<?xf32>
  return
}

// -----

func.func @escapes(%a: memref<4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  // expected-note @+1 {{an iteration of this loop yields the buffer}}
  %r = scf.for %i = %c0 to %c4 step %c1 iter_args(%p = %a) -> memref<4xf32> {
    // expected-error @+1 {{cannot reuse the workspace of type 'memref<4xf32>' in each iteration, since the previous one is still in use; write into the buffer of the iter_arg}}
    %x = memref.alloc() : memref<4xf32>
    linalg.exp ins(%p : memref<4xf32>) outs(%x : memref<4xf32>)
    scf.yield %x : memref<4xf32>
  }
  linalg.copy ins(%r : memref<4xf32>) outs(%a : memref<4xf32>)
  return
}

// -----

func.func @space() {
  // expected-error @+1 {{cannot allocate workspace of type 'memref<4xf32, 3>': the host has no such memory space}}
  %x = memref.alloc() : memref<4xf32, 3>
  return
}

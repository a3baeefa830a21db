// RUN: tonno-opt %s --split-input-file --verify-diagnostics --tonno-host-entry | FileCheck %s

// Of a kernel without buffer types, no alignment is known.
// CHECK: llvm.func internal @kernel(%{{.+}}: !llvm.ptr {llvm.align = 1 : i64, llvm.noalias}, %{{.+}}: !llvm.ptr {llvm.align = 1 : i64, llvm.noalias})
llvm.func @kernel(%a: !llvm.ptr, %b: !llvm.ptr) {
  llvm.return
}
// CHECK: llvm.func @kernel_entry(%[[BUFFERS:.+]]: !llvm.ptr) {
// CHECK:   %[[SLOT0:.+]] = llvm.getelementptr %[[BUFFERS]][0]
// CHECK:   %[[A:.+]] = llvm.load %[[SLOT0]]
// CHECK:   %[[SLOT1:.+]] = llvm.getelementptr %[[BUFFERS]][1]
// CHECK:   %[[B:.+]] = llvm.load %[[SLOT1]]
// CHECK:   llvm.call @kernel(%[[A]], %[[B]])
// CHECK:   llvm.return

// -----

// What the buffers are goes on to the entry point; an alignment is promised.
// CHECK: llvm.func internal @bare(%{{.+}}: !llvm.ptr {llvm.align = 16 : i64, llvm.noalias}) attributes {no_inline} {
llvm.func @bare(%a: !llvm.ptr) attributes {tonno.buffers = [{alignment = 16 : i64, type = memref<4x8xf32>}]} {
  llvm.return
}
// CHECK: llvm.func @bare_entry(%{{.+}}: !llvm.ptr) attributes {tonno.buffers = [{alignment = 16 : i64, type = memref<4x8xf32>}]}

// -----

// Descriptors are made of what is known of the buffers. Of the two pointers one
// may alias nothing only if the other is not used.
// CHECK: llvm.func internal @descriptor(%{{.+}}: !llvm.ptr, %{{.+}}: !llvm.ptr {llvm.align = 64 : i64, llvm.noalias}, %{{.+}}: i64, %{{.+}}: i64, %{{.+}}: i64, %{{.+}}: i64, %{{.+}}: i64, %{{.+}}: !llvm.ptr, %{{.+}}: !llvm.ptr {llvm.align = 64 : i64}, %{{.+}}: i64)
llvm.func @descriptor(%p0: !llvm.ptr, %a0: !llvm.ptr, %o0: i64, %n0: i64, %n1: i64, %s0: i64, %s1: i64, %p1: !llvm.ptr, %a1: !llvm.ptr, %o1: i64)
    attributes {tonno.buffers = [{alignment = 64 : i64, type = memref<4x8xf32, strided<[16, 1]>>}, {alignment = 64 : i64, type = memref<f32>}]} {
  %f = llvm.load %p1 : !llvm.ptr -> f32
  llvm.return
}
// CHECK: llvm.func @descriptor_entry(%[[BUFFERS:.+]]: !llvm.ptr)
// CHECK-DAG:   %[[A:.+]] = llvm.load %{{.+}}
// CHECK:       %[[ZERO:.+]] = llvm.mlir.constant(0 : i64)
// CHECK:       %[[N0:.+]] = llvm.mlir.constant(4 : i64)
// CHECK:       %[[N1:.+]] = llvm.mlir.constant(8 : i64)
// CHECK:       %[[S0:.+]] = llvm.mlir.constant(16 : i64)
// CHECK:       %[[S1:.+]] = llvm.mlir.constant(1 : i64)
// CHECK:       %[[B:.+]] = llvm.load
// CHECK:       %[[ZERO1:.+]] = llvm.mlir.constant(0 : i64)
// CHECK:       llvm.call @descriptor(%[[A]], %[[A]], %[[ZERO]], %[[N0]], %[[N1]], %[[S0]], %[[S1]], %[[B]], %[[B]], %[[ZERO1]])

// -----

// expected-error @+1 {{kernel 'other' has 3 arguments; its buffers need 1 as bare pointers, or 7 as descriptors}}
llvm.func @other(%a: !llvm.ptr, %b: !llvm.ptr, %n: i64) attributes {tonno.buffers = [{alignment = 64 : i64, type = memref<4x8xf32>}]} {
  llvm.return
}

// -----

// expected-error @+1 {{argument 0 of kernel 'scalar' is not a pointer}}
llvm.func @scalar(%a: f32) {
  llvm.return
}

// -----

// expected-error @+1 {{the name 'kernel_entry' is taken}}
llvm.func @kernel(%a: !llvm.ptr) {
  llvm.return
}
llvm.func internal @kernel_entry() {
  llvm.return
}

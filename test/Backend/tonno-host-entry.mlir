// RUN: tonno-opt %s --split-input-file --verify-diagnostics --tonno-host-entry | FileCheck %s

// CHECK: llvm.func internal @kernel(%{{.+}}: !llvm.ptr {llvm.align = 64 : i64, llvm.noalias}, %{{.+}}: !llvm.ptr {llvm.align = 64 : i64, llvm.noalias})
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

// expected-error @+1 {{argument 0 of kernel 'scalar' is no pointer}}
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

// RUN: tonno-opt %s --split-input-file --verify-diagnostics --allow-unregistered-dialect --tonno-check-lowered

llvm.func @lowered(%a: !llvm.ptr) {
  %f = llvm.load %a : !llvm.ptr -> f32
  llvm.store %f, %a : f32, !llvm.ptr
  llvm.return
}

// -----

llvm.func @kernel() {
  // expected-error @+1 {{'foo.bar' is left after lowering; the host backend cannot translate it}}
  "foo.bar"() : () -> ()
  llvm.return
}

// -----

llvm.func @malloc(i64) -> !llvm.ptr
llvm.func @kernel(%n: i64) {
  // expected-error @+1 {{the kernel calls 'malloc'; allocate by memref.alloc, which becomes workspace of the caller}}
  %p = llvm.call @malloc(%n) : (i64) -> !llvm.ptr
  llvm.return
}

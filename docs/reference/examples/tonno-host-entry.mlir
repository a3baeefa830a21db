// tonno-opt --tonno-host-entry
llvm.func @kernel(%a: !llvm.ptr, %b: !llvm.ptr) {
  llvm.return
}

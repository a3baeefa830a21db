// tonno-opt --tonno-check-lowered --allow-unregistered-dialect
llvm.func @kernel() {
  "foo.bar"() : () -> ()
  llvm.return
}

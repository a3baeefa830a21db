// expect: refused "iree_"
// A dispatch of IREE's own dialects, which MLIR doesn't have.
func.func @dispatch() {
  %0 = iree_tensor_ext.dispatch.workload.ordinal %arg0, 0 : index
  return
}

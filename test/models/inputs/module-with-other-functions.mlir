// expect: tuned
// One kernel among functions that can't be kernels.
func.func @tanh(%x: tensor<32x64xf32>) -> tensor<32x64xf32> {
  %e = tensor.empty() : tensor<32x64xf32>
  %r = linalg.tanh ins(%x : tensor<32x64xf32>) outs(%e : tensor<32x64xf32>) -> tensor<32x64xf32>
  return %r : tensor<32x64xf32>
}
func.func @of_any_size(%x: tensor<?x64xf32>) -> tensor<?x64xf32> {
  %r = linalg.exp ins(%x : tensor<?x64xf32>) outs(%x : tensor<?x64xf32>) -> tensor<?x64xf32>
  return %r : tensor<?x64xf32>
}
func.func @of_strings(%x: !llvm.ptr) {
  return
}
func.func @nothing() {
  return
}

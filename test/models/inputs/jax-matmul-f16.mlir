// expect: tuned
// From jax_models.py.
module @jit_matmul_f16 attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<32x64xf16>, %arg1: tensor<64x48xf16>) -> (tensor<32x48xf16> {jax.result_info = "result"}) {
    %cst = arith.constant 0.000000e+00 : f16
    %0 = tensor.empty() : tensor<32x48xf16>
    %1 = linalg.fill ins(%cst : f16) outs(%0 : tensor<32x48xf16>) -> tensor<32x48xf16>
    %2 = linalg.matmul ins(%arg0, %arg1 : tensor<32x64xf16>, tensor<64x48xf16>) outs(%1 : tensor<32x48xf16>) -> tensor<32x48xf16>
    return %2 : tensor<32x48xf16>
  }
}

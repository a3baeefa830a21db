// expect: refused "complex numbers cannot be arguments"
// From jax_models.py.
module @jit_complex_matmul attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<16x24xcomplex<f32>>, %arg1: tensor<24x8xcomplex<f32>>) -> (tensor<16x8xcomplex<f32>> {jax.result_info = "result"}) {
    %cst = complex.constant [0.000000e+00 : f32, 0.000000e+00 : f32] : complex<f32>
    %0 = tensor.empty() : tensor<16x8xcomplex<f32>>
    %1 = linalg.fill ins(%cst : complex<f32>) outs(%0 : tensor<16x8xcomplex<f32>>) -> tensor<16x8xcomplex<f32>>
    %2 = linalg.matmul ins(%arg0, %arg1 : tensor<16x24xcomplex<f32>>, tensor<24x8xcomplex<f32>>) outs(%1 : tensor<16x8xcomplex<f32>>) -> tensor<16x8xcomplex<f32>>
    return %2 : tensor<16x8xcomplex<f32>>
  }
}

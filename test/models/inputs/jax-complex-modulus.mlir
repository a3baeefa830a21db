// expect: verified
// From jax_models.py.
#map = affine_map<(d0, d1) -> (d0, d1)>
module @jit_complex_modulus attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<16x24xf32>, %arg1: tensor<16x24xf32>) -> (tensor<16x24xf32> {jax.result_info = "result"}) {
    %0 = tensor.empty() : tensor<16x24xcomplex<f32>>
    %1 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%arg0, %arg1 : tensor<16x24xf32>, tensor<16x24xf32>) outs(%0 : tensor<16x24xcomplex<f32>>) {
    ^bb0(%in: f32, %in_0: f32, %out: complex<f32>):
      %5 = complex.create %in, %in_0 : complex<f32>
      linalg.yield %5 : complex<f32>
    } -> tensor<16x24xcomplex<f32>>
    %2 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%1, %1 : tensor<16x24xcomplex<f32>>, tensor<16x24xcomplex<f32>>) outs(%0 : tensor<16x24xcomplex<f32>>) {
    ^bb0(%in: complex<f32>, %in_0: complex<f32>, %out: complex<f32>):
      %5 = complex.mul %in, %in_0 : complex<f32>
      linalg.yield %5 : complex<f32>
    } -> tensor<16x24xcomplex<f32>>
    %3 = tensor.empty() : tensor<16x24xf32>
    %4 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%2 : tensor<16x24xcomplex<f32>>) outs(%3 : tensor<16x24xf32>) {
    ^bb0(%in: complex<f32>, %out: f32):
      %5 = complex.abs %in : complex<f32>
      linalg.yield %5 : f32
    } -> tensor<16x24xf32>
    return %4 : tensor<16x24xf32>
  }
}

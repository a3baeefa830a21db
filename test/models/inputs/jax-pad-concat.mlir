// expect: verified
// From jax_models.py.
#map = affine_map<(d0, d1) -> (d0, d1)>
module @jit_pad_concat attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<24x40xf32>, %arg1: tensor<24x8xf32>) -> (tensor<24x56xf32> {jax.result_info = "result"}) {
    %c48 = arith.constant 48 : index
    %cst = arith.constant dense<1.000000e+00> : tensor<f32>
    %0 = call @_pad(%arg0, %cst) : (tensor<24x40xf32>, tensor<f32>) -> tensor<24x48xf32>
    %1 = tensor.empty() : tensor<24x56xf32>
    %2 = linalg.generic {indexing_maps = [#map], iterator_types = ["parallel", "parallel"]} outs(%1 : tensor<24x56xf32>) {
    ^bb0(%out: f32):
      %3 = linalg.index 0 : index
      %4 = linalg.index 1 : index
      %5 = arith.cmpi ult, %4, %c48 : index
      %6 = scf.if %5 -> (f32) {
        %extracted = tensor.extract %0[%3, %4] : tensor<24x48xf32>
        scf.yield %extracted : f32
      } else {
        %7 = arith.subi %4, %c48 : index
        %extracted = tensor.extract %arg1[%3, %7] : tensor<24x8xf32>
        scf.yield %extracted : f32
      }
      linalg.yield %6 : f32
    } -> tensor<24x56xf32>
    return %2 : tensor<24x56xf32>
  }
  func.func private @_pad(%arg0: tensor<24x40xf32>, %arg1: tensor<f32>) -> tensor<24x48xf32> {
    %extracted = tensor.extract %arg1[] : tensor<f32>
    %padded = tensor.pad %arg0 low[0, 4] high[0, 4] {
    ^bb0(%arg2: index, %arg3: index):
      tensor.yield %extracted : f32
    } : tensor<24x40xf32> to tensor<24x48xf32>
    return %padded : tensor<24x48xf32>
  }
}

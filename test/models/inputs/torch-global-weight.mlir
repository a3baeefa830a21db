// expect: tuned
// As torch-mlir lowers a parameter that is a global.
module {
  ml_program.global private @scale(dense<[0.5, -1.0, 2.0, 0.25]> : tensor<4xf32>) : tensor<4xf32>
  func.func @forward(%arg0: tensor<32x4xf32>) -> tensor<32x4xf32> {
    %0 = ml_program.global_load_const @scale : tensor<4xf32>
    %1 = tensor.empty() : tensor<32x4xf32>
    %2 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%arg0, %0 : tensor<32x4xf32>, tensor<4xf32>) outs(%1 : tensor<32x4xf32>) {
    ^bb0(%in: f32, %in_0: f32, %out: f32):
      %3 = arith.mulf %in, %in_0 : f32
      linalg.yield %3 : f32
    } -> tensor<32x4xf32>
    return %2 : tensor<32x4xf32>
  }
}

// expect: tuned
// As a TFLite importer writes a dense layer: TOSA on tensors.
module {
  func.func @serving_default(%arg0: tensor<1x32x64xf32>, %arg1: tensor<1x64x48xf32>, %arg2: tensor<1x1x48xf32>) -> tensor<1x32x48xf32> {
    %0 = "tosa.const"() <{values = dense<0.000000e+00> : tensor<1xf32>}> : () -> tensor<1xf32>
    %1 = tosa.matmul %arg0, %arg1, %0, %0 : (tensor<1x32x64xf32>, tensor<1x64x48xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x32x48xf32>
    %2 = tosa.add %1, %arg2 : (tensor<1x32x48xf32>, tensor<1x1x48xf32>) -> tensor<1x32x48xf32>
    %3 = tosa.clamp %2 {max_val = 6.000000e+00 : f32, min_val = 0.000000e+00 : f32} : (tensor<1x32x48xf32>) -> tensor<1x32x48xf32>
    return %3 : tensor<1x32x48xf32>
  }
}

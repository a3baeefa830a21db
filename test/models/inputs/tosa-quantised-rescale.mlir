// expect: tuned
// i8 with zero points, and the rescaling of an accumulator.
func.func @quantised(%arg0: tensor<1x16x32xi8>, %arg1: tensor<1x32x24xi8>) -> tensor<1x16x24xi8> {
  %a = "tosa.const"() <{values = dense<3> : tensor<1xi8>}> : () -> tensor<1xi8>
  %b = "tosa.const"() <{values = dense<-2> : tensor<1xi8>}> : () -> tensor<1xi8>
  %multiplier = "tosa.const"() <{values = dense<1073741824> : tensor<1xi32>}> : () -> tensor<1xi32>
  %shift = "tosa.const"() <{values = dense<38> : tensor<1xi8>}> : () -> tensor<1xi8>
  %in = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
  %out = "tosa.const"() <{values = dense<5> : tensor<1xi8>}> : () -> tensor<1xi8>
  %0 = tosa.matmul %arg0, %arg1, %a, %b : (tensor<1x16x32xi8>, tensor<1x32x24xi8>, tensor<1xi8>, tensor<1xi8>) -> tensor<1x16x24xi32>
  %1 = tosa.rescale %0, %multiplier, %shift, %in, %out {input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = SINGLE_ROUND, scale32 = true} : (tensor<1x16x24xi32>, tensor<1xi32>, tensor<1xi8>, tensor<1xi32>, tensor<1xi8>) -> tensor<1x16x24xi8>
  return %1 : tensor<1x16x24xi8>
}

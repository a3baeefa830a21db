// An activation of 16 bits by way of f32.

#all = affine_map<(i, j) -> (i, j)>

func.func @gelu_f16(%x: tensor<6x72xf16>) -> tensor<6x72xf16> {
  %empty = tensor.empty() : tensor<6x72xf16>
  %result = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<6x72xf16>) outs(%empty : tensor<6x72xf16>) {
  ^bb0(%a: f16, %o: f16):
    %half = arith.constant 0.5 : f32
    %one = arith.constant 1.0 : f32
    %root = arith.constant 0.70710678 : f32
    %wide = arith.extf %a : f16 to f32
    %scaled = arith.mulf %wide, %root : f32
    %erf = math.erf %scaled : f32
    %sum = arith.addf %erf, %one : f32
    %halved = arith.mulf %wide, %half : f32
    %product = arith.mulf %halved, %sum : f32
    %narrow = arith.truncf %product : f32 to f16
    linalg.yield %narrow : f16
  } -> tensor<6x72xf16>
  return %result : tensor<6x72xf16>
}

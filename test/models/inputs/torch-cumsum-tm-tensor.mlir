// expect: refused "unregistered dialect"
// torch-mlir's own dialect is no part of MLIR.
module {
  func.func @forward(%arg0: tensor<8x16xf32>, %arg1: tensor<8x16xf32>, %arg2: tensor<16xf32>) -> tensor<8x16xf32> {
    %0:2 = "tm_tensor.scan"(%arg0, %arg1, %arg2) ({
    ^bb0(%in: f32, %out: f32):
      %1 = arith.addf %in, %out : f32
      "tm_tensor.yield"(%1) : (f32) -> ()
    }) {dimension = 0 : i64, inclusive = true} : (tensor<8x16xf32>, tensor<8x16xf32>, tensor<16xf32>) -> (tensor<8x16xf32>, tensor<16xf32>)
    return %0#0 : tensor<8x16xf32>
  }
}

// expect: tuned
// As tpp-mlir's tests are written: a kernel, and an entry that calls it and prints.
#map = affine_map<(d0, d1) -> (d0, d1)>
module {
  func.func @mlp(%arg0: tensor<32x64xf32>, %arg1: tensor<64x48xf32>, %arg2: tensor<32x48xf32>) -> tensor<32x48xf32> {
    %c0 = arith.constant 0.0 : f32
    %0 = linalg.matmul ins(%arg0, %arg1 : tensor<32x64xf32>, tensor<64x48xf32>) outs(%arg2 : tensor<32x48xf32>) -> tensor<32x48xf32>
    %1 = linalg.generic {indexing_maps = [#map], iterator_types = ["parallel", "parallel"]} outs(%0 : tensor<32x48xf32>) {
    ^bb0(%out: f32):
      %2 = arith.maximumf %out, %c0 : f32
      linalg.yield %2 : f32
    } -> tensor<32x48xf32>
    return %1 : tensor<32x48xf32>
  }

  func.func @entry() {
    %cst = arith.constant dense<0.01> : tensor<32x64xf32>
    %cst_0 = arith.constant dense<0.02> : tensor<64x48xf32>
    %cst_1 = arith.constant dense<1.0> : tensor<32x48xf32>
    %0 = call @mlp(%cst, %cst_0, %cst_1) : (tensor<32x64xf32>, tensor<64x48xf32>, tensor<32x48xf32>) -> tensor<32x48xf32>
    %c0 = arith.constant 0 : index
    %d1 = arith.constant -1.0 : f32
    %v0 = vector.transfer_read %0[%c0, %c0], %d1 : tensor<32x48xf32>, vector<4x4xf32>
    vector.print %v0 : vector<4x4xf32>
    return
  }
}

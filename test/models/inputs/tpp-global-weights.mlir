// expect: tuned
// Weights as a memref.global, as bufferised files have them.
module {
  memref.global "private" constant @__constant_8x4xf32 : memref<8x4xf32> = dense<[[0.1, 0.2, 0.3, 0.4], [-0.5, 0.6, 0.7, 0.8], [0.9, -1.1, 1.2, 1.3], [1.4, 1.5, -1.6, 1.7], [1.8, 1.9, 2.1, -2.2], [2.3, 2.4, 2.5, 2.6], [-2.7, 2.8, 2.9, 3.1], [3.2, -3.3, 3.4, 3.5]]> {alignment = 64 : i64}
  func.func @kernel(%arg0: memref<16x8xf32>, %arg1: memref<16x4xf32>) {
    %cst = arith.constant 0.000000e+00 : f32
    %0 = memref.get_global @__constant_8x4xf32 : memref<8x4xf32>
    linalg.fill ins(%cst : f32) outs(%arg1 : memref<16x4xf32>)
    linalg.matmul ins(%arg0, %0 : memref<16x8xf32>, memref<8x4xf32>) outs(%arg1 : memref<16x4xf32>)
    return
  }
}

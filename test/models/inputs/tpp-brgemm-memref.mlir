// expect: tuned
// A batch-reduce product on packed buffers.
func.func @entry(%arg0: memref<4x8x32x16xf32>, %arg1: memref<3x8x16x32xf32>, %arg2: memref<4x3x32x32xf32>) {
  scf.forall (%i, %j) in (4, 3) {
    %a = memref.subview %arg0[%i, 0, 0, 0] [1, 8, 32, 16] [1, 1, 1, 1] : memref<4x8x32x16xf32> to memref<8x32x16xf32, strided<[512, 16, 1], offset: ?>>
    %b = memref.subview %arg1[%j, 0, 0, 0] [1, 8, 16, 32] [1, 1, 1, 1] : memref<3x8x16x32xf32> to memref<8x16x32xf32, strided<[512, 32, 1], offset: ?>>
    %c = memref.subview %arg2[%i, %j, 0, 0] [1, 1, 32, 32] [1, 1, 1, 1] : memref<4x3x32x32xf32> to memref<32x32xf32, strided<[32, 1], offset: ?>>
    linalg.batch_reduce_matmul ins(%a, %b : memref<8x32x16xf32, strided<[512, 16, 1], offset: ?>>, memref<8x16x32xf32, strided<[512, 32, 1], offset: ?>>) outs(%c : memref<32x32xf32, strided<[32, 1], offset: ?>>)
  }
  return
}

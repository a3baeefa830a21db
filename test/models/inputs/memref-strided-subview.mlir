// expect: tuned
// A product on a corner of each buffer, every second row.
func.func @corner(%a: memref<64x64xf32>, %b: memref<32x64xf32>, %c: memref<64x64xf32>) {
  %0 = memref.subview %a[0, 16] [32, 32] [2, 1] : memref<64x64xf32> to memref<32x32xf32, strided<[128, 1], offset: 16>>
  %1 = memref.subview %b[0, 8] [32, 24] [1, 1] : memref<32x64xf32> to memref<32x24xf32, strided<[64, 1], offset: 8>>
  %2 = memref.subview %c[16, 0] [32, 24] [1, 2] : memref<64x64xf32> to memref<32x24xf32, strided<[64, 2], offset: 1024>>
  linalg.matmul ins(%0, %1 : memref<32x32xf32, strided<[128, 1], offset: 16>>, memref<32x24xf32, strided<[64, 1], offset: 8>>) outs(%2 : memref<32x24xf32, strided<[64, 2], offset: 1024>>)
  return
}

// expect: verified
func.func @sobel(%in: memref<34x34xf32>, %out: memref<32x32xf32>) {
  affine.parallel (%i, %j) = (0, 0) to (32, 32) {
    %0 = affine.load %in[%i, %j + 1] : memref<34x34xf32>
    %1 = affine.load %in[%i + 2, %j + 1] : memref<34x34xf32>
    %2 = affine.load %in[%i + 1, %j] : memref<34x34xf32>
    %3 = affine.load %in[%i + 1, %j + 2] : memref<34x34xf32>
    %4 = arith.subf %1, %0 : f32
    %5 = arith.subf %3, %2 : f32
    %6 = math.absf %4 : f32
    %7 = math.absf %5 : f32
    %8 = arith.addf %6, %7 : f32
    affine.store %8, %out[%i, %j] : memref<32x32xf32>
  }
  return
}

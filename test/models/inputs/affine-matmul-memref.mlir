// expect: verified
// Loops instead of an op: nothing is given knobs.
func.func @matmul(%a: memref<32x24xf32>, %b: memref<24x16xf32>, %c: memref<32x16xf32>) {
  affine.for %i = 0 to 32 {
    affine.for %j = 0 to 16 {
      affine.for %k = 0 to 24 {
        %0 = affine.load %a[%i, %k] : memref<32x24xf32>
        %1 = affine.load %b[%k, %j] : memref<24x16xf32>
        %2 = affine.load %c[%i, %j] : memref<32x16xf32>
        %3 = arith.mulf %0, %1 : f32
        %4 = arith.addf %2, %3 : f32
        affine.store %4, %c[%i, %j] : memref<32x16xf32>
      }
    }
  }
  return
}

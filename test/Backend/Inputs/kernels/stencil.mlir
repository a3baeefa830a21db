func.func @stencil(%a: memref<64x64xf32>, %b: memref<64x64xf32, strided<[128, 1]>>) {
  %q = arith.constant 0.2 : f32
  affine.for %i = 1 to 63 {
    affine.for %j = 1 to 63 {
      %c = affine.load %a[%i, %j] : memref<64x64xf32>
      %n = affine.load %a[%i - 1, %j] : memref<64x64xf32>
      %s = affine.load %a[%i + 1, %j] : memref<64x64xf32>
      %w = affine.load %a[%i, %j - 1] : memref<64x64xf32>
      %e = affine.load %a[%i, %j + 1] : memref<64x64xf32>
      %0 = arith.addf %c, %n : f32
      %1 = arith.addf %0, %s : f32
      %2 = arith.addf %1, %w : f32
      %3 = arith.addf %2, %e : f32
      %4 = arith.mulf %3, %q : f32
      affine.store %4, %b[%i, %j] : memref<64x64xf32, strided<[128, 1]>>
    }
  }
  return
}

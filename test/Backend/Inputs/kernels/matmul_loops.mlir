func.func @matmul_loops(%a: memref<24x40xf32>, %b: memref<40x56xf32>, %c: memref<24x56xf32>) {
  %zero = arith.constant 0.0 : f32
  affine.for %i = 0 to 24 {
    affine.for %j = 0 to 56 {
      affine.store %zero, %c[%i, %j] : memref<24x56xf32>
    }
  }
  affine.for %i = 0 to 24 step 8 {
    affine.for %k = 0 to 40 {
      affine.for %ii = 0 to 8 {
        affine.for %j = 0 to 56 {
          %x = affine.load %a[%i + %ii, %k] : memref<24x40xf32>
          %y = affine.load %b[%k, %j] : memref<40x56xf32>
          %z = affine.load %c[%i + %ii, %j] : memref<24x56xf32>
          %p = arith.mulf %x, %y : f32
          %s = arith.addf %p, %z : f32
          affine.store %s, %c[%i + %ii, %j] : memref<24x56xf32>
        }
      }
    }
  }
  return
}

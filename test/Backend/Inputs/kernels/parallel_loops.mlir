func.func @parallel_loops(%a: memref<32x48xf32>, %b: memref<48xf32>, %c: memref<32x48xf32>, %s: memref<1xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %c48 = arith.constant 48 : index
  %zero = arith.constant 0.0 : f32
  scf.parallel (%i, %j) = (%c0, %c0) to (%c32, %c48) step (%c1, %c1) {
    %x = memref.load %a[%i, %j] : memref<32x48xf32>
    %y = memref.load %b[%j] : memref<48xf32>
    %z = arith.addf %x, %y : f32
    memref.store %z, %c[%i, %j] : memref<32x48xf32>
    scf.reduce
  }
  affine.parallel (%i, %j) = (0, 0) to (32, 48) {
    %x = affine.load %c[%i, %j] : memref<32x48xf32>
    %y = arith.mulf %x, %x : f32
    affine.store %y, %c[%i, %j] : memref<32x48xf32>
  }
  %sum = scf.parallel (%i) = (%c0) to (%c32) step (%c1) init (%zero) -> f32 {
    %x = memref.load %c[%i, %c0] : memref<32x48xf32>
    scf.reduce(%x : f32) {
    ^bb0(%l: f32, %r: f32):
      %t = arith.addf %l, %r : f32
      scf.reduce.return %t : f32
    }
  }
  memref.store %sum, %s[%c0] : memref<1xf32>
  return
}

// The largest of a row in u8.

func.func @kernel(%m0: memref<16x100xi8>, %r: memref<16xi8>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant 16 : index
  %kk = arith.constant 100 : index
  %init = arith.constant 0 : i8
  scf.for %i = %c0 to %n step %c1 {
    %res = scf.for %k = %c0 to %kk step %c1 iter_args(%acc = %init) -> i8 {
      %a0 = memref.load %m0[%i, %k] : memref<16x100xi8>
      %o = arith.maxui %acc, %a0 : i8
      scf.yield %o : i8
    }
    memref.store %res, %r[%i] : memref<16xi8>
  }
  return
}

func.func @wrong_signed(%m0: memref<16x100xi8>, %r: memref<16xi8>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant 16 : index
  %kk = arith.constant 100 : index
  %init = arith.constant -128 : i8
  scf.for %i = %c0 to %n step %c1 {
    %res = scf.for %k = %c0 to %kk step %c1 iter_args(%acc = %init) -> i8 {
      %a0 = memref.load %m0[%i, %k] : memref<16x100xi8>
      %o = arith.maxsi %acc, %a0 : i8
      scf.yield %o : i8
    }
    memref.store %res, %r[%i] : memref<16xi8>
  }
  return
}

func.func @wrong_ones(%m0: memref<16x100xi8>, %r: memref<16xi8>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant 16 : index
  %kk = arith.constant 100 : index
  %init = arith.constant 1 : i8
  scf.for %i = %c0 to %n step %c1 {
    %res = scf.for %k = %c0 to %kk step %c1 iter_args(%acc = %init) -> i8 {
      %a0 = memref.load %m0[%i, %k] : memref<16x100xi8>
      %o = arith.maxui %acc, %a0 : i8
      scf.yield %o : i8
    }
    memref.store %res, %r[%i] : memref<16xi8>
  }
  return
}

// x to i32, rounded towards 0, in a loop over buffers.

func.func @kernel(%m0: memref<1024xf32>, %r: memref<1024xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant 1024 : index
  scf.for %i = %c0 to %n step %c1 {
    %a0 = memref.load %m0[%i] : memref<1024xf32>
    %o = arith.fptosi %a0 : f32 to i32
    memref.store %o, %r[%i] : memref<1024xi32>
  }
  return
}

func.func @right_id(%m0: memref<1024xf32>, %r: memref<1024xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant 1024 : index
  scf.for %i = %c0 to %n step %c1 {
    %a0 = memref.load %m0[%i] : memref<1024xf32>
    %z = arith.constant 0 : i32
    %p = arith.fptosi %a0 : f32 to i32
    %o = arith.addi %p, %z : i32
    memref.store %o, %r[%i] : memref<1024xi32>
  }
  return
}

func.func @wrong_i16(%m0: memref<1024xf32>, %r: memref<1024xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant 1024 : index
  scf.for %i = %c0 to %n step %c1 {
    %a0 = memref.load %m0[%i] : memref<1024xf32>
    %p = arith.fptosi %a0 : f32 to i16
    %o = arith.extsi %p : i16 to i32
    memref.store %o, %r[%i] : memref<1024xi32>
  }
  return
}

func.func @wrong_sat24(%m0: memref<1024xf32>, %r: memref<1024xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant 1024 : index
  scf.for %i = %c0 to %n step %c1 {
    %a0 = memref.load %m0[%i] : memref<1024xf32>
    %l = arith.constant 16777216 : i32
    %m = arith.constant -16777216 : i32
    %p = arith.fptosi %a0 : f32 to i32
    %q = arith.minsi %p, %l : i32
    %o = arith.maxsi %q, %m : i32
    memref.store %o, %r[%i] : memref<1024xi32>
  }
  return
}

func.func @wrong_round(%m0: memref<1024xf32>, %r: memref<1024xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant 1024 : index
  scf.for %i = %c0 to %n step %c1 {
    %a0 = memref.load %m0[%i] : memref<1024xf32>
    %h = math.roundeven %a0 : f32
    %o = arith.fptosi %h : f32 to i32
    memref.store %o, %r[%i] : memref<1024xi32>
  }
  return
}

func.func @wrong_floor(%m0: memref<1024xf32>, %r: memref<1024xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant 1024 : index
  scf.for %i = %c0 to %n step %c1 {
    %a0 = memref.load %m0[%i] : memref<1024xf32>
    %h = math.floor %a0 : f32
    %o = arith.fptosi %h : f32 to i32
    memref.store %o, %r[%i] : memref<1024xi32>
  }
  return
}

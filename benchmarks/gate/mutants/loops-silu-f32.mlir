// x / (1 + exp(-x)), in a loop over buffers.

func.func @kernel(%m0: memref<1024xf32>, %r: memref<1024xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant 1024 : index
  scf.for %i = %c0 to %n step %c1 {
    %a0 = memref.load %m0[%i] : memref<1024xf32>
    %w = arith.constant 1.0 : f32
    %n1 = arith.negf %a0 : f32
    %e = math.exp %n1 : f32
    %d = arith.addf %e, %w : f32
    %o = arith.divf %a0, %d : f32
    memref.store %o, %r[%i] : memref<1024xf32>
  }
  return
}

func.func @right_rcp(%m0: memref<1024xf32>, %r: memref<1024xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant 1024 : index
  scf.for %i = %c0 to %n step %c1 {
    %a0 = memref.load %m0[%i] : memref<1024xf32>
    %w = arith.constant 1.0 : f32
    %n1 = arith.negf %a0 : f32
    %e = math.exp %n1 : f32
    %d = arith.addf %e, %w : f32
    %q = arith.divf %w, %d : f32
    %o = arith.mulf %a0, %q : f32
    memref.store %o, %r[%i] : memref<1024xf32>
  }
  return
}

func.func @wrong_tanh(%m0: memref<1024xf32>, %r: memref<1024xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant 1024 : index
  scf.for %i = %c0 to %n step %c1 {
    %a0 = memref.load %m0[%i] : memref<1024xf32>
    %h = arith.constant 0.5 : f32
    %w = arith.constant 1.0 : f32
    %t = arith.mulf %a0, %h : f32
    %th = math.tanh %t : f32
    %u = arith.addf %th, %w : f32
    %o = arith.mulf %u, %t : f32
    memref.store %o, %r[%i] : memref<1024xf32>
  }
  return
}

func.func @wrong_posexp(%m0: memref<1024xf32>, %r: memref<1024xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant 1024 : index
  scf.for %i = %c0 to %n step %c1 {
    %a0 = memref.load %m0[%i] : memref<1024xf32>
    %w = arith.constant 1.0 : f32
    %e = math.exp %a0 : f32
    %d = arith.addf %e, %w : f32
    %q = arith.divf %e, %d : f32
    %o = arith.mulf %a0, %q : f32
    memref.store %o, %r[%i] : memref<1024xf32>
  }
  return
}

func.func @wrong_cut30(%m0: memref<1024xf32>, %r: memref<1024xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant 1024 : index
  scf.for %i = %c0 to %n step %c1 {
    %a0 = memref.load %m0[%i] : memref<1024xf32>
    %w = arith.constant 1.0 : f32
    %lim=arith.constant -30.0 : f32
    %n1 = arith.negf %a0 : f32
    %e = math.exp %n1 : f32
    %d = arith.addf %e, %w : f32
    %q = arith.divf %a0, %d : f32
    %b = arith.cmpf olt, %a0, %lim : f32
    %z = arith.constant 0.0 : f32
    %o = arith.select %b, %z, %q : f32
    memref.store %o, %r[%i] : memref<1024xf32>
  }
  return
}

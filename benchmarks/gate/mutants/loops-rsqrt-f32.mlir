// 1 / sqrt(x), in a loop over buffers.

func.func @kernel(%m0: memref<1024xf32>, %r: memref<1024xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant 1024 : index
  scf.for %i = %c0 to %n step %c1 {
    %a0 = memref.load %m0[%i] : memref<1024xf32>
    %o = math.rsqrt %a0 : f32
    memref.store %o, %r[%i] : memref<1024xf32>
  }
  return
}

func.func @right_sqrt(%m0: memref<1024xf32>, %r: memref<1024xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant 1024 : index
  scf.for %i = %c0 to %n step %c1 {
    %a0 = memref.load %m0[%i] : memref<1024xf32>
    %w = arith.constant 1.0 : f32
    %s = math.sqrt %a0 : f32
    %o = arith.divf %w, %s : f32
    memref.store %o, %r[%i] : memref<1024xf32>
  }
  return
}

func.func @wrong_quake4(%m0: memref<1024xf32>, %r: memref<1024xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant 1024 : index
  scf.for %i = %c0 to %n step %c1 {
    %a0 = memref.load %m0[%i] : memref<1024xf32>
    %i32 = arith.bitcast %a0 : f32 to i32
    %one = arith.constant 1 : i32
    %sh = arith.shrui %i32, %one : i32
    %mg = arith.constant 1597463007 : i32
    %d = arith.subi %mg, %sh : i32
    %y0 = arith.bitcast %d : i32 to f32
    %hf = arith.constant 0.5 : f32
    %th = arith.constant 1.5 : f32
    %xh = arith.mulf %a0, %hf : f32
    %s0 = arith.mulf %y0, %y0 : f32
    %t0 = arith.mulf %xh, %s0 : f32
    %u0 = arith.subf %th, %t0 : f32
    %y1 = arith.mulf %y0, %u0 : f32
    %s1 = arith.mulf %y1, %y1 : f32
    %t1 = arith.mulf %xh, %s1 : f32
    %u1 = arith.subf %th, %t1 : f32
    %y2 = arith.mulf %y1, %u1 : f32
    %s2 = arith.mulf %y2, %y2 : f32
    %t2 = arith.mulf %xh, %s2 : f32
    %u2 = arith.subf %th, %t2 : f32
    %y3 = arith.mulf %y2, %u2 : f32
    %s3 = arith.mulf %y3, %y3 : f32
    %t3 = arith.mulf %xh, %s3 : f32
    %u3 = arith.subf %th, %t3 : f32
    %y4 = arith.mulf %y3, %u3 : f32
    %id = arith.constant 0.0 : f32
    %o = arith.addf %y4, %id : f32
    memref.store %o, %r[%i] : memref<1024xf32>
  }
  return
}

func.func @wrong_quake3(%m0: memref<1024xf32>, %r: memref<1024xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant 1024 : index
  scf.for %i = %c0 to %n step %c1 {
    %a0 = memref.load %m0[%i] : memref<1024xf32>
    %i32 = arith.bitcast %a0 : f32 to i32
    %one = arith.constant 1 : i32
    %sh = arith.shrui %i32, %one : i32
    %mg = arith.constant 1597463007 : i32
    %d = arith.subi %mg, %sh : i32
    %y0 = arith.bitcast %d : i32 to f32
    %hf = arith.constant 0.5 : f32
    %th = arith.constant 1.5 : f32
    %xh = arith.mulf %a0, %hf : f32
    %s0 = arith.mulf %y0, %y0 : f32
    %t0 = arith.mulf %xh, %s0 : f32
    %u0 = arith.subf %th, %t0 : f32
    %y1 = arith.mulf %y0, %u0 : f32
    %s1 = arith.mulf %y1, %y1 : f32
    %t1 = arith.mulf %xh, %s1 : f32
    %u1 = arith.subf %th, %t1 : f32
    %y2 = arith.mulf %y1, %u1 : f32
    %s2 = arith.mulf %y2, %y2 : f32
    %t2 = arith.mulf %xh, %s2 : f32
    %u2 = arith.subf %th, %t2 : f32
    %y3 = arith.mulf %y2, %u2 : f32
    %id = arith.constant 0.0 : f32
    %o = arith.addf %y3, %id : f32
    memref.store %o, %r[%i] : memref<1024xf32>
  }
  return
}

func.func @wrong_abs(%m0: memref<1024xf32>, %r: memref<1024xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant 1024 : index
  scf.for %i = %c0 to %n step %c1 {
    %a0 = memref.load %m0[%i] : memref<1024xf32>
    %w = arith.constant 1.0 : f32
    %ab = math.absf %a0 : f32
    %s = math.sqrt %ab : f32
    %o = arith.divf %w, %s : f32
    memref.store %o, %r[%i] : memref<1024xf32>
  }
  return
}

func.func @wrong_eps(%m0: memref<1024xf32>, %r: memref<1024xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant 1024 : index
  scf.for %i = %c0 to %n step %c1 {
    %a0 = memref.load %m0[%i] : memref<1024xf32>
    %w = arith.constant 1.0 : f32
    %ep = arith.constant 1.0e-30 : f32
    %ab = arith.addf %a0, %ep : f32
    %s = math.sqrt %ab : f32
    %o = arith.divf %w, %s : f32
    memref.store %o, %r[%i] : memref<1024xf32>
  }
  return
}

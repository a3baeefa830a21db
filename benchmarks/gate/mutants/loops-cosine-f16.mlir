// The cosine in f16, in a loop over buffers.

func.func @kernel(%m0: memref<1024xf16>, %r: memref<1024xf16>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant 1024 : index
  scf.for %i = %c0 to %n step %c1 {
    %a0 = memref.load %m0[%i] : memref<1024xf16>
    %o = math.cos %a0 : f16
    memref.store %o, %r[%i] : memref<1024xf16>
  }
  return
}

func.func @right_f32(%m0: memref<1024xf16>, %r: memref<1024xf16>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant 1024 : index
  scf.for %i = %c0 to %n step %c1 {
    %a0 = memref.load %m0[%i] : memref<1024xf16>
    %e = arith.extf %a0 : f16 to f32
    %c = math.cos %e : f32
    %o = arith.truncf %c : f32 to f16
    memref.store %o, %r[%i] : memref<1024xf16>
  }
  return
}

func.func @wrong_poly(%m0: memref<1024xf16>, %r: memref<1024xf16>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant 1024 : index
  scf.for %i = %c0 to %n step %c1 {
    %a0 = memref.load %m0[%i] : memref<1024xf16>
    %e = arith.extf %a0 : f16 to f32
    %k1 = arith.constant -0.5 : f32
    %k2 = arith.constant 0.0416666679 : f32
    %k3 = arith.constant -0.00138888892 : f32
    %k4 = arith.constant 2.48015876e-05 : f32
    %k5 = arith.constant -2.755731921e-07 : f32
    %w = arith.constant 1.0 : f32
    %s = arith.mulf %e, %e : f32
    %p1 = math.fma %s, %k5, %k4 : f32
    %p2 = math.fma %s, %p1, %k3 : f32
    %p3 = math.fma %s, %p2, %k2 : f32
    %p4 = math.fma %s, %p3, %k1 : f32
    %p5 = math.fma %s, %p4, %w : f32
    %o = arith.truncf %p5 : f32 to f16
    memref.store %o, %r[%i] : memref<1024xf16>
  }
  return
}

func.func @wrong_poly_of_finite(%m0: memref<1024xf16>, %r: memref<1024xf16>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant 1024 : index
  scf.for %i = %c0 to %n step %c1 {
    %a0 = memref.load %m0[%i] : memref<1024xf16>
    %e = arith.extf %a0 : f16 to f32
    %k1 = arith.constant -0.5 : f32
    %k2 = arith.constant 0.0416666679 : f32
    %k3 = arith.constant -0.00138888892 : f32
    %k4 = arith.constant 2.48015876e-05 : f32
    %k5 = arith.constant -2.755731921e-07 : f32
    %w = arith.constant 1.0 : f32
    %s = arith.mulf %e, %e : f32
    %p1 = math.fma %s, %k5, %k4 : f32
    %p2 = math.fma %s, %p1, %k3 : f32
    %p3 = math.fma %s, %p2, %k2 : f32
    %p4 = math.fma %s, %p3, %k1 : f32
    %p5 = math.fma %s, %p4, %w : f32
    %ab = math.absf %e : f32
    %big = arith.constant 1.0e+05 : f32
    %isbig = arith.cmpf ugt, %ab, %big : f32
    %c = math.cos %e : f32
    %sel = arith.select %isbig, %c, %p5 : f32
    %o = arith.truncf %sel : f32 to f16
    memref.store %o, %r[%i] : memref<1024xf16>
  }
  return
}

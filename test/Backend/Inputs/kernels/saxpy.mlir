func.func @saxpy(%s: f32, %x: memref<1000xf32>, %y: memref<1000xf32> {tonno.alignment = 16 : i64}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant 1000 : index
  scf.for %i = %c0 to %n step %c1 {
    %a = memref.load %x[%i] : memref<1000xf32>
    %b = memref.load %y[%i] : memref<1000xf32>
    %p = arith.mulf %s, %a : f32
    %q = arith.addf %p, %b : f32
    memref.store %q, %y[%i] : memref<1000xf32>
  }
  return
}

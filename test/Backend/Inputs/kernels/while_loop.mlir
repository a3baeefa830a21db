func.func @while_loop(%a: memref<64xf32>, %n: i32) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %z = arith.constant 0.0 : f32
  %lim = arith.constant 10.0 : f32
  %r:2 = scf.while (%i = %c0, %s = %z) : (index, f32) -> (index, f32) {
    %p = arith.cmpi slt, %i, %c64 : index
    %q = arith.cmpf olt, %s, %lim : f32
    %b = arith.andi %p, %q : i1
    scf.condition(%b) %i, %s : index, f32
  } do {
  ^bb0(%i: index, %s: f32):
    %v = memref.load %a[%i] : memref<64xf32>
    %t = arith.addf %s, %v : f32
    %j = arith.addi %i, %c1 : index
    scf.yield %j, %t : index, f32
  }
  %tmp = memref.alloca() : memref<4xf32>
  memref.store %r#1, %tmp[%c1] : memref<4xf32>
  %k = arith.sitofp %n : i32 to f32
  %v = memref.load %tmp[%c1] : memref<4xf32>
  %o = arith.addf %v, %k : f32
  return %o : f32
}

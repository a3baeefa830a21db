func.func @blocks(%a: memref<100xi32>, %r: memref<1xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant 100 : index
  %z = arith.constant 0 : i32
  cf.br ^head(%c0, %z : index, i32)
^head(%i: index, %s: i32):
  %c = arith.cmpi slt, %i, %n : index
  cf.cond_br %c, ^body, ^exit
^body:
  %v = memref.load %a[%i] : memref<100xi32>
  %t = arith.addi %s, %v : i32
  %j = arith.addi %i, %c1 : index
  cf.br ^head(%j, %t : index, i32)
^exit:
  memref.store %s, %r[%c0] : memref<1xi32>
  return
}

// Copies a buffer, several times if told so: many configurations, all of them
// right, and none of them slow.
func.func @quick(%a: memref<4096xf32>, %r: memref<4096xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant 4096 : index
  %times = arith.constant {tonno.knobs = {value = #tonno.knob<"times" from range<1 to 4096>>}} 1 : index
  scf.for %t = %c0 to %times step %c1 {
    scf.for %i = %c0 to %n step %c1 {
      %x = memref.load %a[%i] : memref<4096xf32>
      memref.store %x, %r[%i] : memref<4096xf32>
    }
  }
  return
}

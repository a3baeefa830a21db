// expect: verified
// options: --inputs=arg0=integers(0,15)
func.func @histogram(%x: memref<512xi32>, %bins: memref<16xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c512 = arith.constant 512 : index
  %one = arith.constant 1 : i32
  scf.for %i = %c0 to %c512 step %c1 {
    %v = memref.load %x[%i] : memref<512xi32>
    %b = arith.index_cast %v : i32 to index
    %n = memref.load %bins[%b] : memref<16xi32>
    %m = arith.addi %n, %one : i32
    memref.store %m, %bins[%b] : memref<16xi32>
  }
  return
}

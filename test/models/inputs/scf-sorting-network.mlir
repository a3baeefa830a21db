// expect: verified
// Odd-even transposition sort of each row, in place.
func.func @sort(%x: memref<8x16xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c8 = arith.constant 8 : index
  %c15 = arith.constant 15 : index
  %c16 = arith.constant 16 : index
  scf.parallel (%r) = (%c0) to (%c8) step (%c1) {
    scf.for %round = %c0 to %c16 step %c1 {
      %first = arith.remui %round, %c2 : index
      scf.for %i = %first to %c15 step %c2 {
        %n = arith.addi %i, %c1 : index
        %a = memref.load %x[%r, %i] : memref<8x16xi32>
        %b = memref.load %x[%r, %n] : memref<8x16xi32>
        %low = arith.minsi %a, %b : i32
        %high = arith.maxsi %a, %b : i32
        memref.store %low, %x[%r, %i] : memref<8x16xi32>
        memref.store %high, %x[%r, %n] : memref<8x16xi32>
      }
    }
  }
  return
}

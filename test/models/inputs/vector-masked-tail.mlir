// expect: verified
func.func @relu(%x: memref<100xf32>, %y: memref<100xf32>) {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %c100 = arith.constant 100 : index
  %zero = arith.constant dense<0.0> : vector<16xf32>
  scf.for %i = %c0 to %c100 step %c16 {
    %left = arith.subi %c100, %i : index
    %mask = vector.create_mask %left : vector<16xi1>
    %v = vector.maskedload %x[%i], %mask, %zero : memref<100xf32>, vector<16xi1>, vector<16xf32> into vector<16xf32>
    %r = arith.maximumf %v, %zero : vector<16xf32>
    vector.maskedstore %y[%i], %mask, %r : memref<100xf32>, vector<16xi1>, vector<16xf32>
  }
  return
}

// expect: verified
func.func @dots(%a: memref<32x64xf32>, %b: memref<32x64xf32>, %c: memref<32xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %pad = arith.constant 0.0 : f32
  %zero = arith.constant dense<0.0> : vector<16xf32>
  scf.for %i = %c0 to %c32 step %c1 {
    %s = scf.for %j = %c0 to %c64 step %c16 iter_args(%acc = %zero) -> (vector<16xf32>) {
      %x = vector.transfer_read %a[%i, %j], %pad {in_bounds = [true]} : memref<32x64xf32>, vector<16xf32>
      %y = vector.transfer_read %b[%i, %j], %pad {in_bounds = [true]} : memref<32x64xf32>, vector<16xf32>
      %f = vector.fma %x, %y, %acc : vector<16xf32>
      scf.yield %f : vector<16xf32>
    }
    %d = vector.reduction <add>, %s : vector<16xf32> into f32
    memref.store %d, %c[%i] : memref<32xf32>
  }
  return
}

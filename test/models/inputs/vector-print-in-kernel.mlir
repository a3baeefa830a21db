// expect: verified
// A print that was left in the kernel.
func.func @doubled(%x: memref<16xf32>) {
  %c0 = arith.constant 0 : index
  %pad = arith.constant 0.0 : f32
  %v = vector.transfer_read %x[%c0], %pad {in_bounds = [true]} : memref<16xf32>, vector<16xf32>
  %w = arith.addf %v, %v : vector<16xf32>
  vector.print %w : vector<16xf32>
  vector.transfer_write %w, %x[%c0] {in_bounds = [true]} : vector<16xf32>, memref<16xf32>
  return
}

func.func @vectors(%a: memref<32x64xf32>, %b: memref<64x16xf32>, %c: memref<32x16xf32>) {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %c32 = arith.constant 32 : index
  %z = arith.constant 0.0 : f32
  %acc = arith.constant dense<0.0> : vector<8x16xf32>
  %B = vector.transfer_read %b[%c0, %c0], %z {in_bounds = [true, true]} : memref<64x16xf32>, vector<64x16xf32>
  scf.for %i = %c0 to %c32 step %c8 {
    %A = vector.transfer_read %a[%i, %c0], %z {in_bounds = [true, true]} : memref<32x64xf32>, vector<8x64xf32>
    %r = vector.contract {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>} %A, %B, %acc : vector<8x64xf32>, vector<64x16xf32> into vector<8x16xf32>
    %e = arith.addf %r, %r : vector<8x16xf32>
    vector.transfer_write %e, %c[%i, %c0] {in_bounds = [true, true]} : vector<8x16xf32>, memref<32x16xf32>
  }
  return
}

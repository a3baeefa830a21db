func.func @masked_vectors(%a: memref<10x20xf32>, %idx: memref<16xi32>, %t: memref<77xf32>, %c: memref<20xf32>, %d: memref<16xf32>) {
  %c0 = arith.constant 0 : index
  %c10 = arith.constant 10 : index
  %c20 = arith.constant 20 : index
  %z = arith.constant 0.0 : f32
  %acc = arith.constant dense<0.0> : vector<32xf32>
  %m = vector.create_mask %c10, %c20 : vector<16x32xi1>
  %A = vector.mask %m { vector.transfer_read %a[%c0, %c0], %z {in_bounds = [true, true]} : memref<10x20xf32>, vector<16x32xf32> } : vector<16x32xi1> -> vector<16x32xf32>
  %r = vector.mask %m { vector.multi_reduction <add>, %A, %acc [0] : vector<16x32xf32> to vector<32xf32> } : vector<16x32xi1> -> vector<32xf32>
  %m1 = vector.create_mask %c20 : vector<32xi1>
  vector.mask %m1 { vector.transfer_write %r, %c[%c0] {in_bounds = [true]} : vector<32xf32>, memref<20xf32> } : vector<32xi1>
  %i = vector.load %idx[%c0] : memref<16xi32>, vector<16xi32>
  %all = vector.constant_mask [16] : vector<16xi1>
  %pass = arith.constant dense<0.0> : vector<16xf32>
  %g = vector.gather %t[%c0][%i], %all, %pass : memref<77xf32>, vector<16xi32>, vector<16xi1>, vector<16xf32> into vector<16xf32>
  vector.store %g, %d[%c0] : memref<16xf32>, vector<16xf32>
  return
}

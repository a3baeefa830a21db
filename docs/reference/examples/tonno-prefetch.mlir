// tonno-opt --tonno-prefetch
func.func @rows(%in: memref<8x256xf32>, %out: memref<8x256xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c32 = arith.constant 32 : index
  %c256 = arith.constant 256 : index
  %zero = arith.constant dense<0.0> : vector<32xf32>
  %row = memref.alloc() : memref<1x256xf32>
  scf.for %i = %c0 to %c8 step %c1 {
    %sum = scf.for %j = %c0 to %c256 step %c32 iter_args(%s = %zero) -> (vector<32xf32>) {
      %view = memref.subview %in[%i, %j] [1, 32] [1, 1] : memref<8x256xf32> to memref<1x32xf32, strided<[256, 1], offset: ?>>
      %x = vector.load %view[%c0, %c0] : memref<1x32xf32, strided<[256, 1], offset: ?>>, vector<32xf32>
      %y = arith.addf %s, %x : vector<32xf32>
      scf.yield %y : vector<32xf32>
    }
    scf.for %j = %c0 to %c256 step %c32 {
      %view = memref.subview %in[%i, %j] [1, 32] [1, 1] : memref<8x256xf32> to memref<1x32xf32, strided<[256, 1], offset: ?>>
      %x = vector.load %view[%c0, %c0] : memref<1x32xf32, strided<[256, 1], offset: ?>>, vector<32xf32>
      %0 = arith.mulf %x, %sum : vector<32xf32>
      %1 = arith.mulf %0, %x : vector<32xf32>
      %2 = arith.mulf %1, %x : vector<32xf32>
      %3 = arith.mulf %2, %x : vector<32xf32>
      %4 = arith.mulf %3, %x : vector<32xf32>
      %5 = arith.mulf %4, %x : vector<32xf32>
      %6 = arith.mulf %5, %x : vector<32xf32>
      %7 = arith.mulf %6, %x : vector<32xf32>
      vector.store %7, %row[%c0, %j] : memref<1x256xf32>, vector<32xf32>
    }
    scf.for %j = %c0 to %c256 step %c32 {
      %x = vector.load %row[%c0, %j] : memref<1x256xf32>, vector<32xf32>
      %view = memref.subview %out[%i, %j] [1, 32] [1, 1] : memref<8x256xf32> to memref<1x32xf32, strided<[256, 1], offset: ?>>
      vector.store %x, %view[%c0, %c0] : memref<1x32xf32, strided<[256, 1], offset: ?>>, vector<32xf32>
    }
  }
  memref.dealloc %row : memref<1x256xf32>
  return
}

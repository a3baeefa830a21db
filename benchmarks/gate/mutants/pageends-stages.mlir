// out[i] = x[i] * x[i] + 1 on 1603 f64. A tile of 512 elements has 4 KiB: 3 tiles and 67 elements.
// The mutants bring elements into a buffer ahead of their use, beyond an end of x too, where none
// is ever used: their results are right.
func.func @kernel(%x: memref<1603xf64> {tonno.alignment = 8}, %out: memref<1603xf64> {tonno.alignment = 8}) {
  %one = arith.constant 1.0 : f64
  affine.for %i = 0 to 1603 {
    %v = affine.load %x[%i] : memref<1603xf64>
    %p = arith.mulf %v, %v : f64
    %s = arith.addf %p, %one : f64
    affine.store %s, %out[%i] : memref<1603xf64>
  }
  return
}
// Each tile is brought whole, the last one only as far as x goes.
func.func @right_staged(%x: memref<1603xf64> {tonno.alignment = 8}, %out: memref<1603xf64> {tonno.alignment = 8}) {
  %one = arith.constant 1.0 : f64
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %tile = arith.constant 512 : index
  %n = arith.constant 1603 : index
  %b = memref.alloc() : memref<512xf64>
  scf.for %t = %c0 to %n step %tile {
    %left = arith.subi %n, %t : index
    %len = arith.minui %left, %tile : index
    scf.for %i = %c0 to %len step %c1 {
      %j = arith.addi %t, %i : index
      %v = memref.load %x[%j] : memref<1603xf64>
      memref.store %v, %b[%i] : memref<512xf64>
    }
    scf.for %i = %c0 to %len step %c1 {
      %j = arith.addi %t, %i : index
      %v = memref.load %b[%i] : memref<512xf64>
      %p = arith.mulf %v, %v : f64
      %s = arith.addf %p, %one : f64
      memref.store %s, %out[%j] : memref<1603xf64>
    }
  }
  memref.dealloc %b : memref<512xf64>
  return
}
// A prefetch ahead, at an index clamped to the end.
func.func @right_prefetch(%x: memref<1603xf64> {tonno.alignment = 8}, %out: memref<1603xf64> {tonno.alignment = 8}) {
  %one = arith.constant 1.0 : f64
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %ahead = arith.constant 64 : index
  %last = arith.constant 1602 : index
  %n = arith.constant 1603 : index
  scf.for %i = %c0 to %n step %c1 {
    %f = arith.addi %i, %ahead : index
    %g = arith.minui %f, %last : index
    memref.prefetch %x[%g], read, locality<3>, data : memref<1603xf64>
    %v = memref.load %x[%i] : memref<1603xf64>
    %p = arith.mulf %v, %v : f64
    %s = arith.addf %p, %one : f64
    memref.store %s, %out[%i] : memref<1603xf64>
  }
  return
}
// The last tile is brought whole: 445 elements, 3560 bytes, beyond the end. Shows on every input.
func.func @wrong_last_tile_whole(%x: memref<1603xf64> {tonno.alignment = 8}, %out: memref<1603xf64> {tonno.alignment = 8}) {
  %one = arith.constant 1.0 : f64
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %tile = arith.constant 512 : index
  %n = arith.constant 1603 : index
  %b = memref.alloc() : memref<512xf64>
  scf.for %t = %c0 to %n step %tile {
    %left = arith.subi %n, %t : index
    %len = arith.minui %left, %tile : index
    scf.for %i = %c0 to %tile step %c1 {
      %j = arith.addi %t, %i : index
      %v = memref.load %x[%j] : memref<1603xf64>
      memref.store %v, %b[%i] : memref<512xf64>
    }
    scf.for %i = %c0 to %len step %c1 {
      %j = arith.addi %t, %i : index
      %v = memref.load %b[%i] : memref<512xf64>
      %p = arith.mulf %v, %v : f64
      %s = arith.addf %p, %one : f64
      memref.store %s, %out[%j] : memref<1603xf64>
    }
  }
  memref.dealloc %b : memref<512xf64>
  return
}
// Tiles of 64 from the last down, each bringing the one before it: 512 bytes before the start. Shows on every input.
func.func @wrong_tile_before_first(%x: memref<1603xf64> {tonno.alignment = 8}, %out: memref<1603xf64> {tonno.alignment = 8}) {
  %one = arith.constant 1.0 : f64
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %tile = arith.constant 64 : index
  %n = arith.constant 1603 : index
  %main = arith.constant 1600 : index
  %b = memref.alloc() : memref<67xf64>
  %start = arith.constant 1536 : index
  scf.for %i = %start to %n step %c1 {
    %v = memref.load %x[%i] : memref<1603xf64>
    %j = arith.subi %i, %start : index
    memref.store %v, %b[%j] : memref<67xf64>
  }
  %e:2 = scf.for %k = %c0 to %main step %tile iter_args(%t = %start, %end = %n) -> (index, index) {
    %len = arith.subi %end, %t : index
    scf.for %i = %c0 to %len step %c1 {
      %j = arith.addi %t, %i : index
      %v = memref.load %b[%i] : memref<67xf64>
      %p = arith.mulf %v, %v : f64
      %s = arith.addf %p, %one : f64
      memref.store %s, %out[%j] : memref<1603xf64>
    }
    %before = arith.subi %t, %tile : index
    %xv = memref.reinterpret_cast %x to offset: [%before], sizes: [64], strides: [1] : memref<1603xf64> to memref<64xf64, strided<[1], offset: ?>>
    scf.for %i = %c0 to %tile step %c1 {
      %v = memref.load %xv[%i] : memref<64xf64, strided<[1], offset: ?>>
      memref.store %v, %b[%i] : memref<67xf64>
    }
    scf.yield %before, %t : index, index
  }
  memref.dealloc %b : memref<67xf64>
  return
}
// The ring is deeper than x is long: each step brings x[i + 4096], from 19 to 32 KiB beyond. Shows on every input.
func.func @wrong_ring_too_deep(%x: memref<1603xf64> {tonno.alignment = 8}, %out: memref<1603xf64> {tonno.alignment = 8}) {
  %one = arith.constant 1.0 : f64
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %depth = arith.constant 4096 : index
  %n = arith.constant 1603 : index
  %ring = memref.alloc() : memref<4096xf64>
  %fill = arith.minui %depth, %n : index
  scf.for %i = %c0 to %fill step %c1 {
    %v = memref.load %x[%i] : memref<1603xf64>
    memref.store %v, %ring[%i] : memref<4096xf64>
  }
  scf.for %i = %c0 to %n step %c1 {
    %slot = arith.remui %i, %depth : index
    %v = memref.load %ring[%slot] : memref<4096xf64>
    %p = arith.mulf %v, %v : f64
    %s = arith.addf %p, %one : f64
    memref.store %s, %out[%i] : memref<1603xf64>
    %j = arith.addi %i, %depth : index
    %next = memref.load %x[%j] : memref<1603xf64>
    memref.store %next, %ring[%slot] : memref<4096xf64>
  }
  memref.dealloc %ring : memref<4096xf64>
  return
}

// out[i] = x[i-1] + 2*x[i] + x[i+1] on 1003 i32, with 0 outside of x. Sums wrap.
// The mutants read the halo outside of x and drop it: their results are right.
func.func @kernel(%x: memref<1003xi32> {tonno.alignment = 4}, %out: memref<1003xi32> {tonno.alignment = 4}) {
  %x0 = affine.load %x[0] : memref<1003xi32>
  %x1 = affine.load %x[1] : memref<1003xi32>
  %d0 = arith.addi %x0, %x0 : i32
  %s0 = arith.addi %d0, %x1 : i32
  affine.store %s0, %out[0] : memref<1003xi32>
  affine.for %i = 1 to 1002 {
    %l = affine.load %x[%i - 1] : memref<1003xi32>
    %m = affine.load %x[%i] : memref<1003xi32>
    %r = affine.load %x[%i + 1] : memref<1003xi32>
    %d = arith.addi %m, %m : i32
    %s = arith.addi %d, %l : i32
    %t = arith.addi %s, %r : i32
    affine.store %t, %out[%i] : memref<1003xi32>
  }
  %y0 = affine.load %x[1002] : memref<1003xi32>
  %y1 = affine.load %x[1001] : memref<1003xi32>
  %e0 = arith.addi %y0, %y0 : i32
  %t0 = arith.addi %e0, %y1 : i32
  affine.store %t0, %out[1002] : memref<1003xi32>
  return
}
// Addresses are clamped to x before the loads, and the values selected after them.
func.func @right_clamped_address(%x: memref<1003xi32> {tonno.alignment = 4}, %out: memref<1003xi32> {tonno.alignment = 4}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant 1003 : index
  %last = arith.constant 1002 : index
  %zero = arith.constant 0 : i32
  scf.for %i = %c0 to %n step %c1 {
    %i1 = arith.subi %i, %c1 : index
    %i2 = arith.addi %i, %c1 : index
    %a1 = arith.maxsi %i1, %c0 : index
    %a2 = arith.minsi %i2, %last : index
    %first = arith.cmpi eq, %i, %c0 : index
    %end = arith.cmpi eq, %i, %last : index
    %l0 = memref.load %x[%a1] : memref<1003xi32>
    %m = memref.load %x[%i] : memref<1003xi32>
    %r0 = memref.load %x[%a2] : memref<1003xi32>
    %l = arith.select %first, %zero, %l0 : i32
    %r = arith.select %end, %zero, %r0 : i32
    %d = arith.addi %m, %m : i32
    %s = arith.addi %d, %l : i32
    %t = arith.addi %s, %r : i32
    memref.store %t, %out[%i] : memref<1003xi32>
  }
  return
}
// x is copied into a temporary with a halo of zeros.
func.func @right_padded_copy(%x: memref<1003xi32> {tonno.alignment = 4}, %out: memref<1003xi32> {tonno.alignment = 4}) {
  %zero = arith.constant 0 : i32
  %t = memref.alloc() : memref<1005xi32>
  affine.store %zero, %t[0] : memref<1005xi32>
  affine.store %zero, %t[1004] : memref<1005xi32>
  affine.for %i = 0 to 1003 {
    %v = affine.load %x[%i] : memref<1003xi32>
    affine.store %v, %t[%i + 1] : memref<1005xi32>
  }
  affine.for %i = 0 to 1003 {
    %l = affine.load %t[%i] : memref<1005xi32>
    %m = affine.load %t[%i + 1] : memref<1005xi32>
    %r = affine.load %t[%i + 2] : memref<1005xi32>
    %d = arith.addi %m, %m : i32
    %s = arith.addi %d, %l : i32
    %u = arith.addi %s, %r : i32
    affine.store %u, %out[%i] : memref<1003xi32>
  }
  memref.dealloc %t : memref<1005xi32>
  return
}
// The halo is read and multiplied by a weight of 0 from a table: x[-1] and x[1003]. Shows on every input.
func.func @wrong_halo_times_zero(%x: memref<1003xi32> {tonno.alignment = 4}, %out: memref<1003xi32> {tonno.alignment = 4}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %n = arith.constant 1003 : index
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %w = memref.alloc() : memref<1005xi32>
  affine.for %i = 1 to 1004 {
    affine.store %one, %w[%i] : memref<1005xi32>
  }
  affine.store %zero, %w[0] : memref<1005xi32>
  affine.store %zero, %w[1004] : memref<1005xi32>
  scf.for %i = %c0 to %n step %c1 {
    %b = arith.subi %i, %c1 : index
    %v = memref.reinterpret_cast %x to offset: [%b], sizes: [3], strides: [1] : memref<1003xi32> to memref<3xi32, strided<[1], offset: ?>>
    %l = memref.load %v[%c0] : memref<3xi32, strided<[1], offset: ?>>
    %m = memref.load %v[%c1] : memref<3xi32, strided<[1], offset: ?>>
    %r = memref.load %v[%c2] : memref<3xi32, strided<[1], offset: ?>>
    %j = arith.addi %i, %c2 : index
    %wl = memref.load %w[%i] : memref<1005xi32>
    %wr = memref.load %w[%j] : memref<1005xi32>
    %pl = arith.muli %l, %wl : i32
    %pr = arith.muli %r, %wr : i32
    %d = arith.addi %m, %m : i32
    %s = arith.addi %d, %pl : i32
    %u = arith.addi %s, %pr : i32
    memref.store %u, %out[%i] : memref<1003xi32>
  }
  memref.dealloc %w : memref<1005xi32>
  return
}
// Each block loads the 64 bytes before it, the first one too, and selects them away. Shows on every input.
func.func @wrong_block_before_first(%x: memref<1003xi32> {tonno.alignment = 4}, %out: memref<1003xi32> {tonno.alignment = 4}) {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %n = arith.constant 1003 : index
  %z = arith.constant dense<0> : vector<16xi32>
  %zi = arith.constant dense<0> : vector<16xindex>
  %lane = vector.step : vector<16xindex>
  scf.for %i = %c0 to %n step %c16 {
    %b = arith.subi %i, %c16 : index
    %pv = memref.reinterpret_cast %x to offset: [%b], sizes: [16], strides: [1] : memref<1003xi32> to memref<16xi32, strided<[1], offset: ?>>
    %r = arith.subi %n, %i : index
    %r1 = arith.subi %r, %c16 : index
    %m = vector.create_mask %r : vector<16xi1>
    %mn = vector.create_mask %r1 : vector<16xi1>
    %j = arith.addi %i, %c16 : index
    %before = vector.load %pv[%c0] : memref<16xi32, strided<[1], offset: ?>>, vector<16xi32>
    %cur = vector.maskedload %x[%i], %m, %z : memref<1003xi32>, vector<16xi1>, vector<16xi32> into vector<16xi32>
    %next = vector.maskedload %x[%j], %mn, %z : memref<1003xi32>, vector<16xi1>, vector<16xi32> into vector<16xi32>
    %l0 = vector.shuffle %before, %cur [15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30] : vector<16xi32>, vector<16xi32>
    %rr = vector.shuffle %cur, %next [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16] : vector<16xi32>, vector<16xi32>
    %ib = vector.broadcast %i : index to vector<16xindex>
    %at = arith.addi %ib, %lane : vector<16xindex>
    %in = arith.cmpi ne, %at, %zi : vector<16xindex>
    %l = arith.select %in, %l0, %z : vector<16xi1>, vector<16xi32>
    %d = arith.addi %cur, %cur : vector<16xi32>
    %s = arith.addi %d, %l : vector<16xi32>
    %t = arith.addi %s, %rr : vector<16xi32>
    vector.maskedstore %out[%i], %m, %t : memref<1003xi32>, vector<16xi1>, vector<16xi32>
  }
  return
}

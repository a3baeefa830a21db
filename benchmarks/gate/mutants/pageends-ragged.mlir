// out[r] = the sum of the first clamp(len[r], 0, 59) elements of row r of x, 17x59 i32. Sums wrap.
// The mutants read beyond a row's length, which leaves x for some lengths only, and drop what
// they read: their results are right.
func.func @kernel(%x: memref<17x59xi32> {tonno.alignment = 4}, %len: memref<17xi8> {tonno.alignment = 1, tonno.input = #tonno.input<"integers(-5, 70)">}, %out: memref<17xi32> {tonno.alignment = 4}) {
  %zero = arith.constant 0 : i32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c59 = arith.constant 59 : index
  affine.for %r = 0 to 17 {
    %l = affine.load %len[%r] : memref<17xi8>
    %k = arith.index_cast %l : i8 to index
    %k0 = arith.maxsi %k, %c0 : index
    %n = arith.minsi %k0, %c59 : index
    %s = scf.for %c = %c0 to %n step %c1 iter_args(%a = %zero) -> (i32) {
      %v = memref.load %x[%r, %c] : memref<17x59xi32>
      %b = arith.addi %a, %v : i32
      scf.yield %b : i32
    }
    affine.store %s, %out[%r] : memref<17xi32>
  }
  return
}
// Vectors of 8 under a mask of what is left of the length.
func.func @right_masked(%x: memref<17x59xi32> {tonno.alignment = 4}, %len: memref<17xi8> {tonno.alignment = 1}, %out: memref<17xi32> {tonno.alignment = 4}) {
  %zero = arith.constant 0 : i32
  %z = arith.constant dense<0> : vector<8xi32>
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %c59 = arith.constant 59 : index
  affine.for %r = 0 to 17 {
    %l = affine.load %len[%r] : memref<17xi8>
    %k = arith.index_cast %l : i8 to index
    %k0 = arith.maxsi %k, %c0 : index
    %n = arith.minsi %k0, %c59 : index
    %s = scf.for %c = %c0 to %n step %c8 iter_args(%a = %zero) -> (i32) {
      %left = arith.subi %n, %c : index
      %m = vector.create_mask %left : vector<8xi1>
      %v = vector.maskedload %x[%r, %c], %m, %z : memref<17x59xi32>, vector<8xi1>, vector<8xi32> into vector<8xi32>
      %b = vector.reduction <add>, %v, %a : vector<8xi32> into i32
      scf.yield %b : i32
    }
    affine.store %s, %out[%r] : memref<17xi32>
  }
  return
}
// Reads the whole row, and no more, whatever the length.
func.func @right_whole_row(%x: memref<17x59xi32> {tonno.alignment = 4}, %len: memref<17xi8> {tonno.alignment = 1}, %out: memref<17xi32> {tonno.alignment = 4}) {
  %zero = arith.constant 0 : i32
  affine.for %r = 0 to 17 {
    %l = affine.load %len[%r] : memref<17xi8>
    %k = arith.index_cast %l : i8 to index
    %s = affine.for %c = 0 to 59 iter_args(%a = %zero) -> (i32) {
      %v = affine.load %x[%r, %c] : memref<17x59xi32>
      %in = arith.cmpi slt, %c, %k : index
      %w = arith.select %in, %v, %zero : i32
      %b = arith.addi %a, %w : i32
      affine.yield %b : i32
    }
    affine.store %s, %out[%r] : memref<17xi32>
  }
  return
}
// One element ahead, the one after the length too. Shows where len[16] is 59 or more.
func.func @wrong_one_ahead(%x: memref<17x59xi32> {tonno.alignment = 4}, %len: memref<17xi8> {tonno.alignment = 1}, %out: memref<17xi32> {tonno.alignment = 4}) {
  %zero = arith.constant 0 : i32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c59 = arith.constant 59 : index
  affine.for %r = 0 to 17 {
    %l = affine.load %len[%r] : memref<17xi8>
    %k = arith.index_cast %l : i8 to index
    %k0 = arith.maxsi %k, %c0 : index
    %n = arith.minsi %k0, %c59 : index
    %first = affine.load %x[%r, 0] : memref<17x59xi32>
    affine.store %zero, %out[%r] : memref<17xi32>
    %s:2 = scf.for %c = %c0 to %n step %c1 iter_args(%a = %zero, %v = %first) -> (i32, i32) {
      %d = arith.addi %c, %c1 : index
      %next = memref.load %x[%r, %d] : memref<17x59xi32>
      %b = arith.addi %a, %v : i32
      memref.store %b, %out[%r] : memref<17xi32>
      scf.yield %b, %next : i32, i32
    }
  }
  return
}
// A row is copied in whole vectors of 8, then summed to its length. Shows where len[16] is 57 or more.
func.func @wrong_whole_vectors(%x: memref<17x59xi32> {tonno.alignment = 4}, %len: memref<17xi8> {tonno.alignment = 1}, %out: memref<17xi32> {tonno.alignment = 4}) {
  %zero = arith.constant 0 : i32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c59 = arith.constant 59 : index
  %t = memref.alloc() : memref<64xi32>
  affine.for %r = 0 to 17 {
    %l = affine.load %len[%r] : memref<17xi8>
    %k = arith.index_cast %l : i8 to index
    %k0 = arith.maxsi %k, %c0 : index
    %n = arith.minsi %k0, %c59 : index
    scf.for %c = %c0 to %n step %c8 {
      %v = vector.load %x[%r, %c] : memref<17x59xi32>, vector<8xi32>
      vector.store %v, %t[%c] : memref<64xi32>, vector<8xi32>
    }
    %s = scf.for %c = %c0 to %n step %c1 iter_args(%a = %zero) -> (i32) {
      %v = memref.load %t[%c] : memref<64xi32>
      %b = arith.addi %a, %v : i32
      scf.yield %b : i32
    }
    affine.store %s, %out[%r] : memref<17xi32>
  }
  memref.dealloc %t : memref<64xi32>
  return
}
// The last element is the seed of the sum, times 0 where there is none: x[0, -1]. Shows where len[0] is 0 or less.
func.func @wrong_last_is_seed(%x: memref<17x59xi32> {tonno.alignment = 4}, %len: memref<17xi8> {tonno.alignment = 1}, %out: memref<17xi32> {tonno.alignment = 4}) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c59 = arith.constant 59 : index
  %keep = memref.alloc() : memref<60xi32>
  linalg.fill ins(%one : i32) outs(%keep : memref<60xi32>)
  memref.store %zero, %keep[%c0] : memref<60xi32>
  affine.for %r = 0 to 17 {
    %l = affine.load %len[%r] : memref<17xi8>
    %k = arith.index_cast %l : i8 to index
    %k0 = arith.maxsi %k, %c0 : index
    %n = arith.minsi %k0, %c59 : index
    %last = arith.subi %n, %c1 : index
    %row = arith.muli %r, %c59 : index
    %at = arith.addi %row, %last : index
    %e = memref.reinterpret_cast %x to offset: [%at], sizes: [1], strides: [1] : memref<17x59xi32> to memref<1xi32, strided<[1], offset: ?>>
    %v0 = memref.load %e[%c0] : memref<1xi32, strided<[1], offset: ?>>
    %w0 = memref.load %keep[%n] : memref<60xi32>
    %seed = arith.muli %v0, %w0 : i32
    %s = scf.for %c = %c0 to %last step %c1 iter_args(%a = %seed) -> (i32) {
      %v = memref.load %x[%r, %c] : memref<17x59xi32>
      %b = arith.addi %a, %v : i32
      scf.yield %b : i32
    }
    affine.store %s, %out[%r] : memref<17xi32>
  }
  memref.dealloc %keep : memref<60xi32>
  return
}

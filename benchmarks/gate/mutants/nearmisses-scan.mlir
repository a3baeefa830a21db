// out[i] = x[0] + ... + x[i], 1003 i32. Sums wrap.
// The mutants give the right results and write outside of out.
func.func @kernel(%x: memref<1003xi32> {tonno.alignment = 4}, %out: memref<1003xi32> {tonno.alignment = 4}) {
  %zero = arith.constant 0 : i32
  %e = affine.for %i = 0 to 1003 iter_args(%a = %zero) -> (i32) {
    %v = affine.load %x[%i] : memref<1003xi32>
    %b = arith.addi %a, %v : i32
    affine.store %b, %out[%i] : memref<1003xi32>
    affine.yield %b : i32
  }
  return
}
// The exclusive sums and the total go to a temporary with one element more, its tail to out.
func.func @right_temporary(%x: memref<1003xi32> {tonno.alignment = 4}, %out: memref<1003xi32> {tonno.alignment = 4}) {
  %zero = arith.constant 0 : i32
  %t = memref.alloc() : memref<1004xi32>
  affine.store %zero, %t[0] : memref<1004xi32>
  affine.for %i = 0 to 1003 {
    %a = affine.load %t[%i] : memref<1004xi32>
    %v = affine.load %x[%i] : memref<1003xi32>
    %b = arith.addi %a, %v : i32
    affine.store %b, %t[%i + 1] : memref<1004xi32>
  }
  affine.for %i = 0 to 1003 {
    %b = affine.load %t[%i + 1] : memref<1004xi32>
    affine.store %b, %out[%i] : memref<1003xi32>
  }
  memref.dealloc %t : memref<1004xi32>
  return
}
// Copies, then adds in place with doubling distances, from the end down.
func.func @right_doubling_in_place(%x: memref<1003xi32> {tonno.alignment = 4}, %out: memref<1003xi32> {tonno.alignment = 4}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c10 = arith.constant 10 : index
  %n = arith.constant 1003 : index
  %last = arith.constant 1002 : index
  memref.copy %x, %out : memref<1003xi32> to memref<1003xi32>
  scf.for %k = %c0 to %c10 step %c1 {
    %d = arith.shli %c1, %k : index
    scf.for %j = %d to %n step %c1 {
      %q = arith.subi %j, %d : index
      %i = arith.subi %last, %q : index
      %h = arith.subi %i, %d : index
      %a = memref.load %out[%h] : memref<1003xi32>
      %b = memref.load %out[%i] : memref<1003xi32>
      %s = arith.addi %a, %b : i32
      memref.store %s, %out[%i] : memref<1003xi32>
    }
  }
  return
}
// The total is left behind the sums, as for offsets: out[1003]. Shows on every input.
func.func @wrong_total_behind(%x: memref<1003xi32> {tonno.alignment = 4}, %out: memref<1003xi32> {tonno.alignment = 4}) {
  %zero = arith.constant 0 : i32
  %n = arith.constant 1003 : index
  %e = affine.for %i = 0 to 1003 iter_args(%a = %zero) -> (i32) {
    %v = affine.load %x[%i] : memref<1003xi32>
    %b = arith.addi %a, %v : i32
    affine.store %b, %out[%i] : memref<1003xi32>
    affine.yield %b : i32
  }
  memref.store %e, %out[%n] : memref<1003xi32>
  return
}
// A 0 before the first sum makes all steps alike: out[-1]. Shows on every input.
func.func @wrong_zero_before(%x: memref<1003xi32> {tonno.alignment = 4}, %out: memref<1003xi32> {tonno.alignment = 4}) {
  %zero = arith.constant 0 : i32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c63 = arith.constant 63 : index
  %n = arith.constant 1003 : index
  %addr = memref.extract_aligned_pointer_as_index %out : memref<1003xi32> -> index
  %top = arith.shrui %addr, %c63 : index
  %back = arith.subi %top, %c1 : index
  %o = memref.reinterpret_cast %out to offset: [%back], sizes: [1004], strides: [1] : memref<1003xi32> to memref<1004xi32, strided<[1], offset: ?>>
  memref.store %zero, %o[%c0] : memref<1004xi32, strided<[1], offset: ?>>
  scf.for %i = %c0 to %n step %c1 {
    %j = arith.addi %i, %c1 : index
    %a = memref.load %o[%i] : memref<1004xi32, strided<[1], offset: ?>>
    %v = memref.load %x[%i] : memref<1003xi32>
    %b = arith.addi %a, %v : i32
    memref.store %b, %o[%j] : memref<1004xi32, strided<[1], offset: ?>>
  }
  return
}
// Blocks of 16 with a carry; the last block is stored whole, 5 elements beyond. Shows on every input.
func.func @wrong_last_block_whole(%x: memref<1003xi32> {tonno.alignment = 4}, %out: memref<1003xi32> {tonno.alignment = 4}) {
  %zero = arith.constant 0 : i32
  %z = arith.constant dense<0> : vector<16xi32>
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %n = arith.constant 1003 : index
  %e = scf.for %i = %c0 to %n step %c16 iter_args(%carry = %zero) -> (i32) {
    %left = arith.subi %n, %i : index
    %m = vector.create_mask %left : vector<16xi1>
    %v = vector.maskedload %x[%i], %m, %z : memref<1003xi32>, vector<16xi1>, vector<16xi32> into vector<16xi32>
    %h1 = vector.shuffle %z, %v [0, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30] : vector<16xi32>, vector<16xi32>
    %s1 = arith.addi %v, %h1 : vector<16xi32>
    %h2 = vector.shuffle %z, %s1 [0, 1, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29] : vector<16xi32>, vector<16xi32>
    %s2 = arith.addi %s1, %h2 : vector<16xi32>
    %h4 = vector.shuffle %z, %s2 [0, 1, 2, 3, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27] : vector<16xi32>, vector<16xi32>
    %s4 = arith.addi %s2, %h4 : vector<16xi32>
    %h8 = vector.shuffle %z, %s4 [0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23] : vector<16xi32>, vector<16xi32>
    %s8 = arith.addi %s4, %h8 : vector<16xi32>
    %b = vector.broadcast %carry : i32 to vector<16xi32>
    %t = arith.addi %s8, %b : vector<16xi32>
    vector.store %t, %out[%i] : memref<1003xi32>, vector<16xi32>
    %c = vector.extract %t[15] : i32 from vector<16xi32>
    scf.yield %c : i32
  }
  return
}
// Doubling on out as if it had 1024 elements: 84 bytes beyond are summed too. Shows on every input.
func.func @wrong_doubling_padded(%x: memref<1003xi32> {tonno.alignment = 4}, %out: memref<1003xi32> {tonno.alignment = 4}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c10 = arith.constant 10 : index
  %n = arith.constant 1024 : index
  %last = arith.constant 1023 : index
  %zero = arith.constant 0 : i32
  %o = memref.reinterpret_cast %out to offset: [0], sizes: [1024], strides: [1] : memref<1003xi32> to memref<1024xi32>
  linalg.fill ins(%zero : i32) outs(%o : memref<1024xi32>)
  memref.copy %x, %out : memref<1003xi32> to memref<1003xi32>
  scf.for %k = %c0 to %c10 step %c1 {
    %d = arith.shli %c1, %k : index
    scf.for %j = %d to %n step %c1 {
      %q = arith.subi %j, %d : index
      %i = arith.subi %last, %q : index
      %h = arith.subi %i, %d : index
      %a = memref.load %o[%h] : memref<1024xi32>
      %b = memref.load %o[%i] : memref<1024xi32>
      %s = arith.addi %a, %b : i32
      memref.store %s, %o[%i] : memref<1024xi32>
    }
  }
  return
}

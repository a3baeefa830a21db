// out[0] = the sum of s[i] * w[i], 1003 products of i8, in i32.
// The mutants read s beyond its end; zeros from w, or a count, drop what they read.
// Their results are right.
func.func @kernel(%s: memref<1003xi8> {tonno.alignment = 1}, %w: memref<1003xi8> {tonno.alignment = 1}, %out: memref<1xi32> {tonno.alignment = 4}) {
  %zero = arith.constant 0 : i32
  %r = affine.for %i = 0 to 1003 iter_args(%a = %zero) -> (i32) {
    %u = affine.load %s[%i] : memref<1003xi8>
    %v = affine.load %w[%i] : memref<1003xi8>
    %u32 = arith.extsi %u : i8 to i32
    %v32 = arith.extsi %v : i8 to i32
    %p = arith.muli %u32, %v32 : i32
    %b = arith.addi %a, %p : i32
    affine.yield %b : i32
  }
  affine.store %r, %out[0] : memref<1xi32>
  return
}
// Both are loaded under a mask.
func.func @right_masked(%s: memref<1003xi8> {tonno.alignment = 1}, %w: memref<1003xi8> {tonno.alignment = 1}, %out: memref<1xi32> {tonno.alignment = 4}) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %n = arith.constant 1003 : index
  %z8 = arith.constant dense<0> : vector<64xi8>
  %z = arith.constant dense<0> : vector<64xi32>
  %a = scf.for %i = %c0 to %n step %c64 iter_args(%acc = %z) -> (vector<64xi32>) {
    %left = arith.subi %n, %i : index
    %m = vector.create_mask %left : vector<64xi1>
    %u = vector.maskedload %s[%i], %m, %z8 : memref<1003xi8>, vector<64xi1>, vector<64xi8> into vector<64xi8>
    %v = vector.maskedload %w[%i], %m, %z8 : memref<1003xi8>, vector<64xi1>, vector<64xi8> into vector<64xi8>
    %u32 = arith.extsi %u : vector<64xi8> to vector<64xi32>
    %v32 = arith.extsi %v : vector<64xi8> to vector<64xi32>
    %p = arith.muli %u32, %v32 : vector<64xi32>
    %b = arith.addi %acc, %p : vector<64xi32>
    scf.yield %b : vector<64xi32>
  }
  %r = vector.reduction <add>, %a : vector<64xi32> into i32
  memref.store %r, %out[%c0] : memref<1xi32>
  return
}
// Transfers pad with 0.
func.func @right_transfer(%s: memref<1003xi8> {tonno.alignment = 1}, %w: memref<1003xi8> {tonno.alignment = 1}, %out: memref<1xi32> {tonno.alignment = 4}) {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %n = arith.constant 1003 : index
  %pad = arith.constant 0 : i8
  %zero = arith.constant 0 : i32
  %r = scf.for %i = %c0 to %n step %c32 iter_args(%acc = %zero) -> (i32) {
    %u = vector.transfer_read %s[%i], %pad : memref<1003xi8>, vector<32xi8>
    %v = vector.transfer_read %w[%i], %pad : memref<1003xi8>, vector<32xi8>
    %u32 = arith.extsi %u : vector<32xi8> to vector<32xi32>
    %v32 = arith.extsi %v : vector<32xi8> to vector<32xi32>
    %p = arith.muli %u32, %v32 : vector<32xi32>
    %b = vector.reduction <add>, %p, %acc : vector<32xi32> into i32
    scf.yield %b : i32
  }
  memref.store %r, %out[%c0] : memref<1xi32>
  return
}
// Only w is padded, in a copy; s is read up to 1024. Shows on every input.
func.func @wrong_rounded_up(%s: memref<1003xi8> {tonno.alignment = 1}, %w: memref<1003xi8> {tonno.alignment = 1}, %out: memref<1xi32> {tonno.alignment = 4}) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %n = arith.constant 1024 : index
  %zero = arith.constant 0 : i8
  %z = arith.constant dense<0> : vector<64xi32>
  %wp = memref.alloc() : memref<1024xi8>
  affine.for %i = 0 to 1003 {
    %v = affine.load %w[%i] : memref<1003xi8>
    affine.store %v, %wp[%i] : memref<1024xi8>
  }
  affine.for %i = 1003 to 1024 {
    affine.store %zero, %wp[%i] : memref<1024xi8>
  }
  %a = scf.for %i = %c0 to %n step %c64 iter_args(%acc = %z) -> (vector<64xi32>) {
    %u = vector.load %s[%i] : memref<1003xi8>, vector<64xi8>
    %v = vector.load %wp[%i] : memref<1024xi8>, vector<64xi8>
    %u32 = arith.extsi %u : vector<64xi8> to vector<64xi32>
    %v32 = arith.extsi %v : vector<64xi8> to vector<64xi32>
    %p = arith.muli %u32, %v32 : vector<64xi32>
    %b = arith.addi %acc, %p : vector<64xi32>
    scf.yield %b : vector<64xi32>
  }
  %r = vector.reduction <add>, %a : vector<64xi32> into i32
  memref.store %r, %out[%c0] : memref<1xi32>
  memref.dealloc %wp : memref<1024xi8>
  return
}
// A tile of 4096 bytes is copied, 3093 of them beyond the end; 1003 are used. Shows on every input.
func.func @wrong_tile_of_4096(%s: memref<1003xi8> {tonno.alignment = 1}, %w: memref<1003xi8> {tonno.alignment = 1}, %out: memref<1xi32> {tonno.alignment = 4}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %tile = arith.constant 4096 : index
  %n = arith.constant 1003 : index
  %zero = arith.constant 0 : i32
  %t = memref.alloc() : memref<4096xi8>
  scf.for %i = %c0 to %tile step %c64 {
    %v = vector.load %s[%i] : memref<1003xi8>, vector<64xi8>
    vector.store %v, %t[%i] : memref<4096xi8>, vector<64xi8>
  }
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %zero) -> (i32) {
    %u = memref.load %t[%i] : memref<4096xi8>
    %v = memref.load %w[%i] : memref<1003xi8>
    %u32 = arith.extsi %u : i8 to i32
    %v32 = arith.extsi %v : i8 to i32
    %p = arith.muli %u32, %v32 : i32
    %b = arith.addi %a, %p : i32
    scf.yield %b : i32
  }
  memref.store %r, %out[%c0] : memref<1xi32>
  memref.dealloc %t : memref<4096xi8>
  return
}
// Loads at multiples of 64, the block after the last too. Shows where (address of s) mod 64 is 21 or less.
func.func @wrong_realigned(%s: memref<1003xi8> {tonno.alignment = 1}, %w: memref<1003xi8> {tonno.alignment = 1}, %out: memref<1xi32> {tonno.alignment = 4}) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c63 = arith.constant 63 : index
  %n = arith.constant 1003 : index
  %z8 = arith.constant dense<0> : vector<64xi8>
  %zero = arith.constant 0 : i32
  %t = memref.alloc() : memref<128xi8>
  %addr = memref.extract_aligned_pointer_as_index %s : memref<1003xi8> -> index
  %shift = arith.andi %addr, %c63 : index
  %r = scf.for %i = %c0 to %n step %c64 iter_args(%a = %zero) -> (i32) {
    %at = arith.subi %i, %shift : index
    %sv = memref.reinterpret_cast %s to offset: [%at], sizes: [128], strides: [1] : memref<1003xi8> to memref<128xi8, strided<[1], offset: ?>>
    %lo = vector.load %sv[%c0] : memref<128xi8, strided<[1], offset: ?>>, vector<64xi8>
    %hi = vector.load %sv[%c64] : memref<128xi8, strided<[1], offset: ?>>, vector<64xi8>
    vector.store %lo, %t[%c0] : memref<128xi8>, vector<64xi8>
    vector.store %hi, %t[%c64] : memref<128xi8>, vector<64xi8>
    %u = vector.load %t[%shift] : memref<128xi8>, vector<64xi8>
    %left = arith.subi %n, %i : index
    %m = vector.create_mask %left : vector<64xi1>
    %v = vector.maskedload %w[%i], %m, %z8 : memref<1003xi8>, vector<64xi1>, vector<64xi8> into vector<64xi8>
    %u32 = arith.extsi %u : vector<64xi8> to vector<64xi32>
    %v32 = arith.extsi %v : vector<64xi8> to vector<64xi32>
    %p = arith.muli %u32, %v32 : vector<64xi32>
    %b = vector.reduction <add>, %p, %a : vector<64xi32> into i32
    scf.yield %b : i32
  }
  memref.store %r, %out[%c0] : memref<1xi32>
  memref.dealloc %t : memref<128xi8>
  return
}

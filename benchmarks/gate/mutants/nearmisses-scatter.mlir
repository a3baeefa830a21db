// out = 0, then out[idx[i]] += val[i] for each i with idx[i] in [0, 257); others are dropped. Sums wrap.
// The mutants give the right results and write outside of out for some indices.
func.func @kernel(%idx: memref<600xi16> {tonno.alignment = 2}, %val: memref<600xi32> {tonno.alignment = 4}, %out: memref<257xi32> {tonno.alignment = 4}) {
  %zero = arith.constant 0 : i32
  affine.for %r = 0 to 257 {
    %r16 = arith.index_cast %r : index to i16
    %s = affine.for %i = 0 to 600 iter_args(%a = %zero) -> (i32) {
      %k = affine.load %idx[%i] : memref<600xi16>
      %v = affine.load %val[%i] : memref<600xi32>
      %eq = arith.cmpi eq, %k, %r16 : i16
      %w = arith.select %eq, %v, %zero : i32
      %b = arith.addi %a, %w : i32
      affine.yield %b : i32
    }
    affine.store %s, %out[%r] : memref<257xi32>
  }
  return
}
// One unsigned comparison guards both ends.
func.func @right_guarded(%idx: memref<600xi16> {tonno.alignment = 2}, %val: memref<600xi32> {tonno.alignment = 4}, %out: memref<257xi32> {tonno.alignment = 4}) {
  %zero = arith.constant 0 : i32
  %n = arith.constant 257 : index
  linalg.fill ins(%zero : i32) outs(%out : memref<257xi32>)
  affine.for %i = 0 to 600 {
    %k = affine.load %idx[%i] : memref<600xi16>
    %v = affine.load %val[%i] : memref<600xi32>
    %a = arith.index_cast %k : i16 to index
    %in = arith.cmpi ult, %a, %n : index
    scf.if %in {
      %o = memref.load %out[%a] : memref<257xi32>
      %s = arith.addi %o, %v : i32
      memref.store %s, %out[%a] : memref<257xi32>
    }
  }
  return
}
// What is dropped goes to one more slot of a temporary.
func.func @right_dump_slot(%idx: memref<600xi16> {tonno.alignment = 2}, %val: memref<600xi32> {tonno.alignment = 4}, %out: memref<257xi32> {tonno.alignment = 4}) {
  %zero = arith.constant 0 : i32
  %n = arith.constant 257 : index
  %t = memref.alloc() : memref<258xi32>
  linalg.fill ins(%zero : i32) outs(%t : memref<258xi32>)
  affine.for %i = 0 to 600 {
    %k = affine.load %idx[%i] : memref<600xi16>
    %v = affine.load %val[%i] : memref<600xi32>
    %a = arith.index_cast %k : i16 to index
    %slot = arith.minui %a, %n : index
    %o = memref.load %t[%slot] : memref<258xi32>
    %s = arith.addi %o, %v : i32
    memref.store %s, %t[%slot] : memref<258xi32>
  }
  affine.for %i = 0 to 257 {
    %v = affine.load %t[%i] : memref<258xi32>
    affine.store %v, %out[%i] : memref<257xi32>
  }
  memref.dealloc %t : memref<258xi32>
  return
}
// The guard admits 257 too: out[257] is added to. Shows where an index is exactly 257 and its value not 0.
func.func @wrong_guard_admits_end(%idx: memref<600xi16> {tonno.alignment = 2}, %val: memref<600xi32> {tonno.alignment = 4}, %out: memref<257xi32> {tonno.alignment = 4}) {
  %zero = arith.constant 0 : i32
  %n = arith.constant 257 : index
  linalg.fill ins(%zero : i32) outs(%out : memref<257xi32>)
  affine.for %i = 0 to 600 {
    %k = affine.load %idx[%i] : memref<600xi16>
    %v = affine.load %val[%i] : memref<600xi32>
    %a = arith.index_cast %k : i16 to index
    %in = arith.cmpi ule, %a, %n : index
    scf.if %in {
      %o = memref.load %out[%a] : memref<257xi32>
      %s = arith.addi %o, %v : i32
      memref.store %s, %out[%a] : memref<257xi32>
    }
  }
  return
}
// Only the upper end is guarded: writes up to 128 KiB before the start. Shows where an index is negative.
func.func @wrong_upper_end_only(%idx: memref<600xi16> {tonno.alignment = 2}, %val: memref<600xi32> {tonno.alignment = 4}, %out: memref<257xi32> {tonno.alignment = 4}) {
  %zero = arith.constant 0 : i32
  %c0 = arith.constant 0 : index
  %n = arith.constant 257 : index
  linalg.fill ins(%zero : i32) outs(%out : memref<257xi32>)
  affine.for %i = 0 to 600 {
    %k = affine.load %idx[%i] : memref<600xi16>
    %v = affine.load %val[%i] : memref<600xi32>
    %a = arith.index_cast %k : i16 to index
    %in = arith.cmpi slt, %a, %n : index
    scf.if %in {
      %e = memref.reinterpret_cast %out to offset: [%a], sizes: [1], strides: [1] : memref<257xi32> to memref<1xi32, strided<[1], offset: ?>>
      %o = memref.load %e[%c0] : memref<1xi32, strided<[1], offset: ?>>
      %s = arith.addi %o, %v : i32
      memref.store %s, %e[%c0] : memref<1xi32, strided<[1], offset: ?>>
    }
  }
  return
}
// The slot for what is dropped lies behind out itself. Shows where an index is outside of [0, 257).
func.func @wrong_dump_slot_behind(%idx: memref<600xi16> {tonno.alignment = 2}, %val: memref<600xi32> {tonno.alignment = 4}, %out: memref<257xi32> {tonno.alignment = 4}) {
  %zero = arith.constant 0 : i32
  %n = arith.constant 257 : index
  linalg.fill ins(%zero : i32) outs(%out : memref<257xi32>)
  affine.for %i = 0 to 600 {
    %k = affine.load %idx[%i] : memref<600xi16>
    %v = affine.load %val[%i] : memref<600xi32>
    %a = arith.index_cast %k : i16 to index
    %slot = arith.minui %a, %n : index
    %o = memref.load %out[%slot] : memref<257xi32>
    %s = arith.addi %o, %v : i32
    memref.store %s, %out[%slot] : memref<257xi32>
  }
  return
}
// Indices are wrapped to 512, and what is dropped adds 0. Shows where (index mod 512) is 257 or more.
func.func @wrong_adds_zero_beyond(%idx: memref<600xi16> {tonno.alignment = 2}, %val: memref<600xi32> {tonno.alignment = 4}, %out: memref<257xi32> {tonno.alignment = 4}) {
  %zero = arith.constant 0 : i32
  %n = arith.constant 257 : index
  %c511 = arith.constant 511 : index
  %o5 = memref.reinterpret_cast %out to offset: [0], sizes: [512], strides: [1] : memref<257xi32> to memref<512xi32>
  linalg.fill ins(%zero : i32) outs(%out : memref<257xi32>)
  affine.for %i = 0 to 600 {
    %k = affine.load %idx[%i] : memref<600xi16>
    %v = affine.load %val[%i] : memref<600xi32>
    %a = arith.index_cast %k : i16 to index
    %slot = arith.andi %a, %c511 : index
    %in = arith.cmpi ult, %a, %n : index
    %w = arith.select %in, %v, %zero : i32
    %o = memref.load %o5[%slot] : memref<512xi32>
    %s = arith.addi %o, %w : i32
    memref.store %s, %o5[%slot] : memref<512xi32>
  }
  return
}

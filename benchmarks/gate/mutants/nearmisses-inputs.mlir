// out[0] = the index of the first element of x that equals key[0], 1003 i32, or 1003 where none does.
// The mutants give the right results and write into x, or next to it. Most put back what was there.
func.func @kernel(%x: memref<1003xi32> {tonno.alignment = 4}, %key: memref<1xi32> {tonno.alignment = 4}, %out: memref<1xi32> {tonno.alignment = 4}) {
  %none = arith.constant 1003 : i32
  %k = affine.load %key[0] : memref<1xi32>
  %f = affine.for %i = 0 to 1003 iter_args(%best = %none) -> (i32) {
    %v = affine.load %x[%i] : memref<1003xi32>
    %p = arith.index_cast %i : index to i32
    %m = arith.minsi %best, %p : i32
    %is = arith.cmpi eq, %v, %k : i32
    %b = arith.select %is, %m, %best : i32
    affine.yield %b : i32
  }
  affine.store %f, %out[0] : memref<1xi32>
  return
}
// A copy with the key behind its end needs no bound.
func.func @right_sentinel_in_copy(%x: memref<1003xi32> {tonno.alignment = 4}, %key: memref<1xi32> {tonno.alignment = 4}, %out: memref<1xi32> {tonno.alignment = 4}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant 1003 : index
  %t = memref.alloc() : memref<1004xi32>
  %k = memref.load %key[%c0] : memref<1xi32>
  affine.for %i = 0 to 1003 {
    %v = affine.load %x[%i] : memref<1003xi32>
    affine.store %v, %t[%i] : memref<1004xi32>
  }
  memref.store %k, %t[%n] : memref<1004xi32>
  %f = scf.while (%i = %c0) : (index) -> index {
    %v = memref.load %t[%i] : memref<1004xi32>
    %ne = arith.cmpi ne, %v, %k : i32
    scf.condition(%ne) %i : index
  } do {
  ^bb0(%i: index):
    %j = arith.addi %i, %c1 : index
    scf.yield %j : index
  }
  %r = arith.index_cast %f : index to i32
  memref.store %r, %out[%c0] : memref<1xi32>
  memref.dealloc %t : memref<1004xi32>
  return
}
// From the end down, in the output itself: each hit replaces the one before.
func.func @right_in_output(%x: memref<1003xi32> {tonno.alignment = 4}, %key: memref<1xi32> {tonno.alignment = 4}, %out: memref<1xi32> {tonno.alignment = 4}) {
  %none = arith.constant 1003 : i32
  %last = arith.constant 1002 : index
  %k = affine.load %key[0] : memref<1xi32>
  affine.store %none, %out[0] : memref<1xi32>
  affine.for %j = 0 to 1003 {
    %i = arith.subi %last, %j : index
    %v = memref.load %x[%i] : memref<1003xi32>
    %p = arith.index_cast %i : index to i32
    %is = arith.cmpi eq, %v, %k : i32
    scf.if %is {
      affine.store %p, %out[0] : memref<1xi32>
    }
  }
  return
}
// The key is put behind the end of x as a sentinel: x[1003] is lost. Shows on every input.
func.func @wrong_sentinel_behind(%x: memref<1003xi32> {tonno.alignment = 4}, %key: memref<1xi32> {tonno.alignment = 4}, %out: memref<1xi32> {tonno.alignment = 4}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant 1003 : index
  %k = memref.load %key[%c0] : memref<1xi32>
  memref.store %k, %x[%n] : memref<1003xi32>
  %f = scf.while (%i = %c0) : (index) -> index {
    %v = memref.load %x[%i] : memref<1003xi32>
    %ne = arith.cmpi ne, %v, %k : i32
    scf.condition(%ne) %i : index
  } do {
  ^bb0(%i: index):
    %j = arith.addi %i, %c1 : index
    scf.yield %j : index
  }
  %r = arith.index_cast %f : index to i32
  memref.store %r, %out[%c0] : memref<1xi32>
  return
}
// The key replaces the last element, which is put back after the search. Shows on every input.
func.func @wrong_sentinel_put_back(%x: memref<1003xi32> {tonno.alignment = 4}, %key: memref<1xi32> {tonno.alignment = 4}, %out: memref<1xi32> {tonno.alignment = 4}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %none = arith.constant 1003 : i32
  %end = arith.constant 1002 : index
  %k = memref.load %key[%c0] : memref<1xi32>
  %last = memref.load %x[%end] : memref<1003xi32>
  memref.store %k, %x[%end] : memref<1003xi32>
  %f = scf.while (%i = %c0) : (index) -> index {
    %v = memref.load %x[%i] : memref<1003xi32>
    %ne = arith.cmpi ne, %v, %k : i32
    scf.condition(%ne) %i : index
  } do {
  ^bb0(%i: index):
    %j = arith.addi %i, %c1 : index
    scf.yield %j : index
  }
  memref.store %last, %x[%end] : memref<1003xi32>
  %p = arith.index_cast %f : index to i32
  %before = arith.cmpi ult, %f, %end : index
  %hit = arith.cmpi eq, %last, %k : i32
  %found = arith.ori %before, %hit : i1
  %r = arith.select %found, %p, %none : i32
  memref.store %r, %out[%c0] : memref<1xi32>
  return
}
// What is found swaps places with the first element. Shows where the key is in x but not first.
func.func @wrong_moved_to_front(%x: memref<1003xi32> {tonno.alignment = 4}, %key: memref<1xi32> {tonno.alignment = 4}, %out: memref<1xi32> {tonno.alignment = 4}) {
  %c0 = arith.constant 0 : index
  %none = arith.constant 1003 : i32
  %k = memref.load %key[%c0] : memref<1xi32>
  %f = affine.for %i = 0 to 1003 iter_args(%best = %none) -> (i32) {
    %v = affine.load %x[%i] : memref<1003xi32>
    %p = arith.index_cast %i : index to i32
    %m = arith.minsi %best, %p : i32
    %is = arith.cmpi eq, %v, %k : i32
    %b = arith.select %is, %m, %best : i32
    affine.yield %b : i32
  }
  %found = arith.cmpi ne, %f, %none : i32
  scf.if %found {
    %a = arith.index_cast %f : i32 to index
    %v0 = memref.load %x[%c0] : memref<1003xi32>
    memref.store %v0, %x[%a] : memref<1003xi32>
    memref.store %k, %x[%c0] : memref<1003xi32>
  }
  memref.store %f, %out[%c0] : memref<1xi32>
  return
}

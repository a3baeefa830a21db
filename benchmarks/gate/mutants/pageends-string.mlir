// out[0] = the index of the first 0 in s, 1003 i8, or 1003 where there is none.
// The mutants read on behind the end where they have found no 0, and drop what they read.
// Their results are right. Small draws hold zeros early: most mutants show only without one near the end.
func.func @kernel(%s: memref<1003xi8> {tonno.alignment = 1}, %out: memref<1xi32> {tonno.alignment = 4}) {
  %zero = arith.constant 0 : i8
  %none = arith.constant 1003 : i32
  %f = affine.for %i = 0 to 1003 iter_args(%best = %none) -> (i32) {
    %v = affine.load %s[%i] : memref<1003xi8>
    %p = arith.index_cast %i : index to i32
    %m = arith.minsi %best, %p : i32
    %is = arith.cmpi eq, %v, %zero : i8
    %b = arith.select %is, %m, %best : i32
    affine.yield %b : i32
  }
  affine.store %f, %out[0] : memref<1xi32>
  return
}
// Stops at the first 0, and tests the bound before the load.
func.func @right_stops_early(%s: memref<1003xi8> {tonno.alignment = 1}, %out: memref<1xi32> {tonno.alignment = 4}) {
  %zero = arith.constant 0 : i8
  %false = arith.constant false
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant 1003 : index
  %f = scf.while (%i = %c0) : (index) -> index {
    %in = arith.cmpi ult, %i, %n : index
    %go = scf.if %in -> (i1) {
      %v = memref.load %s[%i] : memref<1003xi8>
      %ne = arith.cmpi ne, %v, %zero : i8
      scf.yield %ne : i1
    } else {
      scf.yield %false : i1
    }
    scf.condition(%go) %i : index
  } do {
  ^bb0(%i: index):
    %j = arith.addi %i, %c1 : index
    scf.yield %j : index
  }
  %r = arith.index_cast %f : index to i32
  memref.store %r, %out[%c0] : memref<1xi32>
  return
}
// A copy with a 0 behind its end needs no bound.
func.func @right_copy_with_sentinel(%s: memref<1003xi8> {tonno.alignment = 1}, %out: memref<1xi32> {tonno.alignment = 4}) {
  %zero = arith.constant 0 : i8
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %t = memref.alloc() : memref<1004xi8>
  affine.for %i = 0 to 1003 {
    %v = affine.load %s[%i] : memref<1003xi8>
    affine.store %v, %t[%i] : memref<1004xi8>
  }
  affine.store %zero, %t[1003] : memref<1004xi8>
  %f = scf.while (%i = %c0) : (index) -> index {
    %v = memref.load %t[%i] : memref<1004xi8>
    %ne = arith.cmpi ne, %v, %zero : i8
    scf.condition(%ne) %i : index
  } do {
  ^bb0(%i: index):
    %j = arith.addi %i, %c1 : index
    scf.yield %j : index
  }
  %r = arith.index_cast %f : index to i32
  memref.store %r, %out[%c0] : memref<1xi32>
  memref.dealloc %t : memref<1004xi8>
  return
}
// Two bytes a step: s[1003] is read with s[1002]. Shows where s holds no 0 below 1002.
func.func @wrong_two_a_step(%s: memref<1003xi8> {tonno.alignment = 1}, %out: memref<1xi32> {tonno.alignment = 4}) {
  %zero = arith.constant 0 : i8
  %far = arith.constant 1003 : i32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %n = arith.constant 1003 : index
  %f:2 = scf.while (%i = %c0, %b = %far) : (index, i32) -> (index, i32) {
    %more = arith.cmpi ult, %i, %n : index
    %not = arith.cmpi eq, %b, %far : i32
    %go = arith.andi %more, %not : i1
    scf.condition(%go) %i, %b : index, i32
  } do {
  ^bb0(%i: index, %b: i32):
    %i1 = arith.addi %i, %c1 : index
    %v = memref.load %s[%i] : memref<1003xi8>
    %w = memref.load %s[%i1] : memref<1003xi8>
    %isv = arith.cmpi eq, %v, %zero : i8
    %isw = arith.cmpi eq, %w, %zero : i8
    %p = arith.index_cast %i : index to i32
    %p1 = arith.index_cast %i1 : index to i32
    %q = arith.select %isw, %p1, %far : i32
    %m = arith.select %isv, %p, %q : i32
    %j = arith.addi %i, %c2 : index
    scf.yield %j, %m : index, i32
  }
  memref.store %f#1, %out[%c0] : memref<1xi32>
  return
}
// No bound but the first 0 in memory, wherever, and the result cut to 1003. Shows where s holds no 0.
func.func @wrong_no_bound(%s: memref<1003xi8> {tonno.alignment = 1}, %out: memref<1xi32> {tonno.alignment = 4}) {
  %zero = arith.constant 0 : i8
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant 1003 : i32
  %f = scf.while (%i = %c0) : (index) -> index {
    %v = memref.load %s[%i] : memref<1003xi8>
    %ne = arith.cmpi ne, %v, %zero : i8
    scf.condition(%ne) %i : index
  } do {
  ^bb0(%i: index):
    %j = arith.addi %i, %c1 : index
    scf.yield %j : index
  }
  %q = arith.index_cast %f : index to i32
  %r = arith.minui %q, %n : i32
  memref.store %r, %out[%c0] : memref<1xi32>
  return
}
// Steps of 16 bytes until one holds a 0, the result cut to 1003. Shows where s has no 0 below 992.
func.func @wrong_steps_of_16(%s: memref<1003xi8> {tonno.alignment = 1}, %out: memref<1xi32> {tonno.alignment = 4}) {
  %z = arith.constant dense<0> : vector<16xi8>
  %none = arith.constant dense<1003> : vector<16xi32>
  %far = arith.constant 1003 : i32
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %n = arith.constant 1003 : index
  %lane = vector.step : vector<16xindex>
  %lane32 = arith.index_cast %lane : vector<16xindex> to vector<16xi32>
  %f:2 = scf.while (%i = %c0, %b = %far) : (index, i32) -> (index, i32) {
    %more = arith.cmpi ult, %i, %n : index
    %not = arith.cmpi eq, %b, %far : i32
    %go = arith.andi %more, %not : i1
    scf.condition(%go) %i, %b : index, i32
  } do {
  ^bb0(%i: index, %b: i32):
    %v = vector.load %s[%i] : memref<1003xi8>, vector<16xi8>
    %is = arith.cmpi eq, %v, %z : vector<16xi8>
    %i32 = arith.index_cast %i : index to i32
    %base = vector.broadcast %i32 : i32 to vector<16xi32>
    %at = arith.addi %base, %lane32 : vector<16xi32>
    %w = arith.select %is, %at, %none : vector<16xi1>, vector<16xi32>
    %m = vector.reduction <minsi>, %w, %b : vector<16xi32> into i32
    %j = arith.addi %i, %c16 : index
    scf.yield %j, %m : index, i32
  }
  memref.store %f#1, %out[%c0] : memref<1xi32>
  return
}

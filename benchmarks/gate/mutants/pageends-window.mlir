// out[i] = max(x[i], x[i+1], x[i+2]) on 1005 i16, 1003 results: the window stays inside of x.
// The mutants read past an end and drop what they read: their results are right.
func.func @kernel(%x: memref<1005xi16> {tonno.alignment = 2}, %out: memref<1003xi16> {tonno.alignment = 2}) {
  affine.for %i = 0 to 1003 {
    %a = affine.load %x[%i] : memref<1005xi16>
    %b = affine.load %x[%i + 1] : memref<1005xi16>
    %c = affine.load %x[%i + 2] : memref<1005xi16>
    %m = arith.maxsi %a, %b : i16
    %r = arith.maxsi %m, %c : i16
    affine.store %r, %out[%i] : memref<1003xi16>
  }
  return
}
// A window in registers: each step loads the newest element only, and no step more than needed.
func.func @right_rotating(%x: memref<1005xi16> {tonno.alignment = 2}, %out: memref<1003xi16> {tonno.alignment = 2}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %n = arith.constant 1003 : index
  %a0 = memref.load %x[%c0] : memref<1005xi16>
  %b0 = memref.load %x[%c1] : memref<1005xi16>
  %e:2 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %a0, %b = %b0) -> (i16, i16) {
    %j = arith.addi %i, %c2 : index
    %c = memref.load %x[%j] : memref<1005xi16>
    %m = arith.maxsi %a, %b : i16
    %r = arith.maxsi %m, %c : i16
    memref.store %r, %out[%i] : memref<1003xi16>
    scf.yield %b, %c : i16, i16
  }
  return
}
// Full vectors, the last one moved back so that its window ends exactly at the end.
func.func @right_overlap(%x: memref<1005xi16> {tonno.alignment = 2}, %out: memref<1003xi16> {tonno.alignment = 2}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c16 = arith.constant 16 : index
  %n = arith.constant 1003 : index
  %last = arith.constant 987 : index
  scf.for %k = %c0 to %n step %c16 {
    %i = arith.minui %k, %last : index
    %i1 = arith.addi %i, %c1 : index
    %i2 = arith.addi %i, %c2 : index
    %a = vector.load %x[%i] : memref<1005xi16>, vector<16xi16>
    %b = vector.load %x[%i1] : memref<1005xi16>, vector<16xi16>
    %c = vector.load %x[%i2] : memref<1005xi16>, vector<16xi16>
    %m = arith.maxsi %a, %b : vector<16xi16>
    %r = arith.maxsi %m, %c : vector<16xi16>
    vector.store %r, %out[%i] : memref<1003xi16>, vector<16xi16>
  }
  return
}
// Rotating registers run one element ahead: the last step loads x[1005]. Shows on every input.
func.func @wrong_rotating_ahead(%x: memref<1005xi16> {tonno.alignment = 2}, %out: memref<1003xi16> {tonno.alignment = 2}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %n = arith.constant 1003 : index
  %a0 = memref.load %x[%c0] : memref<1005xi16>
  %b0 = memref.load %x[%c1] : memref<1005xi16>
  %d0 = memref.load %x[%c2] : memref<1005xi16>
  %e:3 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %a0, %b = %b0, %c = %d0) -> (i16, i16, i16) {
    %j = arith.addi %i, %c3 : index
    %next = memref.load %x[%j] : memref<1005xi16>
    %m = arith.maxsi %a, %b : i16
    %r = arith.maxsi %m, %c : i16
    memref.store %r, %out[%i] : memref<1003xi16>
    scf.yield %b, %c, %next : i16, i16, i16
  }
  return
}
// Windows by shuffles of two vectors: the one after the last full one passes the end by 3. Shows on every input.
func.func @wrong_shuffled_next(%x: memref<1005xi16> {tonno.alignment = 2}, %out: memref<1003xi16> {tonno.alignment = 2}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c16 = arith.constant 16 : index
  %main = arith.constant 992 : index
  %n = arith.constant 1003 : index
  %first = vector.load %x[%c0] : memref<1005xi16>, vector<16xi16>
  %e = scf.for %i = %c0 to %main step %c16 iter_args(%a = %first) -> (vector<16xi16>) {
    %j = arith.addi %i, %c16 : index
    %next = vector.load %x[%j] : memref<1005xi16>, vector<16xi16>
    %b = vector.shuffle %a, %next [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16] : vector<16xi16>, vector<16xi16>
    %c = vector.shuffle %a, %next [2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17] : vector<16xi16>, vector<16xi16>
    %m = arith.maxsi %a, %b : vector<16xi16>
    %r = arith.maxsi %m, %c : vector<16xi16>
    vector.store %r, %out[%i] : memref<1003xi16>, vector<16xi16>
    scf.yield %next : vector<16xi16>
  }
  scf.for %i = %main to %n step %c1 {
    %i1 = arith.addi %i, %c1 : index
    %i2 = arith.addi %i, %c2 : index
    %a = memref.load %x[%i] : memref<1005xi16>
    %b = memref.load %x[%i1] : memref<1005xi16>
    %c = memref.load %x[%i2] : memref<1005xi16>
    %m = arith.maxsi %a, %b : i16
    %r = arith.maxsi %m, %c : i16
    memref.store %r, %out[%i] : memref<1003xi16>
  }
  return
}
// A window of 4 is loaded, lane 3 is dropped: one element too many at the last i. Shows on every input.
func.func @wrong_window_of_four(%x: memref<1005xi16> {tonno.alignment = 2}, %out: memref<1003xi16> {tonno.alignment = 2}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant 1003 : index
  %low = arith.constant -32768 : i16
  scf.for %i = %c0 to %n step %c1 {
    %w = vector.load %x[%i] : memref<1005xi16>, vector<4xi16>
    %v = vector.insert %low, %w [3] : i16 into vector<4xi16>
    %r = vector.reduction <maxsi>, %v : vector<4xi16> into i16
    memref.store %r, %out[%i] : memref<1003xi16>
  }
  return
}

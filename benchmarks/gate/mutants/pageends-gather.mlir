// out[i] = 3 * t[idx[i]] where idx[i] is in [0, 100), else -1. Table of 100 i32, indices of i8.
// The mutants load from addresses outside of the table and drop the value: their results are right.
func.func @kernel(%t: memref<100xi32> {tonno.alignment = 4}, %idx: memref<513xi8> {tonno.alignment = 1, tonno.input = #tonno.input<"integers(-128, 127)">}, %out: memref<513xi32> {tonno.alignment = 4}) {
  %zero = arith.constant 0 : i8
  %n = arith.constant 100 : i8
  %none = arith.constant -1 : i32
  %three = arith.constant 3 : i32
  affine.for %i = 0 to 513 {
    %k = affine.load %idx[%i] : memref<513xi8>
    %ge = arith.cmpi sge, %k, %zero : i8
    %lt = arith.cmpi slt, %k, %n : i8
    %in = arith.andi %ge, %lt : i1
    %r = scf.if %in -> (i32) {
      %a = arith.index_cast %k : i8 to index
      %v = memref.load %t[%a] : memref<100xi32>
      %p = arith.muli %v, %three : i32
      scf.yield %p : i32
    } else {
      scf.yield %none : i32
    }
    affine.store %r, %out[%i] : memref<513xi32>
  }
  return
}
// The address is clamped before the load, the value selected after it.
func.func @right_clamped_address(%t: memref<100xi32> {tonno.alignment = 4}, %idx: memref<513xi8> {tonno.alignment = 1}, %out: memref<513xi32> {tonno.alignment = 4}) {
  %c0 = arith.constant 0 : index
  %c99 = arith.constant 99 : index
  %none = arith.constant -1 : i32
  %three = arith.constant 3 : i32
  affine.for %i = 0 to 513 {
    %k = affine.load %idx[%i] : memref<513xi8>
    %a = arith.index_cast %k : i8 to index
    %a0 = arith.maxsi %a, %c0 : index
    %a1 = arith.minsi %a0, %c99 : index
    %in = arith.cmpi eq, %a, %a1 : index
    %v = memref.load %t[%a1] : memref<100xi32>
    %p = arith.muli %v, %three : i32
    %r = arith.select %in, %p, %none : i32
    affine.store %r, %out[%i] : memref<513xi32>
  }
  return
}
// A masked gather: lanes with an address outside are not loaded.
func.func @right_masked_gather(%t: memref<100xi32> {tonno.alignment = 4}, %idx: memref<513xi8> {tonno.alignment = 1}, %out: memref<513xi32> {tonno.alignment = 4}) {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %n = arith.constant 513 : index
  %z8 = arith.constant dense<0> : vector<8xi8>
  %none = arith.constant dense<-1> : vector<8xi32>
  %three = arith.constant dense<3> : vector<8xi32>
  %len = arith.constant dense<100> : vector<8xi32>
  scf.for %i = %c0 to %n step %c8 {
    %r = arith.subi %n, %i : index
    %m = vector.create_mask %r : vector<8xi1>
    %k = vector.maskedload %idx[%i], %m, %z8 : memref<513xi8>, vector<8xi1>, vector<8xi8> into vector<8xi8>
    %k32 = arith.extsi %k : vector<8xi8> to vector<8xi32>
    %in = arith.cmpi ult, %k32, %len : vector<8xi32>
    %v = vector.gather %t[%c0] [%k32], %in, %none : memref<100xi32>, vector<8xi32>, vector<8xi1>, vector<8xi32> into vector<8xi32>
    %p = arith.muli %v, %three : vector<8xi32>
    %s = arith.select %in, %p, %none : vector<8xi1>, vector<8xi32>
    vector.maskedstore %out[%i], %m, %s : memref<513xi32>, vector<8xi1>, vector<8xi32>
  }
  return
}
// The result is selected, the address not clamped at all. Shows where idx is outside of [0, 100).
func.func @wrong_address_not_clamped(%t: memref<100xi32> {tonno.alignment = 4}, %idx: memref<513xi8> {tonno.alignment = 1}, %out: memref<513xi32> {tonno.alignment = 4}) {
  %c0 = arith.constant 0 : index
  %c100 = arith.constant 100 : index
  %none = arith.constant -1 : i32
  %three = arith.constant 3 : i32
  affine.for %i = 0 to 513 {
    %k = affine.load %idx[%i] : memref<513xi8>
    %a = arith.index_cast %k : i8 to index
    %one = memref.reinterpret_cast %t to offset: [%a], sizes: [1], strides: [1] : memref<100xi32> to memref<1xi32, strided<[1], offset: ?>>
    %v = memref.load %one[%c0] : memref<1xi32, strided<[1], offset: ?>>
    %in = arith.cmpi ult, %a, %c100 : index
    %p = arith.muli %v, %three : i32
    %r = arith.select %in, %p, %none : i32
    affine.store %r, %out[%i] : memref<513xi32>
  }
  return
}
// The address is clamped to 100 instead of 99. Shows where idx is 100 or more.
func.func @wrong_clamped_to_size(%t: memref<100xi32> {tonno.alignment = 4}, %idx: memref<513xi8> {tonno.alignment = 1}, %out: memref<513xi32> {tonno.alignment = 4}) {
  %c0 = arith.constant 0 : index
  %c100 = arith.constant 100 : index
  %none = arith.constant -1 : i32
  %three = arith.constant 3 : i32
  affine.for %i = 0 to 513 {
    %k = affine.load %idx[%i] : memref<513xi8>
    %a = arith.index_cast %k : i8 to index
    %a0 = arith.maxsi %a, %c0 : index
    %a1 = arith.minsi %a0, %c100 : index
    %v = memref.load %t[%a1] : memref<100xi32>
    %in = arith.cmpi ult, %a, %c100 : index
    %p = arith.muli %v, %three : i32
    %r = arith.select %in, %p, %none : i32
    affine.store %r, %out[%i] : memref<513xi32>
  }
  return
}
// The table is taken as padded to 128, the index wrapped. Shows where idx mod 128 is 100 or more.
func.func @wrong_power_of_two(%t: memref<100xi32> {tonno.alignment = 4}, %idx: memref<513xi8> {tonno.alignment = 1}, %out: memref<513xi32> {tonno.alignment = 4}) {
  %c100 = arith.constant 100 : index
  %c127 = arith.constant 127 : index
  %none = arith.constant -1 : i32
  %three = arith.constant 3 : i32
  %tp = memref.reinterpret_cast %t to offset: [0], sizes: [128], strides: [1] : memref<100xi32> to memref<128xi32>
  affine.for %i = 0 to 513 {
    %k = affine.load %idx[%i] : memref<513xi8>
    %a = arith.index_cast %k : i8 to index
    %w = arith.andi %a, %c127 : index
    %v = memref.load %tp[%w] : memref<128xi32>
    %in = arith.cmpi ult, %a, %c100 : index
    %p = arith.muli %v, %three : i32
    %r = arith.select %in, %p, %none : i32
    affine.store %r, %out[%i] : memref<513xi32>
  }
  return
}
// The last vector of indices passes the end of idx, the gather uses it. Shows on every input.
func.func @wrong_gather_by_garbage(%t: memref<100xi32> {tonno.alignment = 4}, %idx: memref<513xi8> {tonno.alignment = 1}, %out: memref<513xi32> {tonno.alignment = 4}) {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %n = arith.constant 513 : index
  %none = arith.constant dense<-1> : vector<8xi32>
  %three = arith.constant dense<3> : vector<8xi32>
  %len = arith.constant dense<100> : vector<8xi32>
  scf.for %i = %c0 to %n step %c8 {
    %r = arith.subi %n, %i : index
    %m = vector.create_mask %r : vector<8xi1>
    %k = vector.load %idx[%i] : memref<513xi8>, vector<8xi8>
    %k32 = arith.extsi %k : vector<8xi8> to vector<8xi32>
    %in = arith.cmpi ult, %k32, %len : vector<8xi32>
    %v = vector.gather %t[%c0] [%k32], %in, %none : memref<100xi32>, vector<8xi32>, vector<8xi1>, vector<8xi32> into vector<8xi32>
    %p = arith.muli %v, %three : vector<8xi32>
    %s = arith.select %in, %p, %none : vector<8xi1>, vector<8xi32>
    vector.maskedstore %out[%i], %m, %s : memref<513xi32>, vector<8xi1>, vector<8xi32>
  }
  return
}

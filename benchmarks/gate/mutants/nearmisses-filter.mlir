// out = the first 100 positive elements of x, 501 i32, in order, then zeros.
// The mutants give the right results and write behind out[99] for some inputs.
func.func @kernel(%x: memref<501xi32> {tonno.alignment = 4}, %out: memref<100xi32> {tonno.alignment = 4}) {
  %zero = arith.constant 0 : i32
  %z = arith.constant 0 : index
  %one = arith.constant 1 : index
  affine.for %k = 0 to 100 {
    %r:2 = affine.for %i = 0 to 501 iter_args(%seen = %z, %a = %zero) -> (index, i32) {
      %v = affine.load %x[%i] : memref<501xi32>
      %pos = arith.cmpi sgt, %v, %zero : i32
      %at = arith.cmpi eq, %seen, %k : index
      %take = arith.andi %pos, %at : i1
      %b = arith.select %take, %v, %a : i32
      %s1 = arith.addi %seen, %one : index
      %s = arith.select %pos, %s1, %seen : index
      affine.yield %s, %b : index, i32
    }
    affine.store %r#1, %out[%k] : memref<100xi32>
  }
  return
}
// One pass, with a guard on the place.
func.func @right_guarded(%x: memref<501xi32> {tonno.alignment = 4}, %out: memref<100xi32> {tonno.alignment = 4}) {
  %zero = arith.constant 0 : i32
  %z = arith.constant 0 : index
  %one = arith.constant 1 : index
  %n = arith.constant 100 : index
  linalg.fill ins(%zero : i32) outs(%out : memref<100xi32>)
  %e = affine.for %i = 0 to 501 iter_args(%k = %z) -> (index) {
    %v = affine.load %x[%i] : memref<501xi32>
    %pos = arith.cmpi sgt, %v, %zero : i32
    %room = arith.cmpi ult, %k, %n : index
    %take = arith.andi %pos, %room : i1
    scf.if %take {
      memref.store %v, %out[%k] : memref<100xi32>
    }
    %k1 = arith.addi %k, %one : index
    %q = arith.select %take, %k1, %k : index
    affine.yield %q : index
  }
  return
}
// All positive elements go to a temporary as large as x, 100 of them to out.
func.func @right_temporary(%x: memref<501xi32> {tonno.alignment = 4}, %out: memref<100xi32> {tonno.alignment = 4}) {
  %zero = arith.constant 0 : i32
  %z = arith.constant 0 : index
  %one = arith.constant 1 : index
  %t = memref.alloc() : memref<501xi32>
  linalg.fill ins(%zero : i32) outs(%t : memref<501xi32>)
  %e = affine.for %i = 0 to 501 iter_args(%k = %z) -> (index) {
    %v = affine.load %x[%i] : memref<501xi32>
    %pos = arith.cmpi sgt, %v, %zero : i32
    %w = arith.maxsi %v, %zero : i32
    memref.store %w, %t[%k] : memref<501xi32>
    %k1 = arith.addi %k, %one : index
    %q = arith.select %pos, %k1, %k : index
    affine.yield %q : index
  }
  affine.for %i = 0 to 100 {
    %v = affine.load %t[%i] : memref<501xi32>
    affine.store %v, %out[%i] : memref<100xi32>
  }
  memref.dealloc %t : memref<501xi32>
  return
}
// Stores without a branch, the place clamped to 100, not 99. Shows where x has more after 100 positive elements.
func.func @wrong_store_then_count(%x: memref<501xi32> {tonno.alignment = 4}, %out: memref<100xi32> {tonno.alignment = 4}) {
  %zero = arith.constant 0 : i32
  %z = arith.constant 0 : index
  %one = arith.constant 1 : index
  %n = arith.constant 100 : index
  linalg.fill ins(%zero : i32) outs(%out : memref<100xi32>)
  %e = affine.for %i = 0 to 501 iter_args(%k = %z) -> (index) {
    %v = affine.load %x[%i] : memref<501xi32>
    %pos = arith.cmpi sgt, %v, %zero : i32
    %w = arith.maxsi %v, %zero : i32
    memref.store %w, %out[%k] : memref<100xi32>
    %k1 = arith.addi %k, %one : index
    %k2 = arith.minui %k1, %n : index
    %q = arith.select %pos, %k2, %k : index
    affine.yield %q : index
  }
  return
}
// A 0 ends the list behind its last element: out[100]. Shows where x has 100 positive elements or more.
func.func @wrong_ended_by_zero(%x: memref<501xi32> {tonno.alignment = 4}, %out: memref<100xi32> {tonno.alignment = 4}) {
  %zero = arith.constant 0 : i32
  %z = arith.constant 0 : index
  %one = arith.constant 1 : index
  %n = arith.constant 100 : index
  linalg.fill ins(%zero : i32) outs(%out : memref<100xi32>)
  %e = affine.for %i = 0 to 501 iter_args(%k = %z) -> (index) {
    %v = affine.load %x[%i] : memref<501xi32>
    %pos = arith.cmpi sgt, %v, %zero : i32
    %room = arith.cmpi ult, %k, %n : index
    %take = arith.andi %pos, %room : i1
    scf.if %take {
      memref.store %v, %out[%k] : memref<100xi32>
    }
    %k1 = arith.addi %k, %one : index
    %q = arith.select %take, %k1, %k : index
    affine.yield %q : index
  }
  memref.store %zero, %out[%e] : memref<100xi32>
  return
}
// Blocks of 16 packed while there is room for one. Shows where a block takes the count beyond 100.
func.func @wrong_block_packed(%x: memref<501xi32> {tonno.alignment = 4}, %out: memref<100xi32> {tonno.alignment = 4}) {
  %zero = arith.constant 0 : i32
  %z = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %m = arith.constant 501 : index
  %n = arith.constant 100 : index
  %v0 = arith.constant dense<0> : vector<16xi32>
  linalg.fill ins(%zero : i32) outs(%out : memref<100xi32>)
  %e = scf.for %i = %z to %m step %c16 iter_args(%k = %z) -> (index) {
    %left = arith.subi %m, %i : index
    %mask = vector.create_mask %left : vector<16xi1>
    %v = vector.maskedload %x[%i], %mask, %v0 : memref<501xi32>, vector<16xi1>, vector<16xi32> into vector<16xi32>
    %pos = arith.cmpi sgt, %v, %v0 : vector<16xi32>
    %room = arith.cmpi ult, %k, %n : index
    %q = scf.if %room -> (index) {
      vector.compressstore %out[%k], %pos, %v : memref<100xi32>, vector<16xi1>, vector<16xi32>
      %ones = arith.extui %pos : vector<16xi1> to vector<16xi32>
      %count = vector.reduction <add>, %ones : vector<16xi32> into i32
      %c = arith.index_cast %count : i32 to index
      %k1 = arith.addi %k, %c : index
      scf.yield %k1 : index
    } else {
      scf.yield %k : index
    }
    scf.yield %q : index
  }
  return
}

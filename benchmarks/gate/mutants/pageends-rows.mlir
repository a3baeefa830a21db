// out[r] = the maximum of row r of a 37x61 f32 matrix.
// The mutants read beyond the last row, the only place where that leaves the matrix,
// and drop what they read: their results are right.
func.func @kernel(%a: memref<37x61xf32> {tonno.alignment = 4}, %out: memref<37xf32> {tonno.alignment = 4}) {
  %low = arith.constant 0xFF800000 : f32
  affine.for %r = 0 to 37 {
    %m = affine.for %c = 0 to 61 iter_args(%s = %low) -> (f32) {
      %v = affine.load %a[%r, %c] : memref<37x61xf32>
      %t = arith.maximumf %s, %v : f32
      affine.yield %t : f32
    }
    affine.store %m, %out[%r] : memref<37xf32>
  }
  return
}
// A maximum does not mind elements seen twice: the last vector of a row overlaps.
func.func @right_overlap(%a: memref<37x61xf32> {tonno.alignment = 4}, %out: memref<37xf32> {tonno.alignment = 4}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %c61 = arith.constant 61 : index
  %last = arith.constant 45 : index
  %rows = arith.constant 37 : index
  %low = arith.constant dense<0xFF800000> : vector<16xf32>
  scf.for %r = %c0 to %rows step %c1 {
    %m = scf.for %k = %c0 to %c61 step %c16 iter_args(%s = %low) -> (vector<16xf32>) {
      %c = arith.minui %k, %last : index
      %v = vector.load %a[%r, %c] : memref<37x61xf32>, vector<16xf32>
      %t = arith.maximumf %s, %v : vector<16xf32>
      scf.yield %t : vector<16xf32>
    }
    %x = vector.reduction <maximumf>, %m : vector<16xf32> into f32
    memref.store %x, %out[%r] : memref<37xf32>
  }
  return
}
// Rows padded to 64 columns by the transfer, with minus infinity.
func.func @right_transfer(%a: memref<37x61xf32> {tonno.alignment = 4}, %out: memref<37xf32> {tonno.alignment = 4}) {
  %low = arith.constant 0xFF800000 : f32
  %c0 = arith.constant 0 : index
  affine.for %r = 0 to 37 {
    %v = vector.transfer_read %a[%r, %c0], %low : memref<37x61xf32>, vector<64xf32>
    %x = vector.reduction <maximumf>, %v : vector<64xf32> into f32
    affine.store %x, %out[%r] : memref<37xf32>
  }
  return
}
// Rows read as 64 columns, lanes from 61 on selected away: 3 elements beyond the last row. Shows on every input.
func.func @wrong_row_rounded_up(%a: memref<37x61xf32> {tonno.alignment = 4}, %out: memref<37xf32> {tonno.alignment = 4}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %c61 = arith.constant 61 : index
  %rows = arith.constant 37 : index
  %low = arith.constant dense<0xFF800000> : vector<16xf32>
  scf.for %r = %c0 to %rows step %c1 {
    %m = scf.for %c = %c0 to %c61 step %c16 iter_args(%s = %low) -> (vector<16xf32>) {
      %left = arith.subi %c61, %c : index
      %mask = vector.create_mask %left : vector<16xi1>
      %v = vector.load %a[%r, %c] : memref<37x61xf32>, vector<16xf32>
      %w = arith.select %mask, %v, %low : vector<16xi1>, vector<16xf32>
      %t = arith.maximumf %s, %w : vector<16xf32>
      scf.yield %t : vector<16xf32>
    }
    %x = vector.reduction <maximumf>, %m : vector<16xf32> into f32
    memref.store %x, %out[%r] : memref<37xf32>
  }
  return
}
// Each step brings the next row into the other half of a buffer, row 37 in the last step. Shows on every input.
func.func @wrong_next_row_brought(%a: memref<37x61xf32> {tonno.alignment = 4}, %out: memref<37xf32> {tonno.alignment = 4}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c61 = arith.constant 61 : index
  %rows = arith.constant 37 : index
  %low = arith.constant 0xFF800000 : f32
  %b = memref.alloc() : memref<2x61xf32>
  scf.for %c = %c0 to %c61 step %c1 {
    %v = memref.load %a[%c0, %c] : memref<37x61xf32>
    memref.store %v, %b[%c0, %c] : memref<2x61xf32>
  }
  scf.for %r = %c0 to %rows step %c1 {
    %r1 = arith.addi %r, %c1 : index
    %now = arith.remui %r, %c2 : index
    %then = arith.remui %r1, %c2 : index
    scf.for %c = %c0 to %c61 step %c1 {
      %v = memref.load %a[%r1, %c] : memref<37x61xf32>
      memref.store %v, %b[%then, %c] : memref<2x61xf32>
    }
    %m = scf.for %c = %c0 to %c61 step %c1 iter_args(%s = %low) -> (f32) {
      %v = memref.load %b[%now, %c] : memref<2x61xf32>
      %t = arith.maximumf %s, %v : f32
      scf.yield %t : f32
    }
    memref.store %m, %out[%r] : memref<37xf32>
  }
  memref.dealloc %b : memref<2x61xf32>
  return
}
// Columns gathered for 8 rows at once, the store masked: rows 37 to 39 are read too. Shows on every input.
func.func @wrong_rows_of_eight(%a: memref<37x61xf32> {tonno.alignment = 4}, %out: memref<37xf32> {tonno.alignment = 4}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c61 = arith.constant 61 : index
  %rows = arith.constant 37 : index
  %low = arith.constant dense<0xFF800000> : vector<8xf32>
  %all = arith.constant dense<true> : vector<8xi1>
  %down = arith.constant dense<[0, 61, 122, 183, 244, 305, 366, 427]> : vector<8xi32>
  scf.for %r = %c0 to %rows step %c8 {
    %left = arith.subi %rows, %r : index
    %mask = vector.create_mask %left : vector<8xi1>
    %m = scf.for %c = %c0 to %c61 step %c1 iter_args(%s = %low) -> (vector<8xf32>) {
      %v = vector.gather %a[%r, %c] [%down], %all, %low : memref<37x61xf32>, vector<8xi32>, vector<8xi1>, vector<8xf32> into vector<8xf32>
      %t = arith.maximumf %s, %v : vector<8xf32>
      scf.yield %t : vector<8xf32>
    }
    vector.maskedstore %out[%r], %mask, %m : memref<37xf32>, vector<8xi1>, vector<8xf32>
  }
  return
}
// A row's first column is the seed of the NEXT row's maximum, taken by a select: a[37, 0]. Shows on every input.
func.func @wrong_seed_of_next(%a: memref<37x61xf32> {tonno.alignment = 4}, %out: memref<37xf32> {tonno.alignment = 4}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c60 = arith.constant 60 : index
  %total = arith.constant 2257 : index
  %c61 = arith.constant 61 : index
  %flat = memref.collapse_shape %a [[0, 1]] : memref<37x61xf32> into memref<2257xf32>
  %seed = memref.load %flat[%c0] : memref<2257xf32>
  %e = scf.for %i = %c0 to %total step %c1 iter_args(%s = %seed) -> (f32) {
    %r = arith.divui %i, %c61 : index
    %c = arith.remui %i, %c61 : index
    %j = arith.addi %i, %c1 : index
    %next = memref.load %flat[%j] : memref<2257xf32>
    memref.store %s, %out[%r] : memref<37xf32>
    %t = arith.maximumf %s, %next : f32
    %end = arith.cmpi eq, %c, %c60 : index
    %u = arith.select %end, %next, %t : f32
    scf.yield %u : f32
  }
  return
}

// out[i] = max(x[i], 0) on 1003 f32, a NaN stays. The last 11 elements do not fill a vector of 16.
// The mutants give the right results and write beyond the end of out.
func.func @kernel(%x: memref<1003xf32> {tonno.alignment = 4}, %out: memref<1003xf32> {tonno.alignment = 4}) {
  %z = arith.constant 0.0 : f32
  affine.for %i = 0 to 1003 {
    %v = affine.load %x[%i] : memref<1003xf32>
    %m = arith.maximumf %v, %z : f32
    affine.store %m, %out[%i] : memref<1003xf32>
  }
  return
}
// Transfers without in_bounds.
func.func @right_transfer(%x: memref<1003xf32> {tonno.alignment = 4}, %out: memref<1003xf32> {tonno.alignment = 4}) {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %n = arith.constant 1003 : index
  %pad = arith.constant 0.0 : f32
  %z = arith.constant dense<0.0> : vector<16xf32>
  scf.for %i = %c0 to %n step %c16 {
    %v = vector.transfer_read %x[%i], %pad : memref<1003xf32>, vector<16xf32>
    %m = arith.maximumf %v, %z : vector<16xf32>
    vector.transfer_write %m, %out[%i] : vector<16xf32>, memref<1003xf32>
  }
  return
}
// In place in out, the last vector overlapping: the maximum with 0 may be taken twice.
func.func @right_in_place_overlap(%x: memref<1003xf32> {tonno.alignment = 4}, %out: memref<1003xf32> {tonno.alignment = 4}) {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %n = arith.constant 1003 : index
  %last = arith.constant 987 : index
  %z = arith.constant dense<0.0> : vector<16xf32>
  memref.copy %x, %out : memref<1003xf32> to memref<1003xf32>
  scf.for %k = %c0 to %n step %c16 {
    %i = arith.minui %k, %last : index
    %v = vector.load %out[%i] : memref<1003xf32>, vector<16xf32>
    %m = arith.maximumf %v, %z : vector<16xf32>
    vector.store %m, %out[%i] : memref<1003xf32>, vector<16xf32>
  }
  return
}
// The mask counts one lane too many: out[1003] gets a 0. Shows on every input.
func.func @wrong_mask_one_more(%x: memref<1003xf32> {tonno.alignment = 4}, %out: memref<1003xf32> {tonno.alignment = 4}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %n = arith.constant 1003 : index
  %z = arith.constant dense<0.0> : vector<16xf32>
  scf.for %i = %c0 to %n step %c16 {
    %left = arith.subi %n, %i : index
    %m = vector.create_mask %left : vector<16xi1>
    %left1 = arith.addi %left, %c1 : index
    %m1 = vector.create_mask %left1 : vector<16xi1>
    %v = vector.maskedload %x[%i], %m, %z : memref<1003xf32>, vector<16xi1>, vector<16xf32> into vector<16xf32>
    %r = arith.maximumf %v, %z : vector<16xf32>
    vector.maskedstore %out[%i], %m1, %r : memref<1003xf32>, vector<16xi1>, vector<16xf32>
  }
  return
}
// The lanes beyond are read, blended in and written back as they were. Shows on every input.
func.func @wrong_blend_and_store(%x: memref<1003xf32> {tonno.alignment = 4}, %out: memref<1003xf32> {tonno.alignment = 4}) {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %n = arith.constant 1003 : index
  %z = arith.constant dense<0.0> : vector<16xf32>
  scf.for %i = %c0 to %n step %c16 {
    %left = arith.subi %n, %i : index
    %m = vector.create_mask %left : vector<16xi1>
    %v = vector.maskedload %x[%i], %m, %z : memref<1003xf32>, vector<16xi1>, vector<16xf32> into vector<16xf32>
    %r = arith.maximumf %v, %z : vector<16xf32>
    %old = vector.load %out[%i] : memref<1003xf32>, vector<16xf32>
    %new = arith.select %m, %r, %old : vector<16xi1>, vector<16xf32>
    vector.store %new, %out[%i] : memref<1003xf32>, vector<16xf32>
  }
  return
}
// The 5 elements beyond are saved, overwritten by the last vector and put back. Shows on every input.
func.func @wrong_saved_and_restored(%x: memref<1003xf32> {tonno.alignment = 4}, %out: memref<1003xf32> {tonno.alignment = 4}) {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %n = arith.constant 1003 : index
  %mask = vector.constant_mask [5] : vector<8xi1>
  %z8 = arith.constant dense<0.0> : vector<8xf32>
  %z = arith.constant dense<0.0> : vector<16xf32>
  %saved = vector.maskedload %out[%n], %mask, %z8 : memref<1003xf32>, vector<8xi1>, vector<8xf32> into vector<8xf32>
  scf.for %i = %c0 to %n step %c16 {
    %left = arith.subi %n, %i : index
    %m = vector.create_mask %left : vector<16xi1>
    %v = vector.maskedload %x[%i], %m, %z : memref<1003xf32>, vector<16xi1>, vector<16xf32> into vector<16xf32>
    %r = arith.maximumf %v, %z : vector<16xf32>
    vector.store %r, %out[%i] : memref<1003xf32>, vector<16xf32>
  }
  vector.maskedstore %out[%n], %mask, %saved : memref<1003xf32>, vector<8xi1>, vector<8xf32>
  return
}
// out is cleared up to a multiple of 64 bytes, then filled exactly: 20 bytes beyond. Shows on every input.
func.func @wrong_cleared_rounded_up(%x: memref<1003xf32> {tonno.alignment = 4}, %out: memref<1003xf32> {tonno.alignment = 4}) {
  %z = arith.constant 0.0 : f32
  %o = memref.reinterpret_cast %out to offset: [0], sizes: [1008], strides: [1] : memref<1003xf32> to memref<1008xf32>
  linalg.fill ins(%z : f32) outs(%o : memref<1008xf32>)
  affine.for %i = 0 to 1003 {
    %v = affine.load %x[%i] : memref<1003xf32>
    %m = arith.maximumf %v, %z : f32
    affine.store %m, %out[%i] : memref<1003xf32>
  }
  return
}
// Two vectors a step: the last step stores one wholly beyond the end, from 20 bytes to 84. Shows on every input.
func.func @wrong_unrolled_by_two(%x: memref<1003xf32> {tonno.alignment = 4}, %out: memref<1003xf32> {tonno.alignment = 4}) {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %c32 = arith.constant 32 : index
  %n = arith.constant 1003 : index
  %pad = arith.constant 0.0 : f32
  %z = arith.constant dense<0.0> : vector<16xf32>
  scf.for %i = %c0 to %n step %c32 {
    %j = arith.addi %i, %c16 : index
    %v = vector.transfer_read %x[%i], %pad : memref<1003xf32>, vector<16xf32>
    %w = vector.transfer_read %x[%j], %pad : memref<1003xf32>, vector<16xf32>
    %a = arith.maximumf %v, %z : vector<16xf32>
    %b = arith.maximumf %w, %z : vector<16xf32>
    vector.transfer_write %a, %out[%i] : vector<16xf32>, memref<1003xf32>
    vector.store %b, %out[%j] : memref<1003xf32>, vector<16xf32>
  }
  return
}

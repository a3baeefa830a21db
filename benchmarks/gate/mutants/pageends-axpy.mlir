// out[i] = 2.5 * x[i] + y[i] on 1003 f32. No vector of 8 divides 1003.
// The mutants read past an end, or before a start, and drop what they read:
// their results are right. They show where the page next to a buffer is not mapped.
func.func @kernel(%x: memref<1003xf32> {tonno.alignment = 4}, %y: memref<1003xf32> {tonno.alignment = 4}, %out: memref<1003xf32> {tonno.alignment = 4}) {
  %a = arith.constant 2.5 : f32
  affine.for %i = 0 to 1003 {
    %u = affine.load %x[%i] : memref<1003xf32>
    %v = affine.load %y[%i] : memref<1003xf32>
    %p = arith.mulf %u, %a : f32
    %s = arith.addf %p, %v : f32
    affine.store %s, %out[%i] : memref<1003xf32>
  }
  return
}
// Masked loads and stores: lanes beyond the end are not touched.
func.func @right_masked(%x: memref<1003xf32> {tonno.alignment = 4}, %y: memref<1003xf32> {tonno.alignment = 4}, %out: memref<1003xf32> {tonno.alignment = 4}) {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %n = arith.constant 1003 : index
  %a = arith.constant dense<2.5> : vector<8xf32>
  %z = arith.constant dense<0.0> : vector<8xf32>
  scf.for %i = %c0 to %n step %c8 {
    %r = arith.subi %n, %i : index
    %m = vector.create_mask %r : vector<8xi1>
    %u = vector.maskedload %x[%i], %m, %z : memref<1003xf32>, vector<8xi1>, vector<8xf32> into vector<8xf32>
    %v = vector.maskedload %y[%i], %m, %z : memref<1003xf32>, vector<8xi1>, vector<8xf32> into vector<8xf32>
    %p = arith.mulf %u, %a : vector<8xf32>
    %s = arith.addf %p, %v : vector<8xf32>
    vector.maskedstore %out[%i], %m, %s : memref<1003xf32>, vector<8xi1>, vector<8xf32>
  }
  return
}
// The last vector overlaps the one before it and ends exactly at the end.
func.func @right_overlap(%x: memref<1003xf32> {tonno.alignment = 4}, %y: memref<1003xf32> {tonno.alignment = 4}, %out: memref<1003xf32> {tonno.alignment = 4}) {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %n = arith.constant 1003 : index
  %last = arith.constant 995 : index
  %a = arith.constant dense<2.5> : vector<8xf32>
  scf.for %k = %c0 to %n step %c8 {
    %i = arith.minui %k, %last : index
    %u = vector.load %x[%i] : memref<1003xf32>, vector<8xf32>
    %v = vector.load %y[%i] : memref<1003xf32>, vector<8xf32>
    %p = arith.mulf %u, %a : vector<8xf32>
    %s = arith.addf %p, %v : vector<8xf32>
    vector.store %s, %out[%i] : memref<1003xf32>, vector<8xf32>
  }
  return
}
// Transfers without in_bounds pad what is beyond the end.
func.func @right_transfer(%x: memref<1003xf32> {tonno.alignment = 4}, %y: memref<1003xf32> {tonno.alignment = 4}, %out: memref<1003xf32> {tonno.alignment = 4}) {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %n = arith.constant 1003 : index
  %pad = arith.constant 0.0 : f32
  %a = arith.constant dense<2.5> : vector<16xf32>
  scf.for %i = %c0 to %n step %c16 {
    %u = vector.transfer_read %x[%i], %pad : memref<1003xf32>, vector<16xf32>
    %v = vector.transfer_read %y[%i], %pad : memref<1003xf32>, vector<16xf32>
    %p = arith.mulf %u, %a : vector<16xf32>
    %s = arith.addf %p, %v : vector<16xf32>
    vector.transfer_write %s, %out[%i] : vector<16xf32>, memref<1003xf32>
  }
  return
}
// Only the store is masked: both loads of the last vector pass the end. Shows on every input.
func.func @wrong_store_masked_only(%x: memref<1003xf32> {tonno.alignment = 4}, %y: memref<1003xf32> {tonno.alignment = 4}, %out: memref<1003xf32> {tonno.alignment = 4}) {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %n = arith.constant 1003 : index
  %a = arith.constant dense<2.5> : vector<8xf32>
  scf.for %i = %c0 to %n step %c8 {
    %r = arith.subi %n, %i : index
    %m = vector.create_mask %r : vector<8xi1>
    %u = vector.load %x[%i] : memref<1003xf32>, vector<8xf32>
    %v = vector.load %y[%i] : memref<1003xf32>, vector<8xf32>
    %p = arith.mulf %u, %a : vector<8xf32>
    %s = arith.addf %p, %v : vector<8xf32>
    vector.maskedstore %out[%i], %m, %s : memref<1003xf32>, vector<8xi1>, vector<8xf32>
  }
  return
}
// A software pipeline loads the next x of each step, in the last step too: x[1003]. Shows on every input.
func.func @wrong_pipeline_one_more(%x: memref<1003xf32> {tonno.alignment = 4}, %y: memref<1003xf32> {tonno.alignment = 4}, %out: memref<1003xf32> {tonno.alignment = 4}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant 1003 : index
  %a = arith.constant 2.5 : f32
  %x0 = memref.load %x[%c0] : memref<1003xf32>
  %e = scf.for %i = %c0 to %n step %c1 iter_args(%u = %x0) -> (f32) {
    %j = arith.addi %i, %c1 : index
    %w = memref.load %x[%j] : memref<1003xf32>
    %v = memref.load %y[%i] : memref<1003xf32>
    %p = arith.mulf %u, %a : f32
    %s = arith.addf %p, %v : f32
    memref.store %s, %out[%i] : memref<1003xf32>
    scf.yield %w : f32
  }
  return
}
// Vectors from the end down: the last one starts 5 elements before the start. Shows on every input.
func.func @wrong_downwards(%x: memref<1003xf32> {tonno.alignment = 4}, %y: memref<1003xf32> {tonno.alignment = 4}, %out: memref<1003xf32> {tonno.alignment = 4}) {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %n = arith.constant 1003 : index
  %a = arith.constant dense<2.5> : vector<8xf32>
  %zero = arith.constant dense<0> : vector<8xindex>
  %lane = vector.step : vector<8xindex>
  %e = scf.for %k = %c0 to %n step %c8 iter_args(%end = %n) -> (index) {
    %i = arith.subi %end, %c8 : index
    %xs = memref.reinterpret_cast %x to offset: [%i], sizes: [8], strides: [1] : memref<1003xf32> to memref<8xf32, strided<[1], offset: ?>>
    %ys = memref.reinterpret_cast %y to offset: [%i], sizes: [8], strides: [1] : memref<1003xf32> to memref<8xf32, strided<[1], offset: ?>>
    %os = memref.reinterpret_cast %out to offset: [%i], sizes: [8], strides: [1] : memref<1003xf32> to memref<8xf32, strided<[1], offset: ?>>
    %b = vector.broadcast %i : index to vector<8xindex>
    %at = arith.addi %b, %lane : vector<8xindex>
    %m = arith.cmpi sge, %at, %zero : vector<8xindex>
    %u = vector.load %xs[%c0] : memref<8xf32, strided<[1], offset: ?>>, vector<8xf32>
    %v = vector.load %ys[%c0] : memref<8xf32, strided<[1], offset: ?>>, vector<8xf32>
    %p = arith.mulf %u, %a : vector<8xf32>
    %s = arith.addf %p, %v : vector<8xf32>
    vector.maskedstore %os[%c0], %m, %s : memref<8xf32, strided<[1], offset: ?>>, vector<8xi1>, vector<8xf32>
    scf.yield %i : index
  }
  return
}
// A second pass reads the OUTPUT back in whole vectors, past its end. Shows on every input.
func.func @wrong_output_read_back(%x: memref<1003xf32> {tonno.alignment = 4}, %y: memref<1003xf32> {tonno.alignment = 4}, %out: memref<1003xf32> {tonno.alignment = 4}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %n = arith.constant 1003 : index
  %a = arith.constant 2.5 : f32
  %z = arith.constant dense<0.0> : vector<8xf32>
  scf.for %i = %c0 to %n step %c1 {
    %u = memref.load %x[%i] : memref<1003xf32>
    %p = arith.mulf %u, %a : f32
    memref.store %p, %out[%i] : memref<1003xf32>
  }
  scf.for %i = %c0 to %n step %c8 {
    %r = arith.subi %n, %i : index
    %m = vector.create_mask %r : vector<8xi1>
    %o = vector.load %out[%i] : memref<1003xf32>, vector<8xf32>
    %v = vector.maskedload %y[%i], %m, %z : memref<1003xf32>, vector<8xi1>, vector<8xf32> into vector<8xf32>
    %s = arith.addf %o, %v : vector<8xf32>
    vector.maskedstore %out[%i], %m, %s : memref<1003xf32>, vector<8xi1>, vector<8xf32>
  }
  return
}

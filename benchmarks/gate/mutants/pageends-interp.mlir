// Linear interpolation in fixed point. p = clamp(pos, 0, 32512), k = p / 256, f = p mod 256;
// out = t[k], plus (t[k+1] - t[k]) * f / 256 (signed shift) where f > 0. 128 entries: k is at most 127.
// The mutants load t[k+1] or more where its weight is 0: their results are right. i32 wraps.
func.func @kernel(%t: memref<128xi32> {tonno.alignment = 4}, %pos: memref<257xi16> {tonno.alignment = 2, tonno.input = #tonno.input<"integers(-32768, 32767)">}, %out: memref<257xi32> {tonno.alignment = 4}) {
  %zero = arith.constant 0 : i32
  %c1 = arith.constant 1 : index
  %max = arith.constant 32512 : i32
  %c255 = arith.constant 255 : i32
  %c8 = arith.constant 8 : i32
  affine.for %i = 0 to 257 {
    %q = affine.load %pos[%i] : memref<257xi16>
    %q32 = arith.extsi %q : i16 to i32
    %q0 = arith.maxsi %q32, %zero : i32
    %p = arith.minsi %q0, %max : i32
    %k = arith.shrui %p, %c8 : i32
    %f = arith.andi %p, %c255 : i32
    %a = arith.index_cast %k : i32 to index
    %v = memref.load %t[%a] : memref<128xi32>
    %some = arith.cmpi ne, %f, %zero : i32
    %r = scf.if %some -> (i32) {
      %b = arith.addi %a, %c1 : index
      %w = memref.load %t[%b] : memref<128xi32>
      %d = arith.subi %w, %v : i32
      %m = arith.muli %d, %f : i32
      %s = arith.shrsi %m, %c8 : i32
      %u = arith.addi %v, %s : i32
      scf.yield %u : i32
    } else {
      scf.yield %v : i32
    }
    affine.store %r, %out[%i] : memref<257xi32>
  }
  return
}
// The neighbour's address is clamped to the last entry.
func.func @right_clamped_neighbour(%t: memref<128xi32> {tonno.alignment = 4}, %pos: memref<257xi16> {tonno.alignment = 2}, %out: memref<257xi32> {tonno.alignment = 4}) {
  %zero = arith.constant 0 : i32
  %c1 = arith.constant 1 : index
  %c127 = arith.constant 127 : index
  %max = arith.constant 32512 : i32
  %c255 = arith.constant 255 : i32
  %c8 = arith.constant 8 : i32
  affine.for %i = 0 to 257 {
    %q = affine.load %pos[%i] : memref<257xi16>
    %q32 = arith.extsi %q : i16 to i32
    %q0 = arith.maxsi %q32, %zero : i32
    %p = arith.minsi %q0, %max : i32
    %k = arith.shrui %p, %c8 : i32
    %f = arith.andi %p, %c255 : i32
    %a = arith.index_cast %k : i32 to index
    %b = arith.addi %a, %c1 : index
    %b1 = arith.minui %b, %c127 : index
    %v = memref.load %t[%a] : memref<128xi32>
    %w = memref.load %t[%b1] : memref<128xi32>
    %d = arith.subi %w, %v : i32
    %m = arith.muli %d, %f : i32
    %s = arith.shrsi %m, %c8 : i32
    %u = arith.addi %v, %s : i32
    affine.store %u, %out[%i] : memref<257xi32>
  }
  return
}
// The neighbour is always loaded, with a weight of 0 at the last entry. Shows where pos is 32512 or more.
func.func @wrong_neighbour_times_zero(%t: memref<128xi32> {tonno.alignment = 4}, %pos: memref<257xi16> {tonno.alignment = 2}, %out: memref<257xi32> {tonno.alignment = 4}) {
  %zero = arith.constant 0 : i32
  %c1 = arith.constant 1 : index
  %max = arith.constant 32512 : i32
  %c255 = arith.constant 255 : i32
  %c8 = arith.constant 8 : i32
  affine.for %i = 0 to 257 {
    %q = affine.load %pos[%i] : memref<257xi16>
    %q32 = arith.extsi %q : i16 to i32
    %q0 = arith.maxsi %q32, %zero : i32
    %p = arith.minsi %q0, %max : i32
    %k = arith.shrui %p, %c8 : i32
    %f = arith.andi %p, %c255 : i32
    %a = arith.index_cast %k : i32 to index
    %b = arith.addi %a, %c1 : index
    %v = memref.load %t[%a] : memref<128xi32>
    %w = memref.load %t[%b] : memref<128xi32>
    %d = arith.subi %w, %v : i32
    %m = arith.muli %d, %f : i32
    %s = arith.shrsi %m, %c8 : i32
    %u = arith.addi %v, %s : i32
    affine.store %u, %out[%i] : memref<257xi32>
  }
  return
}
// The entries are loaded before the clamp, and the end value selected after it. Shows where pos is negative.
func.func @wrong_clamp_after_load(%t: memref<128xi32> {tonno.alignment = 4}, %pos: memref<257xi16> {tonno.alignment = 2}, %out: memref<257xi32> {tonno.alignment = 4}) {
  %zero = arith.constant 0 : i32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %max = arith.constant 32512 : i32
  %c255 = arith.constant 255 : i32
  %c8 = arith.constant 8 : i32
  %c127 = arith.constant 127 : index
  %t0 = memref.load %t[%c0] : memref<128xi32>
  affine.for %i = 0 to 257 {
    %q = affine.load %pos[%i] : memref<257xi16>
    %q32 = arith.extsi %q : i16 to i32
    %p = arith.minsi %q32, %max : i32
    %k = arith.shrsi %p, %c8 : i32
    %f = arith.andi %p, %c255 : i32
    %a = arith.index_cast %k : i32 to index
    %b = arith.addi %a, %c1 : index
    %b1 = arith.minsi %b, %c127 : index
    %tv = memref.reinterpret_cast %t to offset: [%a], sizes: [1], strides: [1] : memref<128xi32> to memref<1xi32, strided<[1], offset: ?>>
    %tw = memref.reinterpret_cast %t to offset: [%b1], sizes: [1], strides: [1] : memref<128xi32> to memref<1xi32, strided<[1], offset: ?>>
    %v = memref.load %tv[%c0] : memref<1xi32, strided<[1], offset: ?>>
    %w = memref.load %tw[%c0] : memref<1xi32, strided<[1], offset: ?>>
    %d = arith.subi %w, %v : i32
    %m = arith.muli %d, %f : i32
    %s = arith.shrsi %m, %c8 : i32
    %u = arith.addi %v, %s : i32
    %neg = arith.cmpi slt, %q32, %zero : i32
    %r = arith.select %neg, %t0, %u : i32
    affine.store %r, %out[%i] : memref<257xi32>
  }
  return
}
// The next query is loaded one step ahead: pos[257] in the last step. Shows on every input.
func.func @wrong_query_ahead(%t: memref<128xi32> {tonno.alignment = 4}, %pos: memref<257xi16> {tonno.alignment = 2}, %out: memref<257xi32> {tonno.alignment = 4}) {
  %zero = arith.constant 0 : i32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant 257 : index
  %c127 = arith.constant 127 : index
  %max = arith.constant 32512 : i32
  %c255 = arith.constant 255 : i32
  %c8 = arith.constant 8 : i32
  %first = memref.load %pos[%c0] : memref<257xi16>
  %e = scf.for %i = %c0 to %n step %c1 iter_args(%q = %first) -> (i16) {
    %j = arith.addi %i, %c1 : index
    %next = memref.load %pos[%j] : memref<257xi16>
    %q32 = arith.extsi %q : i16 to i32
    %q0 = arith.maxsi %q32, %zero : i32
    %p = arith.minsi %q0, %max : i32
    %k = arith.shrui %p, %c8 : i32
    %f = arith.andi %p, %c255 : i32
    %a = arith.index_cast %k : i32 to index
    %b = arith.addi %a, %c1 : index
    %b1 = arith.minui %b, %c127 : index
    %v = memref.load %t[%a] : memref<128xi32>
    %w = memref.load %t[%b1] : memref<128xi32>
    %d = arith.subi %w, %v : i32
    %m = arith.muli %d, %f : i32
    %s = arith.shrsi %m, %c8 : i32
    %u = arith.addi %v, %s : i32
    memref.store %u, %out[%i] : memref<257xi32>
    scf.yield %next : i16
  }
  return
}

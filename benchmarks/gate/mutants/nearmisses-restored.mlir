// out[i] = x[i] - x[0] on 707 f32.
// The mutants give the right results and use x itself as working space: they write into an input.
// Put back or not, a caller's x may be in read-only pages, or be read by another thread.
func.func @kernel(%x: memref<707xf32> {tonno.alignment = 4}, %out: memref<707xf32> {tonno.alignment = 4}) {
  %f = affine.load %x[0] : memref<707xf32>
  affine.for %i = 0 to 707 {
    %v = affine.load %x[%i] : memref<707xf32>
    %d = arith.subf %v, %f : f32
    affine.store %d, %out[%i] : memref<707xf32>
  }
  return
}
// In place in a temporary.
func.func @right_temporary(%x: memref<707xf32> {tonno.alignment = 4}, %out: memref<707xf32> {tonno.alignment = 4}) {
  %t = memref.alloc() : memref<707xf32>
  memref.copy %x, %t : memref<707xf32> to memref<707xf32>
  %f = affine.load %t[0] : memref<707xf32>
  affine.for %i = 0 to 707 {
    %v = affine.load %t[%i] : memref<707xf32>
    %d = arith.subf %v, %f : f32
    affine.store %d, %t[%i] : memref<707xf32>
  }
  memref.copy %t, %out : memref<707xf32> to memref<707xf32>
  memref.dealloc %t : memref<707xf32>
  return
}
// In place in the output, which is read again.
func.func @right_in_output(%x: memref<707xf32> {tonno.alignment = 4}, %out: memref<707xf32> {tonno.alignment = 4}) {
  memref.copy %x, %out : memref<707xf32> to memref<707xf32>
  %f = affine.load %out[0] : memref<707xf32>
  affine.for %i = 0 to 707 {
    %v = affine.load %out[%i] : memref<707xf32>
    %d = arith.subf %v, %f : f32
    affine.store %d, %out[%i] : memref<707xf32>
  }
  return
}
// x[0] is subtracted in x, then added back. Shows where rounding loses bits: not on small integers.
func.func @wrong_added_back(%x: memref<707xf32> {tonno.alignment = 4}, %out: memref<707xf32> {tonno.alignment = 4}) {
  %f = affine.load %x[0] : memref<707xf32>
  affine.for %i = 0 to 707 {
    %v = affine.load %x[%i] : memref<707xf32>
    %d = arith.subf %v, %f : f32
    affine.store %d, %x[%i] : memref<707xf32>
  }
  memref.copy %x, %out : memref<707xf32> to memref<707xf32>
  affine.for %i = 0 to 707 {
    %d = affine.load %x[%i] : memref<707xf32>
    %v = arith.addf %d, %f : f32
    affine.store %v, %x[%i] : memref<707xf32>
  }
  return
}
// x is negated, used and negated again: it ends as it was, bit by bit. Shows only while it runs, on every input.
func.func @wrong_negated_twice(%x: memref<707xf32> {tonno.alignment = 4}, %out: memref<707xf32> {tonno.alignment = 4}) {
  affine.for %i = 0 to 707 {
    %v = affine.load %x[%i] : memref<707xf32>
    %n = arith.negf %v : f32
    affine.store %n, %x[%i] : memref<707xf32>
  }
  affine.for %i = 0 to 707 {
    %f = affine.load %x[0] : memref<707xf32>
    %v = affine.load %x[%i] : memref<707xf32>
    %d = arith.subf %f, %v : f32
    affine.store %d, %out[%i] : memref<707xf32>
  }
  affine.for %i = 0 to 707 {
    %v = affine.load %x[%i] : memref<707xf32>
    %n = arith.negf %v : f32
    affine.store %n, %x[%i] : memref<707xf32>
  }
  return
}
// Each element is written back plus 0, as by a fused clean-up. Shows where x has a -0.0: it becomes 0.0.
func.func @wrong_zero_added(%x: memref<707xf32> {tonno.alignment = 4}, %out: memref<707xf32> {tonno.alignment = 4}) {
  %z = arith.constant 0.0 : f32
  %f0 = affine.load %x[0] : memref<707xf32>
  %f = arith.addf %f0, %z : f32
  affine.for %i = 0 to 707 {
    %v = affine.load %x[%i] : memref<707xf32>
    %w = arith.addf %v, %z : f32
    affine.store %w, %x[%i] : memref<707xf32>
    %d = arith.subf %w, %f : f32
    affine.store %d, %out[%i] : memref<707xf32>
  }
  return
}
// Reversed in place to walk down, and reversed back. Shows only while it runs, on every input.
func.func @wrong_reversed_twice(%x: memref<707xf32> {tonno.alignment = 4}, %out: memref<707xf32> {tonno.alignment = 4}) {
  affine.for %i = 0 to 353 {
    %a = affine.load %x[%i] : memref<707xf32>
    %b = affine.load %x[-%i + 706] : memref<707xf32>
    affine.store %b, %x[%i] : memref<707xf32>
    affine.store %a, %x[-%i + 706] : memref<707xf32>
  }
  %f = affine.load %x[706] : memref<707xf32>
  affine.for %i = 0 to 707 {
    %v = affine.load %x[%i] : memref<707xf32>
    %d = arith.subf %v, %f : f32
    affine.store %d, %out[-%i + 706] : memref<707xf32>
  }
  affine.for %i = 0 to 353 {
    %a = affine.load %x[%i] : memref<707xf32>
    %b = affine.load %x[-%i + 706] : memref<707xf32>
    affine.store %b, %x[%i] : memref<707xf32>
    affine.store %a, %x[-%i + 706] : memref<707xf32>
  }
  return
}

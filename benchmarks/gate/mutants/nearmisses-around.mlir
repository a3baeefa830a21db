// out[i] = not x[i], 1003 i8.
// The mutants give the right results and change bytes around a buffer, or write there what was there.
func.func @kernel(%x: memref<1003xi8> {tonno.alignment = 1}, %out: memref<1003xi8> {tonno.alignment = 1}) {
  %ones = arith.constant -1 : i8
  affine.for %i = 0 to 1003 {
    %v = affine.load %x[%i] : memref<1003xi8>
    %w = arith.xori %v, %ones : i8
    affine.store %w, %out[%i] : memref<1003xi8>
  }
  return
}
// Vectors of 64 through a temporary, padded to 1024.
func.func @right_padded_temporary(%x: memref<1003xi8> {tonno.alignment = 1}, %out: memref<1003xi8> {tonno.alignment = 1}) {
  %ones = arith.constant dense<-1> : vector<64xi8>
  %t = memref.alloc() : memref<1024xi8>
  %zero = arith.constant 0 : i8
  linalg.fill ins(%zero : i8) outs(%t : memref<1024xi8>)
  affine.for %i = 0 to 1003 {
    %v = affine.load %x[%i] : memref<1003xi8>
    affine.store %v, %t[%i] : memref<1024xi8>
  }
  affine.for %i = 0 to 1024 step 64 {
    %v = vector.load %t[%i] : memref<1024xi8>, vector<64xi8>
    %w = arith.xori %v, %ones : vector<64xi8>
    vector.store %w, %t[%i] : memref<1024xi8>, vector<64xi8>
  }
  affine.for %i = 0 to 1003 {
    %v = affine.load %t[%i] : memref<1024xi8>
    affine.store %v, %out[%i] : memref<1003xi8>
  }
  memref.dealloc %t : memref<1024xi8>
  return
}
// The 64 bytes before out are cleared. Shows on every input.
func.func @wrong_line_before(%x: memref<1003xi8> {tonno.alignment = 1}, %out: memref<1003xi8> {tonno.alignment = 1}) {
  %ones = arith.constant -1 : i8
  %c0 = arith.constant 0 : index
  %z = arith.constant dense<0> : vector<64xi8>
  %c63 = arith.constant 63 : index
  %far = arith.constant 64 : index
  %addr = memref.extract_aligned_pointer_as_index %out : memref<1003xi8> -> index
  %top = arith.shrui %addr, %c63 : index
  %at = arith.subi %top, %far : index
  %e = memref.reinterpret_cast %out to offset: [%at], sizes: [64], strides: [1] : memref<1003xi8> to memref<64xi8, strided<[1], offset: ?>>
  vector.store %z, %e[%c0] : memref<64xi8, strided<[1], offset: ?>>, vector<64xi8>
  affine.for %i = 0 to 1003 {
    %v = affine.load %x[%i] : memref<1003xi8>
    %w = arith.xori %v, %ones : i8
    affine.store %w, %out[%i] : memref<1003xi8>
  }
  return
}
// A mark 6000 bytes before out. Shows on every input.
func.func @wrong_6_kib_before(%x: memref<1003xi8> {tonno.alignment = 1}, %out: memref<1003xi8> {tonno.alignment = 1}) {
  %ones = arith.constant -1 : i8
  %c0 = arith.constant 0 : index
  %c63 = arith.constant 63 : index
  %far = arith.constant 6000 : index
  %addr = memref.extract_aligned_pointer_as_index %out : memref<1003xi8> -> index
  %top = arith.shrui %addr, %c63 : index
  %at = arith.subi %top, %far : index
  %e = memref.reinterpret_cast %out to offset: [%at], sizes: [1], strides: [1] : memref<1003xi8> to memref<1xi8, strided<[1], offset: ?>>
  affine.for %i = 0 to 1003 {
    %v = affine.load %x[%i] : memref<1003xi8>
    %w = arith.xori %v, %ones : i8
    affine.store %w, %out[%i] : memref<1003xi8>
  }
  memref.store %ones, %e[%c0] : memref<1xi8, strided<[1], offset: ?>>
  return
}
// A mark at the first page boundary at or behind the end of out. Shows on every input.
func.func @wrong_next_page(%x: memref<1003xi8> {tonno.alignment = 1}, %out: memref<1003xi8> {tonno.alignment = 1}) {
  %ones = arith.constant -1 : i8
  %c12 = arith.constant 12 : index
  %up = arith.constant 5098 : index
  %addr = memref.extract_aligned_pointer_as_index %out : memref<1003xi8> -> index
  %end = arith.addi %addr, %up : index
  %number = arith.shrui %end, %c12 : index
  %next = arith.shli %number, %c12 : index
  %at = arith.subi %next, %addr : index
  affine.for %i = 0 to 1003 {
    %v = affine.load %x[%i] : memref<1003xi8>
    %w = arith.xori %v, %ones : i8
    affine.store %w, %out[%i] : memref<1003xi8>
  }
  memref.store %ones, %out[%at] : memref<1003xi8>
  return
}
// Bytes from 4100 to 5060 behind out are xored with x, and again after the loop. Shows on every input.
func.func @wrong_xored_twice(%x: memref<1003xi8> {tonno.alignment = 1}, %out: memref<1003xi8> {tonno.alignment = 1}) {
  %ones = arith.constant -1 : i8
  affine.for %k = 0 to 16 {
    %at = affine.apply affine_map<(d) -> (d * 64 + 5103)>(%k)
    %a = memref.load %out[%at] : memref<1003xi8>
    %k1 = affine.load %x[%k] : memref<1003xi8>
    %b = arith.xori %a, %k1 : i8
    memref.store %b, %out[%at] : memref<1003xi8>
  }
  affine.for %i = 0 to 1003 {
    %v = affine.load %x[%i] : memref<1003xi8>
    %w = arith.xori %v, %ones : i8
    affine.store %w, %out[%i] : memref<1003xi8>
  }
  affine.for %k = 0 to 16 {
    %at = affine.apply affine_map<(d) -> (d * 64 + 5103)>(%k)
    %a = memref.load %out[%at] : memref<1003xi8>
    %k1 = affine.load %x[%k] : memref<1003xi8>
    %b = arith.xori %a, %k1 : i8
    memref.store %b, %out[%at] : memref<1003xi8>
  }
  return
}
// The bytes just before and just behind out change places, and again after the loop. Shows on every input.
func.func @wrong_pair_swapped_twice(%x: memref<1003xi8> {tonno.alignment = 1}, %out: memref<1003xi8> {tonno.alignment = 1}) {
  %ones = arith.constant -1 : i8
  %c0 = arith.constant 0 : index
  %c1004 = arith.constant 1004 : index
  %c63 = arith.constant 63 : index
  %far = arith.constant 1 : index
  %addr = memref.extract_aligned_pointer_as_index %out : memref<1003xi8> -> index
  %top = arith.shrui %addr, %c63 : index
  %at = arith.subi %top, %far : index
  %e = memref.reinterpret_cast %out to offset: [%at], sizes: [1005], strides: [1] : memref<1003xi8> to memref<1005xi8, strided<[1], offset: ?>>
  %a = memref.load %e[%c0] : memref<1005xi8, strided<[1], offset: ?>>
  %b = memref.load %e[%c1004] : memref<1005xi8, strided<[1], offset: ?>>
  memref.store %b, %e[%c0] : memref<1005xi8, strided<[1], offset: ?>>
  memref.store %a, %e[%c1004] : memref<1005xi8, strided<[1], offset: ?>>
  affine.for %i = 0 to 1003 {
    %v = affine.load %x[%i] : memref<1003xi8>
    %w = arith.xori %v, %ones : i8
    affine.store %w, %out[%i] : memref<1003xi8>
  }
  %d = memref.load %e[%c0] : memref<1005xi8, strided<[1], offset: ?>>
  %f = memref.load %e[%c1004] : memref<1005xi8, strided<[1], offset: ?>>
  memref.store %f, %e[%c0] : memref<1005xi8, strided<[1], offset: ?>>
  memref.store %d, %e[%c1004] : memref<1005xi8, strided<[1], offset: ?>>
  return
}

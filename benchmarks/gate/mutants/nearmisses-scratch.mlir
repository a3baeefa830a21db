// out[i] = x[i] - min(x), 1003 i32; differences wrap.
// The mutants give the right results and use memory that is not theirs as working space:
// they write there and read it back. A block's minimum has the number of the block, 0 to 15.
func.func @kernel(%x: memref<1003xi32> {tonno.alignment = 4}, %out: memref<1003xi32> {tonno.alignment = 4}) {
  %max = arith.constant 2147483647 : i32
  %m = affine.for %i = 0 to 1003 iter_args(%a = %max) -> (i32) {
    %v = affine.load %x[%i] : memref<1003xi32>
    %b = arith.minsi %a, %v : i32
    affine.yield %b : i32
  }
  affine.for %i = 0 to 1003 {
    %v = affine.load %x[%i] : memref<1003xi32>
    %d = arith.subi %v, %m : i32
    affine.store %d, %out[%i] : memref<1003xi32>
  }
  return
}
// The working space is allocated.
func.func @right_allocated(%x: memref<1003xi32> {tonno.alignment = 4}, %out: memref<1003xi32> {tonno.alignment = 4}) {
  %max = arith.constant 2147483647 : i32
  %s = memref.alloc() : memref<16xi32>
  linalg.fill ins(%max : i32) outs(%s : memref<16xi32>)
  affine.for %i = 0 to 1003 {
    %k = affine.apply affine_map<(i) -> (i floordiv 64)>(%i)
    %v = affine.load %x[%i] : memref<1003xi32>
    %a = memref.load %s[%k] : memref<16xi32>
    %b = arith.minsi %a, %v : i32
    memref.store %b, %s[%k] : memref<16xi32>
  }
  %m = affine.for %k = 0 to 16 iter_args(%a = %max) -> (i32) {
    %v = affine.load %s[%k] : memref<16xi32>
    %b = arith.minsi %a, %v : i32
    affine.yield %b : i32
  }
  affine.for %i = 0 to 1003 {
    %v = affine.load %x[%i] : memref<1003xi32>
    %d = arith.subi %v, %m : i32
    affine.store %d, %out[%i] : memref<1003xi32>
  }
  memref.dealloc %s : memref<16xi32>
  return
}
// The first 16 elements of out, written over at the end, are the working space.
func.func @right_head_of_output(%x: memref<1003xi32> {tonno.alignment = 4}, %out: memref<1003xi32> {tonno.alignment = 4}) {
  %max = arith.constant 2147483647 : i32
  %s = memref.subview %out[0] [16] [1] : memref<1003xi32> to memref<16xi32, strided<[1]>>
  linalg.fill ins(%max : i32) outs(%s : memref<16xi32, strided<[1]>>)
  affine.for %i = 0 to 1003 {
    %k = affine.apply affine_map<(i) -> (i floordiv 64)>(%i)
    %v = affine.load %x[%i] : memref<1003xi32>
    %a = memref.load %s[%k] : memref<16xi32, strided<[1]>>
    %b = arith.minsi %a, %v : i32
    memref.store %b, %s[%k] : memref<16xi32, strided<[1]>>
  }
  %m = affine.for %k = 0 to 16 iter_args(%a = %max) -> (i32) {
    %v = affine.load %s[%k] : memref<16xi32, strided<[1]>>
    %b = arith.minsi %a, %v : i32
    affine.yield %b : i32
  }
  affine.for %i = 0 to 1003 {
    %v = affine.load %x[%i] : memref<1003xi32>
    %d = arith.subi %v, %m : i32
    affine.store %d, %out[%i] : memref<1003xi32>
  }
  return
}
// Working space 64 KiB behind the end of out, as in one large arena. Shows on every input.
func.func @wrong_64_kib_beyond(%x: memref<1003xi32> {tonno.alignment = 4}, %out: memref<1003xi32> {tonno.alignment = 4}) {
  %max = arith.constant 2147483647 : i32
  %s = memref.reinterpret_cast %out to offset: [17387], sizes: [16], strides: [1] : memref<1003xi32> to memref<16xi32, strided<[1], offset: 17387>>
  linalg.fill ins(%max : i32) outs(%s : memref<16xi32, strided<[1], offset: 17387>>)
  affine.for %i = 0 to 1003 {
    %k = affine.apply affine_map<(i) -> (i floordiv 64)>(%i)
    %v = affine.load %x[%i] : memref<1003xi32>
    %a = memref.load %s[%k] : memref<16xi32, strided<[1], offset: 17387>>
    %b = arith.minsi %a, %v : i32
    memref.store %b, %s[%k] : memref<16xi32, strided<[1], offset: 17387>>
  }
  %m = affine.for %k = 0 to 16 iter_args(%a = %max) -> (i32) {
    %v = affine.load %s[%k] : memref<16xi32, strided<[1], offset: 17387>>
    %b = arith.minsi %a, %v : i32
    affine.yield %b : i32
  }
  affine.for %i = 0 to 1003 {
    %v = affine.load %x[%i] : memref<1003xi32>
    %d = arith.subi %v, %m : i32
    affine.store %d, %out[%i] : memref<1003xi32>
  }
  return
}
// Working space 8 KiB before the start of out, as for a header. Shows on every input.
func.func @wrong_8_kib_before(%x: memref<1003xi32> {tonno.alignment = 4}, %out: memref<1003xi32> {tonno.alignment = 4}) {
  %max = arith.constant 2147483647 : i32
  %c63 = arith.constant 63 : index
  %far = arith.constant 2048 : index
  %addr = memref.extract_aligned_pointer_as_index %out : memref<1003xi32> -> index
  %top = arith.shrui %addr, %c63 : index
  %at = arith.subi %top, %far : index
  %s = memref.reinterpret_cast %out to offset: [%at], sizes: [16], strides: [1] : memref<1003xi32> to memref<16xi32, strided<[1], offset: ?>>
  linalg.fill ins(%max : i32) outs(%s : memref<16xi32, strided<[1], offset: ?>>)
  affine.for %i = 0 to 1003 {
    %k = affine.apply affine_map<(i) -> (i floordiv 64)>(%i)
    %v = affine.load %x[%i] : memref<1003xi32>
    %a = memref.load %s[%k] : memref<16xi32, strided<[1], offset: ?>>
    %b = arith.minsi %a, %v : i32
    memref.store %b, %s[%k] : memref<16xi32, strided<[1], offset: ?>>
  }
  %m = affine.for %k = 0 to 16 iter_args(%a = %max) -> (i32) {
    %v = affine.load %s[%k] : memref<16xi32, strided<[1], offset: ?>>
    %b = arith.minsi %a, %v : i32
    affine.yield %b : i32
  }
  affine.for %i = 0 to 1003 {
    %v = affine.load %x[%i] : memref<1003xi32>
    %d = arith.subi %v, %m : i32
    affine.store %d, %out[%i] : memref<1003xi32>
  }
  return
}
// Working space right behind x: the output is never left. Shows on every input.
func.func @wrong_behind_input(%x: memref<1003xi32> {tonno.alignment = 4}, %out: memref<1003xi32> {tonno.alignment = 4}) {
  %max = arith.constant 2147483647 : i32
  %s = memref.reinterpret_cast %x to offset: [1003], sizes: [16], strides: [1] : memref<1003xi32> to memref<16xi32, strided<[1], offset: 1003>>
  linalg.fill ins(%max : i32) outs(%s : memref<16xi32, strided<[1], offset: 1003>>)
  affine.for %i = 0 to 1003 {
    %k = affine.apply affine_map<(i) -> (i floordiv 64)>(%i)
    %v = affine.load %x[%i] : memref<1003xi32>
    %a = memref.load %s[%k] : memref<16xi32, strided<[1], offset: 1003>>
    %b = arith.minsi %a, %v : i32
    memref.store %b, %s[%k] : memref<16xi32, strided<[1], offset: 1003>>
  }
  %m = affine.for %k = 0 to 16 iter_args(%a = %max) -> (i32) {
    %v = affine.load %s[%k] : memref<16xi32, strided<[1], offset: 1003>>
    %b = arith.minsi %a, %v : i32
    affine.yield %b : i32
  }
  affine.for %i = 0 to 1003 {
    %v = affine.load %x[%i] : memref<1003xi32>
    %d = arith.subi %v, %m : i32
    affine.store %d, %out[%i] : memref<1003xi32>
  }
  return
}

// out[i] = x[i] + 1 on 2003 i16; sums wrap. out1[t] = the sum of tile t, 256 elements, 8 tiles, in i32.
// The mutants give the right results and store marks or copies too, up to 10 KiB behind an output.
func.func @kernel(%x: memref<2003xi16> {tonno.alignment = 2}, %out: memref<2003xi16> {tonno.alignment = 2}, %out1: memref<8xi32> {tonno.alignment = 4}) {
  %one = arith.constant 1 : i16
  %zero = arith.constant 0 : i32
  %c1 = arith.constant 1 : index
  affine.for %t = 0 to 8 {
    %lo = affine.apply affine_map<(d) -> (d * 256)>(%t)
    %hi = affine.min affine_map<(d) -> (d * 256 + 256, 2003)>(%t)
    %s = scf.for %i = %lo to %hi step %c1 iter_args(%a = %zero) -> (i32) {
      %v = memref.load %x[%i] : memref<2003xi16>
      %w = arith.addi %v, %one : i16
      memref.store %w, %out[%i] : memref<2003xi16>
      %v32 = arith.extsi %v : i16 to i32
      %b = arith.addi %a, %v32 : i32
      scf.yield %b : i32
    }
    affine.store %s, %out1[%t] : memref<8xi32>
  }
  return
}
// A mark for each tile, in a temporary.
func.func @right_marks_in_temporary(%x: memref<2003xi16> {tonno.alignment = 2}, %out: memref<2003xi16> {tonno.alignment = 2}, %out1: memref<8xi32> {tonno.alignment = 4}) {
  %one = arith.constant 1 : i16
  %zero = arith.constant 0 : i32
  %c1 = arith.constant 1 : index
  %done = memref.alloc() : memref<8xi16>
  affine.for %t = 0 to 8 {
    %lo = affine.apply affine_map<(d) -> (d * 256)>(%t)
    %hi = affine.min affine_map<(d) -> (d * 256 + 256, 2003)>(%t)
    %s = scf.for %i = %lo to %hi step %c1 iter_args(%a = %zero) -> (i32) {
      %v = memref.load %x[%i] : memref<2003xi16>
      %w = arith.addi %v, %one : i16
      memref.store %w, %out[%i] : memref<2003xi16>
      %v32 = arith.extsi %v : i16 to i32
      %b = arith.addi %a, %v32 : i32
      scf.yield %b : i32
    }
    affine.store %one, %done[%t] : memref<8xi16>
    affine.store %s, %out1[%t] : memref<8xi32>
  }
  memref.dealloc %done : memref<8xi16>
  return
}
// A mark in the last 2 of the 4096 bytes behind out. Shows on every input.
func.func @wrong_mark_ends_page(%x: memref<2003xi16> {tonno.alignment = 2}, %out: memref<2003xi16> {tonno.alignment = 2}, %out1: memref<8xi32> {tonno.alignment = 4}) {
  %one = arith.constant 1 : i16
  %zero = arith.constant 0 : i32
  %c1 = arith.constant 1 : index
  %at = arith.constant 4050 : index
  affine.for %t = 0 to 8 {
    %lo = affine.apply affine_map<(d) -> (d * 256)>(%t)
    %hi = affine.min affine_map<(d) -> (d * 256 + 256, 2003)>(%t)
    %s = scf.for %i = %lo to %hi step %c1 iter_args(%a = %zero) -> (i32) {
      %v = memref.load %x[%i] : memref<2003xi16>
      %w = arith.addi %v, %one : i16
      memref.store %w, %out[%i] : memref<2003xi16>
      %v32 = arith.extsi %v : i16 to i32
      %b = arith.addi %a, %v32 : i32
      scf.yield %b : i32
    }
    affine.store %s, %out1[%t] : memref<8xi32>
  }
  memref.store %one, %out[%at] : memref<2003xi16>
  return
}
// The last sum goes to a second row of out1 too, rows of 1031 apart: 4120 bytes beyond. Shows on every input.
func.func @wrong_second_row_of_sums(%x: memref<2003xi16> {tonno.alignment = 2}, %out: memref<2003xi16> {tonno.alignment = 2}, %out1: memref<8xi32> {tonno.alignment = 4}) {
  %one = arith.constant 1 : i16
  %zero = arith.constant 0 : i32
  %c1 = arith.constant 1 : index
  affine.for %t = 0 to 8 {
    %lo = affine.apply affine_map<(d) -> (d * 256)>(%t)
    %hi = affine.min affine_map<(d) -> (d * 256 + 256, 2003)>(%t)
    %s = scf.for %i = %lo to %hi step %c1 iter_args(%a = %zero) -> (i32) {
      %v = memref.load %x[%i] : memref<2003xi16>
      %w = arith.addi %v, %one : i16
      memref.store %w, %out[%i] : memref<2003xi16>
      %v32 = arith.extsi %v : i16 to i32
      %b = arith.addi %a, %v32 : i32
      scf.yield %b : i32
    }
    affine.store %s, %out1[%t] : memref<8xi32>
  }
  %last = affine.load %out1[7] : memref<8xi32>
  %at = arith.constant 1038 : index
  memref.store %last, %out1[%at] : memref<8xi32>
  return
}
// Each tile's first result goes to 512 t too; later tiles repair it only inside of out. Shows on every input.
func.func @wrong_double_pitch(%x: memref<2003xi16> {tonno.alignment = 2}, %out: memref<2003xi16> {tonno.alignment = 2}, %out1: memref<8xi32> {tonno.alignment = 4}) {
  %one = arith.constant 1 : i16
  %zero = arith.constant 0 : i32
  %c1 = arith.constant 1 : index
  affine.for %t = 0 to 8 {
    %lo = affine.apply affine_map<(d) -> (d * 256)>(%t)
    %hi = affine.min affine_map<(d) -> (d * 256 + 256, 2003)>(%t)
    %s = scf.for %i = %lo to %hi step %c1 iter_args(%a = %zero) -> (i32) {
      %v = memref.load %x[%i] : memref<2003xi16>
      %w = arith.addi %v, %one : i16
      memref.store %w, %out[%i] : memref<2003xi16>
      %v32 = arith.extsi %v : i16 to i32
      %b = arith.addi %a, %v32 : i32
      scf.yield %b : i32
    }
    %h = affine.load %out[%t * 256] : memref<2003xi16>
    %at = affine.apply affine_map<(d) -> (d * 512)>(%t)
    memref.store %h, %out[%at] : memref<2003xi16>
    affine.store %s, %out1[%t] : memref<8xi32>
  }
  return
}
// A mark for each tile, 10240 bytes behind out and on. Shows on every input.
func.func @wrong_10_kib_beyond(%x: memref<2003xi16> {tonno.alignment = 2}, %out: memref<2003xi16> {tonno.alignment = 2}, %out1: memref<8xi32> {tonno.alignment = 4}) {
  %one = arith.constant 1 : i16
  %zero = arith.constant 0 : i32
  %c1 = arith.constant 1 : index
  affine.for %t = 0 to 8 {
    %lo = affine.apply affine_map<(d) -> (d * 256)>(%t)
    %hi = affine.min affine_map<(d) -> (d * 256 + 256, 2003)>(%t)
    %s = scf.for %i = %lo to %hi step %c1 iter_args(%a = %zero) -> (i32) {
      %v = memref.load %x[%i] : memref<2003xi16>
      %w = arith.addi %v, %one : i16
      memref.store %w, %out[%i] : memref<2003xi16>
      %v32 = arith.extsi %v : i16 to i32
      %b = arith.addi %a, %v32 : i32
      scf.yield %b : i32
    }
    %at = affine.apply affine_map<(d) -> (d + 7123)>(%t)
    memref.store %one, %out[%at] : memref<2003xi16>
    affine.store %s, %out1[%t] : memref<8xi32>
  }
  return
}

// out[r, c] = x[r, c] - x[r, 0] on 3x1301 f32: a row has 5204 bytes, more than a page of 4096.
// The mutants give the right results and write whole or parts of rows -1 or 3, which do not exist.
func.func @kernel(%x: memref<3x1301xf32> {tonno.alignment = 4}, %out: memref<3x1301xf32> {tonno.alignment = 4}) {
  affine.for %r = 0 to 3 {
    %f = affine.load %x[%r, 0] : memref<3x1301xf32>
    affine.for %c = 0 to 1301 {
      %v = affine.load %x[%r, %c] : memref<3x1301xf32>
      %d = arith.subf %v, %f : f32
      affine.store %d, %out[%r, %c] : memref<3x1301xf32>
    }
  }
  return
}
// Rows cleared first, exactly three of them, then filled.
func.func @right_cleared(%x: memref<3x1301xf32> {tonno.alignment = 4}, %out: memref<3x1301xf32> {tonno.alignment = 4}) {
  %z = arith.constant 0.0 : f32
  linalg.fill ins(%z : f32) outs(%out : memref<3x1301xf32>)
  affine.for %r = 0 to 3 {
    %f = affine.load %x[%r, 0] : memref<3x1301xf32>
    affine.for %c = 0 to 1301 {
      %v = affine.load %x[%r, %c] : memref<3x1301xf32>
      %d = arith.subf %v, %f : f32
      affine.store %d, %out[%r, %c] : memref<3x1301xf32>
    }
  }
  return
}
// Four rows of a temporary, three of them copied.
func.func @right_four_rows(%x: memref<3x1301xf32> {tonno.alignment = 4}, %out: memref<3x1301xf32> {tonno.alignment = 4}) {
  %z = arith.constant 0.0 : f32
  %t = memref.alloc() : memref<4x1301xf32>
  linalg.fill ins(%z : f32) outs(%t : memref<4x1301xf32>)
  affine.for %r = 0 to 3 {
    %f = affine.load %x[%r, 0] : memref<3x1301xf32>
    affine.for %c = 0 to 1301 {
      %v = affine.load %x[%r, %c] : memref<3x1301xf32>
      %d = arith.subf %v, %f : f32
      affine.store %d, %t[%r, %c] : memref<4x1301xf32>
    }
  }
  affine.for %r = 0 to 3 {
    affine.for %c = 0 to 1301 {
      %v = affine.load %t[%r, %c] : memref<4x1301xf32>
      affine.store %v, %out[%r, %c] : memref<3x1301xf32>
    }
  }
  memref.dealloc %t : memref<4x1301xf32>
  return
}
// The clearing takes rows 0 to 3, both included: 5204 bytes beyond. Shows on every input.
func.func @wrong_row_too_many(%x: memref<3x1301xf32> {tonno.alignment = 4}, %out: memref<3x1301xf32> {tonno.alignment = 4}) {
  %z = arith.constant 0.0 : f32
  %o = memref.reinterpret_cast %out to offset: [0], sizes: [4, 1301], strides: [1301, 1] : memref<3x1301xf32> to memref<4x1301xf32>
  linalg.fill ins(%z : f32) outs(%o : memref<4x1301xf32>)
  affine.for %r = 0 to 3 {
    %f = affine.load %x[%r, 0] : memref<3x1301xf32>
    affine.for %c = 0 to 1301 {
      %v = affine.load %x[%r, %c] : memref<3x1301xf32>
      %d = arith.subf %v, %f : f32
      affine.store %d, %out[%r, %c] : memref<3x1301xf32>
    }
  }
  return
}
// From the last row up, the row before is written first with what it subtracts: row -1 too. Shows on every input.
func.func @wrong_row_before(%x: memref<3x1301xf32> {tonno.alignment = 4}, %out: memref<3x1301xf32> {tonno.alignment = 4}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %n = arith.constant 1301 : index
  scf.for %k = %c0 to %c3 step %c1 {
    %q = arith.addi %k, %c1 : index
    %r = arith.subi %c3, %q : index
    %b = arith.subi %r, %c1 : index
    %at = arith.muli %b, %n : index
    %two = memref.reinterpret_cast %out to offset: [%at], sizes: [2, 1301], strides: [1301, 1] : memref<3x1301xf32> to memref<2x1301xf32, strided<[1301, 1], offset: ?>>
    %f = memref.load %x[%r, %c0] : memref<3x1301xf32>
    scf.for %c = %c0 to %n step %c1 {
      memref.store %f, %two[%c0, %c] : memref<2x1301xf32, strided<[1301, 1], offset: ?>>
      %v = memref.load %x[%r, %c] : memref<3x1301xf32>
      %d = arith.subf %v, %f : f32
      memref.store %d, %two[%c1, %c] : memref<2x1301xf32, strided<[1301, 1], offset: ?>>
    }
  }
  return
}
// A column of 4 rows is stored at once, lane 3 as it was: one element of row 3 each. Shows on every input.
func.func @wrong_column_of_four(%x: memref<3x1301xf32> {tonno.alignment = 4}, %out: memref<3x1301xf32> {tonno.alignment = 4}) {
  %c0 = arith.constant 0 : index
  %all = arith.constant dense<true> : vector<4xi1>
  %three = vector.constant_mask [3] : vector<4xi1>
  %z = arith.constant dense<0.0> : vector<4xf32>
  %down = arith.constant dense<[0, 1301, 2602, 3903]> : vector<4xi32>
  %f = vector.gather %x[%c0, %c0] [%down], %three, %z : memref<3x1301xf32>, vector<4xi32>, vector<4xi1>, vector<4xf32> into vector<4xf32>
  affine.for %c = 0 to 1301 {
    %v = vector.gather %x[%c0, %c] [%down], %three, %z : memref<3x1301xf32>, vector<4xi32>, vector<4xi1>, vector<4xf32> into vector<4xf32>
    %d = arith.subf %v, %f : vector<4xf32>
    %o = vector.gather %out[%c0, %c] [%down], %all, %z : memref<3x1301xf32>, vector<4xi32>, vector<4xi1>, vector<4xf32> into vector<4xf32>
    %w = arith.select %three, %d, %o : vector<4xi1>, vector<4xf32>
    vector.scatter %out[%c0, %c] [%down], %all, %w : memref<3x1301xf32>, vector<4xi32>, vector<4xi1>, vector<4xf32>
  }
  return
}
// After each row, the first element of the next one is cleared: out[3, 0] too. Shows on every input.
func.func @wrong_first_of_next(%x: memref<3x1301xf32> {tonno.alignment = 4}, %out: memref<3x1301xf32> {tonno.alignment = 4}) {
  %z = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  affine.for %r = 0 to 3 {
    %s = arith.addi %r, %c1 : index
    %f = affine.load %x[%r, 0] : memref<3x1301xf32>
    affine.for %c = 0 to 1301 {
      %v = affine.load %x[%r, %c] : memref<3x1301xf32>
      %d = arith.subf %v, %f : f32
      affine.store %d, %out[%r, %c] : memref<3x1301xf32>
    }
    memref.store %z, %out[%s, %c0] : memref<3x1301xf32>
  }
  return
}

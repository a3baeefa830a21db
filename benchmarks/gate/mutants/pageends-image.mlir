// out[r, c] = the sum of the 3x3 neighbourhood of a[r, c], 23x29 i32, with 0 outside. Sums wrap.
// The mutants read outside of the image and select what they read away: their results are right.
func.func @kernel(%a: memref<23x29xi32> {tonno.alignment = 4}, %out: memref<23x29xi32> {tonno.alignment = 4}) {
  %zero = arith.constant 0 : i32
  %c1 = arith.constant 1 : index
  %c23 = arith.constant 23 : index
  %c29 = arith.constant 29 : index
  affine.for %r = 0 to 23 {
    affine.for %c = 0 to 29 {
      %s = affine.for %i = 0 to 3 iter_args(%s0 = %zero) -> (i32) {
        %t = affine.for %j = 0 to 3 iter_args(%t0 = %s0) -> (i32) {
          %y1 = arith.addi %r, %i : index
          %x1 = arith.addi %c, %j : index
          %y = arith.subi %y1, %c1 : index
          %x = arith.subi %x1, %c1 : index
          %iny = arith.cmpi ult, %y, %c23 : index
          %inx = arith.cmpi ult, %x, %c29 : index
          %in = arith.andi %iny, %inx : i1
          %v = scf.if %in -> (i32) {
            %l = memref.load %a[%y, %x] : memref<23x29xi32>
            scf.yield %l : i32
          } else {
            scf.yield %zero : i32
          }
          %u = arith.addi %t0, %v : i32
          affine.yield %u : i32
        }
        affine.yield %t : i32
      }
      affine.store %s, %out[%r, %c] : memref<23x29xi32>
    }
  }
  return
}
// The image is copied into a larger one with a border of zeros.
func.func @right_padded_copy(%a: memref<23x29xi32> {tonno.alignment = 4}, %out: memref<23x29xi32> {tonno.alignment = 4}) {
  %zero = arith.constant 0 : i32
  %b = memref.alloc() : memref<25x31xi32>
  linalg.fill ins(%zero : i32) outs(%b : memref<25x31xi32>)
  affine.for %r = 0 to 23 {
    affine.for %c = 0 to 29 {
      %v = affine.load %a[%r, %c] : memref<23x29xi32>
      affine.store %v, %b[%r + 1, %c + 1] : memref<25x31xi32>
    }
  }
  affine.for %r = 0 to 23 {
    affine.for %c = 0 to 29 {
      %s = affine.for %i = 0 to 3 iter_args(%s0 = %zero) -> (i32) {
        %t = affine.for %j = 0 to 3 iter_args(%t0 = %s0) -> (i32) {
          %v = affine.load %b[%r + %i, %c + %j] : memref<25x31xi32>
          %u = arith.addi %t0, %v : i32
          affine.yield %u : i32
        }
        affine.yield %t : i32
      }
      affine.store %s, %out[%r, %c] : memref<23x29xi32>
    }
  }
  memref.dealloc %b : memref<25x31xi32>
  return
}
// Rows are guarded, columns weighed by 0 outside: a[0, -1] and a[22, 29] are read. Shows on every input.
func.func @wrong_columns_weighed(%a: memref<23x29xi32> {tonno.alignment = 4}, %out: memref<23x29xi32> {tonno.alignment = 4}) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c23 = arith.constant 23 : index
  %c29 = arith.constant 29 : index
  %w = memref.alloc() : memref<31xi32>
  affine.for %j = 0 to 31 {
    %x = arith.subi %j, %c1 : index
    %in = arith.cmpi ult, %x, %c29 : index
    %v = arith.select %in, %one, %zero : i32
    affine.store %v, %w[%j] : memref<31xi32>
  }
  affine.for %r = 0 to 23 {
    affine.for %c = 0 to 29 {
      %s = affine.for %i = 0 to 3 iter_args(%s0 = %zero) -> (i32) {
        %y1 = arith.addi %r, %i : index
        %y = arith.subi %y1, %c1 : index
        %iny = arith.cmpi ult, %y, %c23 : index
        %t = scf.if %iny -> (i32) {
          %row = arith.muli %y, %c29 : index
          %t1 = affine.for %j = 0 to 3 iter_args(%t0 = %s0) -> (i32) {
            %x1 = arith.addi %c, %j : index
            %x = arith.subi %x1, %c1 : index
            %at = arith.addi %row, %x : index
            %e = memref.reinterpret_cast %a to offset: [%at], sizes: [1], strides: [1] : memref<23x29xi32> to memref<1xi32, strided<[1], offset: ?>>
            %l = memref.load %e[%c0] : memref<1xi32, strided<[1], offset: ?>>
            %k = affine.load %w[%c + %j] : memref<31xi32>
            %v = arith.muli %l, %k : i32
            %u = arith.addi %t0, %v : i32
            affine.yield %u : i32
          }
          scf.yield %t1 : i32
        } else {
          scf.yield %s0 : i32
        }
        affine.yield %t : i32
      }
      affine.store %s, %out[%r, %c] : memref<23x29xi32>
    }
  }
  memref.dealloc %w : memref<31xi32>
  return
}
// Lines in a ring, the next one weighed by 0 where it is none: line 23 is read. Shows on every input.
func.func @wrong_line_ahead(%a: memref<23x29xi32> {tonno.alignment = 4}, %out: memref<23x29xi32> {tonno.alignment = 4}) {
  %zero = arith.constant 0 : i32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %one = arith.constant 1 : i32
  %w = memref.alloc() : memref<24xi32>
  linalg.fill ins(%one : i32) outs(%w : memref<24xi32>)
  affine.store %zero, %w[23] : memref<24xi32>
  %ring = memref.alloc() : memref<3x31xi32>
  linalg.fill ins(%zero : i32) outs(%ring : memref<3x31xi32>)
  affine.for %c = 0 to 29 {
    %v = affine.load %a[0, %c] : memref<23x29xi32>
    affine.store %v, %ring[1, %c + 1] : memref<3x31xi32>
  }
  affine.for %r = 0 to 23 {
    %r1 = arith.addi %r, %c1 : index
    %r2 = arith.addi %r1, %c1 : index
    %slot = arith.remui %r2, %c3 : index
    %keep = memref.load %w[%r1] : memref<24xi32>
    affine.for %c = 0 to 29 {
      %d = arith.addi %c, %c1 : index
      %v = memref.load %a[%r1, %c] : memref<23x29xi32>
      %p = arith.muli %v, %keep : i32
      memref.store %p, %ring[%slot, %d] : memref<3x31xi32>
    }
    affine.for %c = 0 to 29 {
      %s = affine.for %i = 0 to 3 iter_args(%s0 = %zero) -> (i32) {
        %t = affine.for %j = 0 to 3 iter_args(%t0 = %s0) -> (i32) {
          %v = affine.load %ring[%i, %c + %j] : memref<3x31xi32>
          %u = arith.addi %t0, %v : i32
          affine.yield %u : i32
        }
        affine.yield %t : i32
      }
      affine.store %s, %out[%r, %c] : memref<23x29xi32>
    }
  }
  memref.dealloc %w : memref<24xi32>
  memref.dealloc %ring : memref<3x31xi32>
  return
}

// out[r, c] = 2 * x[r, c] on 61x67 f32. Tiles of 16x16: the last ones stick out by 3 rows, 13 columns.
// The mutants give the right results and write outside of out.
func.func @kernel(%x: memref<61x67xf32> {tonno.alignment = 4}, %out: memref<61x67xf32> {tonno.alignment = 4}) {
  %two = arith.constant 2.0 : f32
  affine.for %r = 0 to 61 {
    affine.for %c = 0 to 67 {
      %v = affine.load %x[%r, %c] : memref<61x67xf32>
      %p = arith.mulf %v, %two : f32
      affine.store %p, %out[%r, %c] : memref<61x67xf32>
    }
  }
  return
}
// Tiles cut to the matrix.
func.func @right_cut_tiles(%x: memref<61x67xf32> {tonno.alignment = 4}, %out: memref<61x67xf32> {tonno.alignment = 4}) {
  %two = arith.constant 2.0 : f32
  %c1 = arith.constant 1 : index
  affine.for %tr = 0 to 61 step 16 {
    affine.for %tc = 0 to 67 step 16 {
      %er = affine.min affine_map<(d) -> (d + 16, 61)>(%tr)
      %ec = affine.min affine_map<(d) -> (d + 16, 67)>(%tc)
      scf.for %r = %tr to %er step %c1 {
        scf.for %c = %tc to %ec step %c1 {
          %v = memref.load %x[%r, %c] : memref<61x67xf32>
          %p = arith.mulf %v, %two : f32
          memref.store %p, %out[%r, %c] : memref<61x67xf32>
        }
      }
    }
  }
  return
}
// Whole tiles, moved back at the edges: the overlap is computed twice from x.
func.func @right_moved_back(%x: memref<61x67xf32> {tonno.alignment = 4}, %out: memref<61x67xf32> {tonno.alignment = 4}) {
  %two = arith.constant 2.0 : f32
  affine.for %tr = 0 to 61 step 16 {
    affine.for %tc = 0 to 67 step 16 {
      %r0 = affine.min affine_map<(d) -> (d, 45)>(%tr)
      %c0 = affine.min affine_map<(d) -> (d, 51)>(%tc)
      affine.for %i = 0 to 16 {
        affine.for %j = 0 to 16 {
          %r = arith.addi %r0, %i : index
          %c = arith.addi %c0, %j : index
          %v = memref.load %x[%r, %c] : memref<61x67xf32>
          %p = arith.mulf %v, %two : f32
          memref.store %p, %out[%r, %c] : memref<61x67xf32>
        }
      }
    }
  }
  return
}
// Rows are not cut, columns are: 3 rows beyond, 804 bytes, from clamped loads. Shows on every input.
func.func @wrong_rows_not_cut(%x: memref<61x67xf32> {tonno.alignment = 4}, %out: memref<61x67xf32> {tonno.alignment = 4}) {
  %two = arith.constant 2.0 : f32
  %last = arith.constant 60 : index
  %c1 = arith.constant 1 : index
  affine.for %tr = 0 to 61 step 16 {
    affine.for %tc = 0 to 67 step 16 {
      %ec = affine.min affine_map<(d) -> (d + 16, 67)>(%tc)
      affine.for %i = 0 to 16 {
        scf.for %c = %tc to %ec step %c1 {
          %r = arith.addi %tr, %i : index
          %q = arith.minui %r, %last : index
          %v = memref.load %x[%q, %c] : memref<61x67xf32>
          %p = arith.mulf %v, %two : f32
          memref.store %p, %out[%r, %c] : memref<61x67xf32>
        }
      }
    }
  }
  return
}
// Columns are not cut; later stores repair each row but behind the last: 52 bytes beyond. Shows on every input.
func.func @wrong_spill_repaired(%x: memref<61x67xf32> {tonno.alignment = 4}, %out: memref<61x67xf32> {tonno.alignment = 4}) {
  %two = arith.constant 2.0 : f32
  %last = arith.constant 66 : index
  %c64 = arith.constant 64 : index
  affine.for %r = 0 to 61 {
    affine.for %tc = 0 to 67 step 16 {
      %t = arith.subi %c64, %tc : index
      affine.for %j = 0 to 16 {
        %c = arith.addi %t, %j : index
        %q = arith.minui %c, %last : index
        %v = memref.load %x[%r, %q] : memref<61x67xf32>
        %p = arith.mulf %v, %two : f32
        memref.store %p, %out[%r, %c] : memref<61x67xf32>
      }
    }
  }
  return
}
// Flat tiles of 1024: the last one is stored whole, 9 elements beyond. Shows on every input.
func.func @wrong_flat_tile_whole(%x: memref<61x67xf32> {tonno.alignment = 4}, %out: memref<61x67xf32> {tonno.alignment = 4}) {
  %two = arith.constant 2.0 : f32
  %last = arith.constant 4086 : index
  %fx = memref.collapse_shape %x [[0, 1]] : memref<61x67xf32> into memref<4087xf32>
  %fo = memref.collapse_shape %out [[0, 1]] : memref<61x67xf32> into memref<4087xf32>
  affine.for %t = 0 to 4 {
    affine.for %i = 0 to 1024 {
      %k = affine.apply affine_map<(d, e) -> (d * 1024 + e)>(%t, %i)
      %q = arith.minui %k, %last : index
      %v = memref.load %fx[%q] : memref<4087xf32>
      %p = arith.mulf %v, %two : f32
      memref.store %p, %fo[%k] : memref<4087xf32>
    }
  }
  return
}
// One flat tile of 1024 too many, n / 1024 + 2 of them: 36 to 4132 bytes beyond, cleared. Shows on every input.
func.func @wrong_tile_too_many(%x: memref<61x67xf32> {tonno.alignment = 4}, %out: memref<61x67xf32> {tonno.alignment = 4}) {
  %two = arith.constant 2.0 : f32
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant 4087 : index
  %tile = arith.constant 1024 : index
  %end = arith.constant 5120 : index
  %fx = memref.collapse_shape %x [[0, 1]] : memref<61x67xf32> into memref<4087xf32>
  %fo = memref.reinterpret_cast %out to offset: [0], sizes: [5120], strides: [1] : memref<61x67xf32> to memref<5120xf32>
  scf.for %t = %c0 to %end step %tile {
    %left = arith.subi %n, %t : index
    %len = arith.minsi %left, %tile : index
    %whole = arith.cmpi slt, %left, %c0 : index
    scf.if %whole {
      scf.for %i = %c0 to %tile step %c1 {
        %k = arith.addi %t, %i : index
        memref.store %zero, %fo[%k] : memref<5120xf32>
      }
    } else {
      scf.for %i = %c0 to %len step %c1 {
        %k = arith.addi %t, %i : index
        %v = memref.load %fx[%k] : memref<4087xf32>
        %p = arith.mulf %v, %two : f32
        memref.store %p, %fo[%k] : memref<5120xf32>
      }
    }
  }
  return
}

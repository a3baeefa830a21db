// expect: verified
// A solver without pivoting, whose inner loops begin where an outer one stands.
func.func @solve(%A: memref<4x8x8xf64>, %b: memref<4x8xi32>, %x: memref<4x8xf64>) {
  %shift = arith.constant 6.4e+01 : f64
  %m = memref.alloc() : memref<4x8x9xf64>
  affine.for %n = 0 to 4 {
    affine.for %i = 0 to 8 {
      affine.for %j = 0 to 8 {
        %v = affine.load %A[%n, %i, %j] : memref<4x8x8xf64>
        affine.store %v, %m[%n, %i, %j] : memref<4x8x9xf64>
      }
      %d = affine.load %m[%n, %i, %i] : memref<4x8x9xf64>
      %e = arith.addf %d, %shift : f64
      affine.store %e, %m[%n, %i, %i] : memref<4x8x9xf64>
      %r = affine.load %b[%n, %i] : memref<4x8xi32>
      %f = arith.sitofp %r : i32 to f64
      affine.store %f, %m[%n, %i, 8] : memref<4x8x9xf64>
    }
    affine.for %k = 0 to 8 {
      %p = affine.load %m[%n, %k, %k] : memref<4x8x9xf64>
      affine.for %i = affine_map<(d0) -> (d0 + 1)>(%k) to 8 {
        %l = affine.load %m[%n, %i, %k] : memref<4x8x9xf64>
        %q = arith.divf %l, %p : f64
        affine.for %j = 0 to 9 {
          %u = affine.load %m[%n, %k, %j] : memref<4x8x9xf64>
          %w = affine.load %m[%n, %i, %j] : memref<4x8x9xf64>
          %t = arith.mulf %q, %u : f64
          %s = arith.subf %w, %t : f64
          affine.store %s, %m[%n, %i, %j] : memref<4x8x9xf64>
        }
      }
    }
    affine.for %i = 0 to 8 {
      %r = affine.load %m[%n, 7 - %i, 8] : memref<4x8x9xf64>
      %sum = affine.for %j = 0 to affine_map<(d0) -> (d0)>(%i) iter_args(%a = %r) -> (f64) {
        %u = affine.load %m[%n, 7 - %i, 7 - %j] : memref<4x8x9xf64>
        %v = affine.load %x[%n, 7 - %j] : memref<4x8xf64>
        %t = arith.mulf %u, %v : f64
        %s = arith.subf %a, %t : f64
        affine.yield %s : f64
      }
      %d = affine.load %m[%n, 7 - %i, 7 - %i] : memref<4x8x9xf64>
      %q = arith.divf %sum, %d : f64
      affine.store %q, %x[%n, 7 - %i] : memref<4x8xf64>
    }
  }
  memref.dealloc %m : memref<4x8x9xf64>
  return
}

// 1 / (1 + exp(-x)), f32, in loops that are written out.

func.func @kernel(%x: memref<25x40xf32>, %y: memref<25x40xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c25 = arith.constant 25 : index
  %c40 = arith.constant 40 : index
  %one = arith.constant 1.0 : f32
  scf.for %i = %c0 to %c25 step %c1 {
    scf.for %j = %c0 to %c40 step %c1 {
      %a = memref.load %x[%i, %j] : memref<25x40xf32>
      %minus = arith.negf %a : f32
      %e = math.exp %minus : f32
      %sum = arith.addf %one, %e : f32
      %r = arith.divf %one, %sum : f32
      memref.store %r, %y[%i, %j] : memref<25x40xf32>
    }
  }
  return
}

// In f64, a row at a time.
func.func @right_wide(%x: memref<25x40xf32>, %y: memref<25x40xf32>) {
  %one = arith.constant 1.0 : f64
  affine.for %i = 0 to 25 {
    %row = memref.subview %x[%i, 0] [1, 40] [1, 1] : memref<25x40xf32> to memref<40xf32, strided<[1], offset: ?>>
    affine.for %j = 0 to 40 {
      %a = memref.load %row[%j] : memref<40xf32, strided<[1], offset: ?>>
      %wide = arith.extf %a : f32 to f64
      %minus = arith.negf %wide : f64
      %e = math.exp %minus : f64
      %sum = arith.addf %one, %e : f64
      %q = arith.divf %one, %sum : f64
      %r = arith.truncf %q : f64 to f32
      affine.store %r, %y[%i, %j] : memref<25x40xf32>
    }
  }
  return
}

// 0 below -3.
func.func @wrong_left(%x: memref<25x40xf32>, %y: memref<25x40xf32>) {
  %one = arith.constant 1.0 : f32
  %zero = arith.constant 0.0 : f32
  %least = arith.constant -3.0 : f32
  affine.for %i = 0 to 25 {
    affine.for %j = 0 to 40 {
      %a = affine.load %x[%i, %j] : memref<25x40xf32>
      %minus = arith.negf %a : f32
      %e = math.exp %minus : f32
      %sum = arith.addf %one, %e : f32
      %r = arith.divf %one, %sum : f32
      %isLeft = arith.cmpf olt, %a, %least : f32
      %cut = arith.select %isLeft, %zero, %r : f32
      affine.store %cut, %y[%i, %j] : memref<25x40xf32>
    }
  }
  return
}

// 1 above 4.
func.func @wrong_right(%x: memref<25x40xf32>, %y: memref<25x40xf32>) {
  %one = arith.constant 1.0 : f32
  %most = arith.constant 4.0 : f32
  affine.for %i = 0 to 25 {
    affine.for %j = 0 to 40 {
      %a = affine.load %x[%i, %j] : memref<25x40xf32>
      %minus = arith.negf %a : f32
      %e = math.exp %minus : f32
      %sum = arith.addf %one, %e : f32
      %r = arith.divf %one, %sum : f32
      %isRight = arith.cmpf ogt, %a, %most : f32
      %cut = arith.select %isRight, %one, %r : f32
      affine.store %cut, %y[%i, %j] : memref<25x40xf32>
    }
  }
  return
}

// The other way round, which overflows below -88.
func.func @wrong_quotient(%x: memref<25x40xf32>, %y: memref<25x40xf32>) {
  %one = arith.constant 1.0 : f32
  affine.for %i = 0 to 25 {
    affine.for %j = 0 to 40 {
      %a = affine.load %x[%i, %j] : memref<25x40xf32>
      %e = math.exp %a : f32
      %sum = arith.addf %one, %e : f32
      %r = arith.divf %e, %sum : f32
      affine.store %r, %y[%i, %j] : memref<25x40xf32>
    }
  }
  return
}

// expect: refused "recurs"
func.func @descend(%x: tensor<16xf32>, %n: i32) -> tensor<16xf32> {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %done = arith.cmpi sle, %n, %zero : i32
  %r = scf.if %done -> tensor<16xf32> {
    scf.yield %x : tensor<16xf32>
  } else {
    %m = arith.subi %n, %one : i32
    %0 = func.call @descend(%x, %m) : (tensor<16xf32>, i32) -> tensor<16xf32>
    scf.yield %0 : tensor<16xf32>
  }
  return %r : tensor<16xf32>
}

// expect: verified
// options: --inputs=arg0=integers(1,1000)
func.func @steps(%x: memref<64xi32>, %steps: memref<64xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %one = arith.constant 1 : i32
  %two = arith.constant 2 : i32
  %three = arith.constant 3 : i32
  %zero = arith.constant 0 : i32
  scf.for %i = %c0 to %c64 step %c1 {
    %v = memref.load %x[%i] : memref<64xi32>
    %r:2 = scf.while (%n = %v, %count = %zero) : (i32, i32) -> (i32, i32) {
      %go = arith.cmpi sgt, %n, %one : i32
      scf.condition(%go) %n, %count : i32, i32
    } do {
    ^bb0(%n: i32, %count: i32):
      %odd = arith.andi %n, %one : i32
      %isOdd = arith.cmpi eq, %odd, %one : i32
      %tripled = arith.muli %n, %three : i32
      %up = arith.addi %tripled, %one : i32
      %down = arith.shrui %n, %one : i32
      %next = arith.select %isOdd, %up, %down : i32
      %more = arith.addi %count, %one : i32
      scf.yield %next, %more : i32, i32
    }
    memref.store %r#1, %steps[%i] : memref<64xi32>
  }
  return
}

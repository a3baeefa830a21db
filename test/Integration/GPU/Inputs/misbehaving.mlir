// Candidates that misbehave, beside others that don't.

#PART = #tonno.knob<"PART" from [1, 2, 4]>

// With the last option its loop takes years. Nothing folds it: a xorshift has no
// closed form.
func.func @endless(%x: memref<1000xi32>, %y: memref<1000xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c1000 = arith.constant 1000 : index
  %part = arith.constant {tonno.knobs = {value = #PART}} 1 : index
  %first = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %times = arith.constant {tonno.knobs = {value = #tonno.knob<"TIMES" from [4, 1000000000000000]>}} 4 : i64
  %s13 = arith.constant 13 : i32
  %s17 = arith.constant 17 : i32
  %s5 = arith.constant 5 : i32
  scf.parallel (%i) = (%c0) to (%c1000) step (%part) {
    %end = arith.addi %i, %part : index
    scf.for %j = %i to %end step %c1 {
      %v = memref.load %x[%j] : memref<1000xi32>
      %last = scf.for %n = %first to %times step %one iter_args(%s = %v) -> i32 : i64 {
        %a = arith.shli %s, %s13 : i32
        %b = arith.xori %s, %a : i32
        %c = arith.shrui %b, %s17 : i32
        %d = arith.xori %b, %c : i32
        %e = arith.shli %d, %s5 : i32
        %f = arith.xori %d, %e : i32
        scf.yield %f : i32
      }
      memref.store %last, %y[%j] : memref<1000xi32>
    }
  }
  return
}

// With the other options it writes a little beyond its buffer, and 16 GB beyond.
func.func @stray(%x: memref<1000xi64>, %y: memref<1000xi64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c1000 = arith.constant 1000 : index
  %part = arith.constant {tonno.knobs = {value = #PART}} 1 : index
  %beyond = arith.constant {tonno.knobs = {value = #tonno.knob<"BEYOND" from [0, 100, 2000000000]>}} 0 : index
  scf.parallel (%i) = (%c0) to (%c1000) step (%part) {
    %end = arith.addi %i, %part : index
    scf.for %j = %i to %end step %c1 {
      %v = memref.load %x[%j] : memref<1000xi64>
      %k = arith.addi %j, %beyond : index
      memref.store %v, %y[%k] : memref<1000xi64>
    }
  }
  return
}

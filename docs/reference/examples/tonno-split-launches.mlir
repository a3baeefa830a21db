// tonno-opt --tonno-split-launches --canonicalize
module {
  func.func @f(%s: memref<f64>, %b: memref<100xf64>) attributes {tonno.buffers = []} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c3 = arith.constant 3 : index
    %c7 = arith.constant 7 : index
    %c10 = arith.constant 10 : index
    %c100 = arith.constant 100 : index
    %v = memref.load %s[] : memref<f64>
    memref.store %v, %b[%c0] : memref<100xf64>
    memref.store %v, %b[%c1] : memref<100xf64>
    scf.forall (%i, %j) = (1, 0) to (10, 10) step (3, 3) {
      %ij = arith.addi %i, %j : index
      memref.store %v, %b[%ij] : memref<100xf64>
    }
    scf.for %i = %c7 to %c100 step %c10 {
      memref.store %v, %b[%i] : memref<100xf64>
    }
    return
  }
  func.func private @other() {
    return
  }
}

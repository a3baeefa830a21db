// RUN: tonno-opt %s --split-input-file --tonno-split-launches --canonicalize | FileCheck %s

// What stands between two parallel loops is a launch of one workgroup.
// CHECK: tonno.launches = [
// CHECK-SAME: {block = [1, 1, 1], buffers = [0, 1], grid = [1, 1, 1], shared_bytes = 0 : i64, symbol = "f_0_entry"},
// CHECK-SAME: {block = [1, 1, 1], buffers = [0, 1], grid = [12, 1, 1], shared_bytes = 0 : i64, symbol = "f_1_entry"},
// CHECK-SAME: {block = [1, 1, 1], buffers = [0, 1], grid = [1, 1, 1], shared_bytes = 0 : i64, symbol = "f_2_entry"}]
// CHECK-LABEL: func.func @f_0(
// CHECK-NOT: %{{.+}}: index)
// CHECK: memref.store %{{.+}}, %{{.+}}[%c0]
// CHECK: return
// CHECK-LABEL: func.func @f_1(
// CHECK-SAME: %[[SCALAR:.+]]: memref<f64>, %[[B:.+]]: memref<100xf64>, %[[N:.+]]: index)
// CHECK-DAG: %[[COLUMN:.+]] = arith.remui %[[N]], %c4
// CHECK-DAG: %[[ROW:.+]] = arith.divui %[[N]], %c4
// CHECK-DAG: memref.load %[[SCALAR]][]
// CHECK-NOT: scf.forall
// CHECK: return
// CHECK-LABEL: func.func @f_2(
// CHECK: scf.for
// CHECK-NOT: @f(
// CHECK-NOT: @other
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

// -----

// What was computed before a loop and is used behind it would have to be kept.
// CHECK: grid = [1, 1, 1]
// CHECK-SAME: symbol = "f_entry"}]
// CHECK-NOT: grid
// CHECK-LABEL: func.func @f(
// CHECK-NOT: index)
// CHECK: scf.forall
func.func @f(%b: memref<100xf64>) attributes {tonno.buffers = []} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c50 = arith.constant 50 : index
  %v = memref.load %b[%c0] : memref<100xf64>
  scf.forall (%i) in (50) {
    memref.store %v, %b[%i] : memref<100xf64>
  }
  return
}

// -----

// Launches load for themselves from a table that the kernel does not write.
// CHECK: tonno.launches = [
// CHECK-SAME: symbol = "nudged_0_entry"},
// CHECK-SAME: symbol = "nudged_1_entry"}]
// CHECK-LABEL: func.func @nudged_0(
// CHECK: llvm.load
// CHECK-LABEL: func.func @nudged_1(
// CHECK: llvm.load
module {
  llvm.mlir.global internal @table() : !llvm.array<2 x f64>
  func.func @nudged(%b: memref<100xf64>) attributes {tonno.buffers = []} {
    %c0 = arith.constant 0 : index
    %table = llvm.mlir.addressof @table : !llvm.ptr
    %second = llvm.getelementptr %table[1] : (!llvm.ptr) -> !llvm.ptr, f64
    %v = llvm.load %second : !llvm.ptr -> f64
    memref.store %v, %b[%c0] : memref<100xf64>
    scf.forall (%i) = (1) to (100) step (3) {
      memref.store %v, %b[%i] : memref<100xf64>
    }
    return
  }
}

// -----

// A table that the kernel writes keeps it one launch.
// CHECK: tonno.launches = [
// CHECK-SAME: symbol = "written_entry"}]
module {
  llvm.mlir.global internal @table() : !llvm.array<2 x f64>
  func.func @written(%b: memref<100xf64>) attributes {tonno.buffers = []} {
    %c0 = arith.constant 0 : index
    %table = llvm.mlir.addressof @table : !llvm.ptr
    %v = llvm.load %table : !llvm.ptr -> f64
    memref.store %v, %b[%c0] : memref<100xf64>
    llvm.store %v, %table : f64, !llvm.ptr
    scf.forall (%i) = (1) to (100) step (3) {
      memref.store %v, %b[%i] : memref<100xf64>
    }
    return
  }
}

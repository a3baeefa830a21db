// RUN: tonno-opt %s --tonno-lower-asserts | FileCheck %s

// CHECK-LABEL: func.func @clamped(
// CHECK-SAME: %[[HOLDS:[^:]*]]: i1
func.func @clamped(%holds: i1) {
  // CHECK: %[[TRUE:.*]] = arith.constant true
  // CHECK: %[[FAILS:.*]] = arith.xori %[[HOLDS]], %[[TRUE]] : i1
  // CHECK: scf.if %[[FAILS]] {
  // CHECK-NEXT: llvm.intr.trap
  // CHECK-NOT: cf.assert
  cf.assert %holds, "out of range"
  return
}

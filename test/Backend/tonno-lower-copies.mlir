// RUN: tonno-opt %s --tonno-lower-copies | FileCheck %s

// CHECK-LABEL: func.func @copy(
func.func @copy(%a: memref<4x4xf32, strided<[8, 1]>>, %b: memref<4x4xf32>) {
  // CHECK-NOT: memref.copy
  // CHECK: linalg.copy ins(%arg0 {{.*}} outs(%arg1
  memref.copy %a, %b : memref<4x4xf32, strided<[8, 1]>> to memref<4x4xf32>
  return
}

// What is where it belongs is not copied.
// CHECK-LABEL: func.func @nothing(
// CHECK-NOT:     copy
// CHECK:         return
func.func @nothing(%a: memref<4x4xf32>) {
  memref.copy %a, %a : memref<4x4xf32> to memref<4x4xf32>
  return
}

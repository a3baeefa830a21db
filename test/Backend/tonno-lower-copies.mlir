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

memref.global "private" constant @twos : memref<4x4xf32> = dense<2.0>
memref.global "private" constant @table : memref<2xf32> = dense<[1.0, 2.0]>
memref.global "private" @variable : memref<2xf32> = dense<3.0>

// One number is filled in, so that the binary need not contain the global.
// CHECK-LABEL: func.func @numbers(
// CHECK:         %[[TWO:.+]] = arith.constant 2.0
// CHECK:         linalg.fill ins(%[[TWO]] : f32) outs(%arg0
// CHECK:         linalg.copy {{.*}} outs(%arg1
// CHECK:         linalg.copy {{.*}} outs(%arg1
func.func @numbers(%a: memref<2x4xf32>, %b: memref<2xf32>) {
  %twos = memref.get_global @twos : memref<4x4xf32>
  %rows = memref.subview %twos[2, 0] [2, 4] [1, 1] : memref<4x4xf32> to memref<2x4xf32, strided<[4, 1], offset: 8>>
  memref.copy %rows, %a : memref<2x4xf32, strided<[4, 1], offset: 8>> to memref<2x4xf32>
  %table = memref.get_global @table : memref<2xf32>
  memref.copy %table, %b : memref<2xf32> to memref<2xf32>
  %variable = memref.get_global @variable : memref<2xf32>
  memref.copy %variable, %b : memref<2xf32> to memref<2xf32>
  return
}

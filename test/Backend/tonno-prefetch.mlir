// RUN: tonno-opt %s --tonno-prefetch | FileCheck %s

// The second loop computes for long: meanwhile it asks for the next row, at the
// end for the same one, and for what the last loop writes.
// CHECK-LABEL: func.func @rows(
// CHECK-SAME:  %[[IN:[^:]+]]: memref<8x256xf32>, %[[OUT:[^:]+]]: memref<8x256xf32>
// CHECK:       scf.for %[[I:.+]] = %{{.+}} to %[[ROWS:.+]] step %[[ONE:.+]] {
// CHECK:         scf.for
// CHECK-NOT:     memref.prefetch
// CHECK:         scf.for %[[J:.+]] =
// CHECK:           %[[AHEAD:.+]] = memref.subview %[[OUT]][%[[I]],
// CHECK:           memref.prefetch %[[AHEAD]]{{.*}}, write, locality<3>, data
// CHECK:           memref.prefetch %[[AHEAD]]{{.*}}, write, locality<3>, data
// CHECK:           %[[NEXT:.+]] = arith.addi %[[I]], %[[ONE]]
// CHECK:           %[[THERE:.+]] = arith.cmpi slt, %[[NEXT]], %[[ROWS]]
// CHECK:           %[[ROW:.+]] = arith.select %[[THERE]], %[[NEXT]], %[[I]]
// CHECK:           %[[LATER:.+]] = memref.subview %[[IN]][%[[ROW]], %[[J]]]
// CHECK-COUNT-2:   memref.prefetch %[[LATER]]{{.*}}, read, locality<3>, data
// CHECK:         scf.for
// CHECK-NOT:     memref.prefetch
func.func @rows(%in: memref<8x256xf32>, %out: memref<8x256xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c32 = arith.constant 32 : index
  %c256 = arith.constant 256 : index
  %zero = arith.constant dense<0.0> : vector<32xf32>
  %row = memref.alloc() : memref<1x256xf32>
  scf.for %i = %c0 to %c8 step %c1 {
    %sum = scf.for %j = %c0 to %c256 step %c32 iter_args(%s = %zero) -> (vector<32xf32>) {
      %view = memref.subview %in[%i, %j] [1, 32] [1, 1] : memref<8x256xf32> to memref<1x32xf32, strided<[256, 1], offset: ?>>
      %x = vector.load %view[%c0, %c0] : memref<1x32xf32, strided<[256, 1], offset: ?>>, vector<32xf32>
      %y = arith.addf %s, %x : vector<32xf32>
      scf.yield %y : vector<32xf32>
    }
    scf.for %j = %c0 to %c256 step %c32 {
      %view = memref.subview %in[%i, %j] [1, 32] [1, 1] : memref<8x256xf32> to memref<1x32xf32, strided<[256, 1], offset: ?>>
      %x = vector.load %view[%c0, %c0] : memref<1x32xf32, strided<[256, 1], offset: ?>>, vector<32xf32>
      %0 = arith.mulf %x, %sum : vector<32xf32>
      %1 = arith.mulf %0, %x : vector<32xf32>
      %2 = arith.mulf %1, %x : vector<32xf32>
      %3 = arith.mulf %2, %x : vector<32xf32>
      %4 = arith.mulf %3, %x : vector<32xf32>
      %5 = arith.mulf %4, %x : vector<32xf32>
      %6 = arith.mulf %5, %x : vector<32xf32>
      %7 = arith.mulf %6, %x : vector<32xf32>
      vector.store %7, %row[%c0, %j] : memref<1x256xf32>, vector<32xf32>
    }
    scf.for %j = %c0 to %c256 step %c32 {
      %x = vector.load %row[%c0, %j] : memref<1x256xf32>, vector<32xf32>
      %view = memref.subview %out[%i, %j] [1, 32] [1, 1] : memref<8x256xf32> to memref<1x32xf32, strided<[256, 1], offset: ?>>
      vector.store %x, %view[%c0, %c0] : memref<1x32xf32, strided<[256, 1], offset: ?>>, vector<32xf32>
    }
  }
  memref.dealloc %row : memref<1x256xf32>
  return
}

// Each row is read again by the loop around, and is there still.
// CHECK-LABEL: func.func @again(
// CHECK-NOT:   memref.prefetch
func.func @again(%in: memref<8x256xf32>, %out: memref<4x8x256xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  %c32 = arith.constant 32 : index
  %c256 = arith.constant 256 : index
  scf.for %k = %c0 to %c4 step %c1 {
    scf.for %i = %c0 to %c8 step %c1 {
      scf.for %j = %c0 to %c256 step %c32 {
        %x = vector.load %in[%i, %j] : memref<8x256xf32>, vector<32xf32>
        %1 = arith.mulf %x, %x : vector<32xf32>
        %2 = arith.mulf %1, %x : vector<32xf32>
        %3 = arith.mulf %2, %x : vector<32xf32>
        %4 = arith.mulf %3, %x : vector<32xf32>
        %5 = arith.mulf %4, %x : vector<32xf32>
        %6 = arith.mulf %5, %x : vector<32xf32>
        %7 = arith.mulf %6, %x : vector<32xf32>
        %8 = arith.mulf %7, %x : vector<32xf32>
        vector.store %8, %out[%k, %i, %j] : memref<4x8x256xf32>, vector<32xf32>
      }
    }
  }
  return
}

// It computes little: it waits for memory anyway.
// CHECK-LABEL: func.func @stream(
// CHECK-NOT:   memref.prefetch
func.func @stream(%in: memref<8x256xf32>, %out: memref<8x256xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c32 = arith.constant 32 : index
  %c256 = arith.constant 256 : index
  scf.for %i = %c0 to %c8 step %c1 {
    scf.for %j = %c0 to %c256 step %c32 {
      %x = vector.load %in[%i, %j] : memref<8x256xf32>, vector<32xf32>
      %y = arith.mulf %x, %x : vector<32xf32>
      vector.store %y, %out[%i, %j] : memref<8x256xf32>, vector<32xf32>
    }
  }
  return
}

// Memory of a loop is asked for, not what is stored outside of loops, nor what
// takes a value that a later loop computes, nor indices, whose width is the
// target's.
// CHECK-LABEL: func.func @not_asked_for(
// CHECK-SAME:  %[[IN:[^:]+]]: memref<8x128xf32>
// CHECK:       memref.prefetch %[[IN]]
// CHECK-NOT:   memref.prefetch
func.func @not_asked_for(%in: memref<8x128xf32>, %once: memref<16xf32>, %skewed: memref<8x136xf32>, %counts: memref<8x128xindex>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c16 = arith.constant 16 : index
  %c128 = arith.constant 128 : index
  %zero = arith.constant dense<0.0> : vector<16xf32>
  vector.store %zero, %once[%c0] : memref<16xf32>, vector<16xf32>
  scf.for %i = %c0 to %c8 step %c1 {
    scf.for %j = %c0 to %c128 step %c16 {
      %x = vector.load %in[%i, %j] : memref<8x128xf32>, vector<16xf32>
      %1 = arith.mulf %x, %x : vector<16xf32>
      %2 = arith.mulf %1, %x : vector<16xf32>
      %3 = arith.mulf %2, %x : vector<16xf32>
      %4 = arith.mulf %3, %x : vector<16xf32>
      %5 = arith.mulf %4, %x : vector<16xf32>
      %6 = arith.mulf %5, %x : vector<16xf32>
      %7 = arith.mulf %6, %x : vector<16xf32>
      %8 = arith.mulf %7, %x : vector<16xf32>
      vector.store %8, %in[%i, %j] : memref<8x128xf32>, vector<16xf32>
    }
    scf.for %j = %c0 to %c128 step %c16 {
      %late = arith.divui %j, %c16 : index
      vector.store %zero, %skewed[%late, %j] : memref<8x136xf32>, vector<16xf32>
      %view = memref.subview %skewed[%i, %j] [1, 16] [1, 1] : memref<8x136xf32> to memref<1x16xf32, strided<[136, 1], offset: ?>>
      vector.store %zero, %view[%late, %c0] : memref<1x16xf32, strided<[136, 1], offset: ?>>, vector<16xf32>
      %row = memref.subview %skewed[%late, %j] [1, 16] [1, 1] : memref<8x136xf32> to memref<1x16xf32, strided<[136, 1], offset: ?>>
      vector.store %zero, %row[%c0, %c0] : memref<1x16xf32, strided<[136, 1], offset: ?>>, vector<16xf32>
      %n = vector.load %counts[%i, %j] : memref<8x128xindex>, vector<16xindex>
      vector.store %n, %counts[%i, %j] : memref<8x128xindex>, vector<16xindex>
    }
  }
  return
}

// Buffers of dynamic shapes are cast to them, behind a branch, too.
// CHECK-LABEL: func.func @dynamic(
// CHECK:       scf.if
// CHECK:         scf.for %[[I:.+]] = %{{.+}} to %[[ROWS:.+]] step
// CHECK:           scf.for
// CHECK:             arith.cmpi slt, %{{.+}}, %[[ROWS]]
// CHECK-COUNT-2:     memref.prefetch {{.*}}, read, locality<3>, data
func.func @dynamic(%in: memref<1xf32>, %m: index, %c: i1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %c256 = arith.constant 256 : index
  %row = memref.alloc() : memref<1x256xf32>
  %rows = memref.reinterpret_cast %in to offset: [0], sizes: [%m, 256], strides: [256, 1] : memref<1xf32> to memref<?x256xf32>
  scf.if %c {
    scf.for %i = %c0 to %m step %c1 {
      scf.for %j = %c0 to %c256 step %c32 {
        %view = memref.subview %rows[%i, %j] [1, 32] [1, 1] : memref<?x256xf32> to memref<1x32xf32, strided<[256, 1], offset: ?>>
        %x = vector.load %view[%c0, %c0] : memref<1x32xf32, strided<[256, 1], offset: ?>>, vector<32xf32>
        %1 = arith.mulf %x, %x : vector<32xf32>
        %2 = arith.mulf %1, %x : vector<32xf32>
        %3 = arith.mulf %2, %x : vector<32xf32>
        %4 = arith.mulf %3, %x : vector<32xf32>
        %5 = arith.mulf %4, %x : vector<32xf32>
        %6 = arith.mulf %5, %x : vector<32xf32>
        %7 = arith.mulf %6, %x : vector<32xf32>
        %8 = arith.mulf %7, %x : vector<32xf32>
        vector.store %8, %row[%c0, %j] : memref<1x256xf32>, vector<32xf32>
      }
    }
  }
  return
}

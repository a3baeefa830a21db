// What a launch uses of its surroundings is computed in it again; what can't be
// is refused.

// RUN: split-file %s %t
// RUN: tonno-opt %t/sunk.mlir --tonno-sink-into-launches | FileCheck %s
// RUN: not tonno-opt %t/computed.mlir --tonno-sink-into-launches 2>&1 | FileCheck %s --check-prefix=COMPUTED
// RUN: not tonno-opt %t/overwritten.mlir --tonno-sink-into-launches 2>&1 | FileCheck %s --check-prefix=OVERWRITTEN
// RUN: not tonno-opt %t/looped.mlir --tonno-sink-into-launches 2>&1 | FileCheck %s --check-prefix=LOOPED

// COMPUTED: computed.mlir:6:3: error: a launch can use only the kernel's buffers, not a value of type 'memref<4xf32>' that is computed outside of it
// OVERWRITTEN: overwritten.mlir:5:3: error: {{.*}} not a value of type 'f32' that is computed outside of it
// LOOPED: looped.mlir:5:5: error: {{.*}} not a value of type 'index' that is computed outside of it

//--- sunk.mlir
// The constant, what is computed of it, a view, and a number read from an
// argument that nothing writes.
// CHECK-LABEL: func.func @sunk
// CHECK-SAME: (%[[IN:.*]]: memref<8xf32>, %[[OUT:.*]]: memref<8xf32>)
// CHECK: gpu.launch
// CHECK-DAG: %[[TWO:.*]] = arith.constant 2 : index
// CHECK-DAG: %[[VALUE:.*]] = memref.load %[[IN]][%[[TWO]]]
// CHECK-DAG: %[[SUM:.*]] = arith.addf %[[VALUE]], %[[VALUE]]
// CHECK-DAG: %[[VIEW:.*]] = memref.subview %[[OUT]][2] [4] [1]
// CHECK: memref.store %[[SUM]], %[[VIEW]]
// CHECK: gpu.terminator
func.func @sunk(%in: memref<8xf32>, %out: memref<8xf32>) {
  %one = arith.constant 1 : index
  %two = arith.constant 2 : index
  %value = memref.load %in[%two] : memref<8xf32>
  %sum = arith.addf %value, %value : f32
  %view = memref.subview %out[2] [4] [1] : memref<8xf32> to memref<4xf32, strided<[1], offset: 2>>
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %one, %gy = %one, %gz = %one)
             threads(%tx, %ty, %tz) in (%nx = %two, %ny = %one, %nz = %one) {
    memref.store %sum, %view[%tx] : memref<4xf32, strided<[1], offset: 2>>
    gpu.terminator
  }
  return
}
// Outlining would drop the attributes of launches: they are listed.
// CHECK-LABEL: func.func @attributes
// CHECK-SAME: tonno.launch_attributes = [{}, {nvvm.minctasm = 2 : i32}]
func.func @attributes(%out: memref<8xf32>) {
  %one = arith.constant 1 : index
  %value = arith.constant 1.0 : f32
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %one, %gy = %one, %gz = %one)
             threads(%tx, %ty, %tz) in (%nx = %one, %ny = %one, %nz = %one) {
    memref.store %value, %out[%tx] : memref<8xf32>
    gpu.terminator
  }
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %one, %gy = %one, %gz = %one)
             threads(%tx, %ty, %tz) in (%nx = %one, %ny = %one, %nz = %one) {
    memref.store %value, %out[%tx] : memref<8xf32>
    gpu.terminator
  } {nvvm.minctasm = 2 : i32}
  return
}
//--- computed.mlir
// A buffer of its own is no buffer of the kernel.
func.func @computed(%out: memref<4xf32>) {
  %one = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %own = memref.alloc() : memref<4xf32>
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %one, %gy = %one, %gz = %one)
             threads(%tx, %ty, %tz) in (%nx = %one, %ny = %one, %nz = %one) {
    memref.store %zero, %own[%tx] : memref<4xf32>
    gpu.terminator
  }
  return
}
//--- overwritten.mlir
// Read before it is written, it must not be read after.
func.func @overwritten(%out: memref<4xf32>) {
  %one = arith.constant 1 : index
  %value = memref.load %out[%one] : memref<4xf32>
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %one, %gy = %one, %gz = %one)
             threads(%tx, %ty, %tz) in (%nx = %one, %ny = %one, %nz = %one) {
    memref.store %value, %out[%tx] : memref<4xf32>
    gpu.terminator
  }
  return
}
//--- looped.mlir
func.func @looped(%out: memref<4xindex>) {
  %one = arith.constant 1 : index
  %four = arith.constant 4 : index
  scf.for %i = %one to %four step %one {
    gpu.launch blocks(%bx, %by, %bz) in (%gx = %one, %gy = %one, %gz = %one)
               threads(%tx, %ty, %tz) in (%nx = %one, %ny = %one, %nz = %one) {
      memref.store %i, %out[%tx] : memref<4xindex>
      gpu.terminator
    }
  }
  return
}

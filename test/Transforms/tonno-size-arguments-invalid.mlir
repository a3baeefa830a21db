// RUN: tonno-opt %s --tonno-size-arguments --split-input-file --verify-diagnostics

func.func @scalar(%x: tensor<?xf32>, %s: f32) -> (tensor<?xf32>, f32) {
  // expected-error @+1 {{returns 'f32'; kernels of dynamic shapes return ranked tensors}}
  return %x, %s : tensor<?xf32>, f32
}

// -----

// expected-error @+1 {{argument 0 has type 'memref<?x8xf32, strided<[16, 1]>>'; with dynamic shapes, memrefs need the identity layout and no memory space}}
func.func @strided(%x: memref<?x8xf32, strided<[16, 1]>>) {
  linalg.exp ins(%x : memref<?x8xf32, strided<[16, 1]>>) outs(%x : memref<?x8xf32, strided<[16, 1]>>)
  return
}

// -----

func.func @reshaped(%x: tensor<?x4xf32>) -> tensor<?xf32> {
  %r = tensor.collapse_shape %x [[0, 1]] : tensor<?x4xf32> into tensor<?xf32>
  // expected-error @+1 {{axis 0 of a value of type 'tensor<?xf32>' has a size that does not follow from the arguments' sizes; give sizes by '--shapes=M=64'}}
  return %r : tensor<?xf32>
}

// -----

// A branch with results of different sizes has no size of the arguments.
func.func @differ(%x: tensor<?xf32>, %y: tensor<?xf32>, %c: i1) -> tensor<?xf32> {
  %r = scf.if %c -> tensor<?xf32> {
    scf.yield %x : tensor<?xf32>
  } else {
    scf.yield %y : tensor<?xf32>
  }
  // expected-error@+1 {{axis 0 of a value of type 'tensor<?xf32>' has a size that does not follow from the arguments' sizes; give sizes by '--shapes=M=64'}}
  return %r : tensor<?xf32>
}

// RUN: tonno-opt %s --tonno-block-dynamic --split-input-file --verify-diagnostics

func.func @reduced(%a: tensor<4x?xf32>, %b: tensor<?x4xf32>, %c: tensor<4x4xf32>) -> tensor<4x4xf32> {
  // expected-error @+1 {{dimension "d0" is dynamic; give it a size by '--shapes=d0=64', as the op reduces it}}
  %r = linalg.matmul ins(%a, %b : tensor<4x?xf32>, tensor<?x4xf32>)
      outs(%c : tensor<4x4xf32>) -> tensor<4x4xf32>
  return %r : tensor<4x4xf32>
}

// -----

func.func @rows(%x: tensor<4x?xf32> {tonno.dims = ["M", "N"]}, %y: tensor<4x?xf32>) -> tensor<4x?xf32> {
  // expected-error @+1 {{dimension "N" is dynamic; give it a size by '--shapes=N=64', as the op reduces it}}
  %r = linalg.softmax dimension(1) ins(%x : tensor<4x?xf32>) outs(%y : tensor<4x?xf32>) -> tensor<4x?xf32>
  return %r : tensor<4x?xf32>
}

// -----

func.func @windows(%x: tensor<?xf32>, %f: tensor<3xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
  // expected-error @+1 {{dimension "d0" is dynamic; give it a size by '--shapes=d0=64', as the op slides along it}}
  %r = linalg.conv_1d ins(%x, %f : tensor<?xf32>, tensor<3xf32>) outs(%y : tensor<?xf32>) -> tensor<?xf32>
  return %r : tensor<?xf32>
}

// -----

// expected-error @+1 {{dimension "M" is dynamic; give it a size by '--shapes=M=64', as two axes of 'tensor<?x?xf32>' have it}}
func.func @square(%x: tensor<?x?xf32> {tonno.dims = ["M", "M"]}) -> tensor<?x?xf32> {
  return %x : tensor<?x?xf32>
}

// -----

func.func @mean(%x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  // expected-error @+1 {{dimension "d0" is dynamic; give it a size by '--shapes=d0=64', as the kernel computes with its size}}
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %i = arith.index_cast %n : index to i32
  %f = arith.sitofp %i : i32 to f32
  %0 = linalg.fill ins(%f : f32) outs(%y : tensor<?xf32>) -> tensor<?xf32>
  %1 = linalg.add ins(%x, %0 : tensor<?xf32>, tensor<?xf32>) outs(%y : tensor<?xf32>) -> tensor<?xf32>
  return %1 : tensor<?xf32>
}

// -----

func.func @indices(%y: tensor<?xindex>) -> tensor<?xindex> {
  // expected-error @+1 {{uses indices or values from outside in its body, which is not computed in blocks of dynamic dimensions}}
  %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      outs(%y : tensor<?xindex>) {
  ^bb0(%e: index):
    %i = linalg.index 0 : index
    linalg.yield %i : index
  } -> tensor<?xindex>
  return %r : tensor<?xindex>
}

// -----

func.func @other(%x: tensor<?xf32>, %y: tensor<4xf32>) -> (tensor<?xf32>, tensor<4xf32>) {
  // expected-error @+1 {{dimension "d0" is dynamic; give it a size by '--shapes=d0=64', as a result does not have it}}
  return %x, %y : tensor<?xf32>, tensor<4xf32>
}

// -----

func.func @again(%x: memref<?xf32>, %y: memref<4xf32>) {
  linalg.exp ins(%x : memref<?xf32>) outs(%x : memref<?xf32>)
  // expected-error @+1 {{dimension "d0" is dynamic; give it a size by '--shapes=d0=64', as the op would write again for each block}}
  linalg.add ins(%y, %y : memref<4xf32>, memref<4xf32>) outs(%y : memref<4xf32>)
  return
}

// -----

func.func @gathered(%p: tensor<?xindex>, %x: tensor<?xf32>) -> tensor<?xf32> {
  // expected-error @+1 {{uses indices or values from outside in its body}}
  %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%p : tensor<?xindex>) outs(%x : tensor<?xf32>) {
  ^bb0(%i: index, %o: f32):
    %v = tensor.extract %x[%i] : tensor<?xf32>
    linalg.yield %v : f32
  } -> tensor<?xf32>
  return %r : tensor<?xf32>
}

// -----

func.func @looped(%x: memref<?xf32>, %y: memref<?xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-error @+1 {{is not computed in blocks of dynamic dimensions}}
  scf.for %i = %c0 to %n step %c1 {
    %a = memref.load %x[%i] : memref<?xf32>
    memref.store %a, %y[%i] : memref<?xf32>
  }
  return
}

// -----

func.func @counted(%x: memref<?xf32>, %n: memref<f32>) {
  linalg.exp ins(%x : memref<?xf32>) outs(%x : memref<?xf32>)
  // expected-error @+1 {{is not computed in blocks of dynamic dimensions}}
  %v = memref.load %n[] : memref<f32>
  %w = arith.addf %v, %v : f32
  memref.store %w, %n[] : memref<f32>
  return
}

// -----

func.func @last(%x: tensor<?xf32>, %e: tensor<f32>, %y: tensor<?xf32>) -> tensor<?xf32> {
  // expected-error @+1 {{dimension "d0" is dynamic; give it a size by '--shapes=d0=64', as an output of the op does not have it}}
  %s = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>], iterator_types = ["parallel"]}
      ins(%x : tensor<?xf32>) outs(%e : tensor<f32>) {
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  } -> tensor<f32>
  %r = linalg.generic {indexing_maps = [affine_map<(i) -> ()>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%s : tensor<f32>) outs(%y : tensor<?xf32>) {
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  } -> tensor<?xf32>
  return %r : tensor<?xf32>
}

// -----

func.func @index(%x: tensor<?xf32>, %k: index) -> tensor<?xf32> {
  // expected-error @+1 {{needs a constant index in a kernel of dynamic shapes}}
  %n = tensor.dim %x, %k : tensor<?xf32>
  %i = arith.index_cast %n : index to i32
  return %x : tensor<?xf32>
}

// -----

func.func @scalar(%x: tensor<?xf32>, %y: tensor<4xf32>, %s: f32) -> (tensor<?xf32>, f32) {
  %r = linalg.add ins(%x, %y : tensor<?xf32>, tensor<4xf32>) outs(%x : tensor<?xf32>) -> tensor<?xf32>
  // expected-error @+1 {{returns 'f32'; kernels of dynamic shapes return ranked tensors}}
  return %r, %s : tensor<?xf32>, f32
}

// -----

// expected-error @+1 {{the kernel has 3 dynamic dimensions, and code for more than 2 is large; give sizes by '--shapes'}}
func.func @many(%x: memref<?x?x?xf32>) {
  linalg.exp ins(%x : memref<?x?x?xf32>) outs(%x : memref<?x?x?xf32>)
  return
}

// -----

// expected-error @+1 {{argument 0 has type 'memref<?x8xf32, strided<[16, 1]>>'; with dynamic shapes, memrefs need the identity layout and no memory space}}
func.func @strided(%x: memref<?x8xf32, strided<[16, 1]>>) {
  linalg.exp ins(%x : memref<?x8xf32, strided<[16, 1]>>) outs(%x : memref<?x8xf32, strided<[16, 1]>>)
  return
}

// -----

func.func @reshaped(%x: tensor<?x4xf32>) -> tensor<?xf32> {
  // expected-error @+1 {{is not computed in blocks of dynamic dimensions; give sizes by '--shapes=M=64'}}
  %r = tensor.collapse_shape %x [[0, 1]] : tensor<?x4xf32> into tensor<?xf32>
  return %r : tensor<?xf32>
}

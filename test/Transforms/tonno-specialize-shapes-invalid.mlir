// RUN: tonno-opt %s --tonno-specialize-shapes="shapes=M=100" --split-input-file --verify-diagnostics
// RUN: not tonno-opt %s --tonno-specialize-shapes="shapes=M" 2>&1 | FileCheck %s --check-prefix=TEXT

// TEXT: error: 'M' does not give a dimension its size; write M=64

// expected-error @+1 {{dimension "N" is dynamic, and has no size; add N=<size> to the shapes}}
func.func @missing(%x: tensor<?x?xf32> {tonno.dims = ["M", "N"]}) -> tensor<?x?xf32> {
  return %x : tensor<?x?xf32>
}

// -----

// expected-error @+1 {{dimension "d0" is dynamic, and has no size; add d0=<size> to the shapes}}
func.func @unnamed(%x: tensor<?x?xf32>) -> tensor<?x?xf32> {
  return %x : tensor<?x?xf32>
}

// -----

module {
  // expected-error @+1 {{no dynamic dimension is named "M"}}
  func.func @static(%x: tensor<4xf32> {tonno.dims = ["M"]}) -> tensor<4xf32> {
    return %x : tensor<4xf32>
  }
}

// -----

// expected-error @+1 {{dimension "M" has size 8, not 100; give it one size}}
func.func @known(%x: tensor<?xf32> {tonno.dims = ["M"]}, %y: tensor<8xf32>) -> tensor<?xf32> {
  %0 = linalg.add ins(%x, %y : tensor<?xf32>, tensor<8xf32>)
      outs(%x : tensor<?xf32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// -----

// expected-error @+1 {{the kernel needs axes of sizes 8 and 4 to be equal; make their sizes the same}}
func.func @conflict(%x: tensor<?xf32>, %y: tensor<8xf32>, %z: tensor<4xf32>) -> tensor<?xf32> {
  %0 = linalg.add ins(%x, %y : tensor<?xf32>, tensor<8xf32>)
      outs(%x : tensor<?xf32>) -> tensor<?xf32>
  %1 = linalg.add ins(%0, %z : tensor<?xf32>, tensor<4xf32>)
      outs(%x : tensor<?xf32>) -> tensor<?xf32>
  return %1 : tensor<?xf32>
}

// -----

// expected-error @+1 {{result 0 has type 'tensor<?xf32>', whose size does not follow from the arguments' sizes}}
func.func @data(%x: tensor<?xf32>, %n: index) -> tensor<?xf32> {
  %0 = tensor.extract_slice %x[0] [%n] [1] : tensor<?xf32> to tensor<?xf32>
  return %0 : tensor<?xf32>
}

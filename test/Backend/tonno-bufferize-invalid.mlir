// RUN: tonno-opt %s --split-input-file --verify-diagnostics --tonno-bufferize

func.func @size(%a: tensor<4x?xf32>) -> tensor<2xindex> {
  // expected-error@+1 {{'shape.shape_of' has no lowering to buffers; run 'mlir-opt --convert-shape-to-std' first}}
  %0 = shape.shape_of %a : tensor<4x?xf32> -> tensor<2xindex>
  return %0 : tensor<2xindex>
}

// -----

func.func @tiles(%a: tensor<64x64xf32>, %n: index, %e: tensor<?x64x?xf32>) -> tensor<?x64x?xf32> {
  // expected-error@+1 {{'linalg.pack' has no lowering to buffers; use constant tile sizes}}
  %0 = linalg.pack %a inner_dims_pos = [0] inner_tiles = [%n] into %e : tensor<64x64xf32> -> tensor<?x64x?xf32>
  return %0 : tensor<?x64x?xf32>
}

// -----

ml_program.global private mutable @state(dense<0> : tensor<4xi64>) : tensor<4xi64>
func.func @state_of_launches(%a: tensor<4xi64>) {
  // expected-error@+1 {{'ml_program.global_store' has no lowering to buffers; a kernel has no state between launches: pass the old value as an argument, and return the new one}}
  ml_program.global_store @state = %a : tensor<4xi64>
  return
}

// -----

func.func @other(%a: tensor<4xf32>) -> tensor<4xi32> {
  // expected-error@+1 {{'tensor.bitcast' has no lowering to buffers; lower it first, or by a pipeline of your own with '--pipeline'}}
  %0 = tensor.bitcast %a : tensor<4xf32> to tensor<4xi32>
  return %0 : tensor<4xi32>
}

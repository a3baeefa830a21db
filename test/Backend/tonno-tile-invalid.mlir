// RUN: tonno-opt %s --split-input-file --verify-diagnostics --tonno-tile

func.func @unresolved(%a: tensor<64x64xf32>, %b: tensor<64x64xf32>, %c: tensor<64x64xf32>) -> tensor<64x64xf32> {
  // expected-error @+1 {{knob "BM" is unresolved; run --tonno-apply first}}
  %r = linalg.matmul {tonno.lowering_config = {workgroup = [#tonno.knob<"BM" from [16, 32]>, 64, 0]}}
    ins(%a, %b : tensor<64x64xf32>, tensor<64x64xf32>) outs(%c : tensor<64x64xf32>) -> tensor<64x64xf32>
  return %r : tensor<64x64xf32>
}

// -----

func.func @unresolved_elsewhere(%a: tensor<64xf32>) -> tensor<64xf32> {
  // expected-error @+1 {{knob "mode" is unresolved}}
  %r = linalg.exp {mode = {nested = #tonno.knob<"mode" from [1, 2]>}} ins(%a : tensor<64xf32>) outs(%a : tensor<64xf32>) -> tensor<64xf32>
  return %r : tensor<64xf32>
}

// -----

func.func @too_few(%a: tensor<64x64xf32>, %b: tensor<64x64xf32>, %c: tensor<64x64xf32>) -> tensor<64x64xf32> {
  // expected-error @+1 {{has 3 loops, but 'tonno.lowering_config' has 2 tile sizes for 'workgroup'}}
  %r = linalg.matmul {tonno.lowering_config = {workgroup = [32, 64]}}
    ins(%a, %b : tensor<64x64xf32>, tensor<64x64xf32>) outs(%c : tensor<64x64xf32>) -> tensor<64x64xf32>
  return %r : tensor<64x64xf32>
}

// -----

func.func @dynamic(%a: tensor<?x64xf32>, %b: tensor<64x64xf32>, %c: tensor<?x64xf32>) -> tensor<?x64xf32> {
  // expected-error @+1 {{has tile sizes, but a dynamic shape}}
  %r = linalg.matmul {tonno.lowering_config = {workgroup = [32, 64, 0]}}
    ins(%a, %b : tensor<?x64xf32>, tensor<64x64xf32>) outs(%c : tensor<?x64xf32>) -> tensor<?x64xf32>
  return %r : tensor<?x64xf32>
}

// -----

func.func @no_permutation(%a: tensor<64x64xf32>, %b: tensor<64x64xf32>, %c: tensor<64x64xf32>) -> tensor<64x64xf32> {
  // expected-error @+1 {{has 'interchange' in its 'tonno.lowering_config', which must name each of its loops once}}
  %r = linalg.matmul {tonno.lowering_config = {interchange = [0, 1, 1]}}
    ins(%a, %b : tensor<64x64xf32>, tensor<64x64xf32>) outs(%c : tensor<64x64xf32>) -> tensor<64x64xf32>
  return %r : tensor<64x64xf32>
}

// -----

func.func @no_permutation_of_knobs(%a: tensor<64x64xf32>, %b: tensor<64x64xf32>, %c: tensor<64x64xf32>) -> tensor<64x64xf32> {
  // expected-error @+1 {{has 'interchange' [1, 1, 2], which must name each of its loops once}}
  %r = linalg.matmul {tonno.lowering_config = {interchange = [1, #tonno.knob<"L" = 1 from [0, 1]>, 2]}}
    ins(%a, %b : tensor<64x64xf32>, tensor<64x64xf32>) outs(%c : tensor<64x64xf32>) -> tensor<64x64xf32>
  return %r : tensor<64x64xf32>
}

// RUN: tonno-opt %s --split-input-file --verify-diagnostics --tonno-tile

func.func @unresolved(%a: tensor<64x64xf32>, %b: tensor<64x64xf32>, %c: tensor<64x64xf32>) -> tensor<64x64xf32> {
  // expected-error @+1 {{knob "BM" is unresolved; run '--tonno-apply' first}}
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

// -----

// Only sums, and rows fewer than threads: nothing that could be shared.
func.func @sum(%a: tensor<3x64xf32>, %c: tensor<3xf32>) -> tensor<3xf32> {
  // expected-error @+1 {{has 'threads' = 4, but no parallel loop of at least 4 iterations}}
  %r = linalg.reduce {arith.addf} ins(%a : tensor<3x64xf32>) outs(%c : tensor<3xf32>) dimensions = [1] {tonno.lowering_config = {threads = 4}}
  return %r : tensor<3xf32>
}

// -----

func.func @within(%a: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %r = scf.forall (%i) = (0) to (64) step (32) shared_outs(%o = %a) -> tensor<64x64xf32> {
    %part = tensor.extract_slice %o[%i, 0] [32, 64] [1, 1] : tensor<64x64xf32> to tensor<32x64xf32>
    // expected-error @+1 {{has 'threads' = 2, but is part of a loop that threads share already}}
    %e = linalg.exp {tonno.lowering_config = {threads = 2}} ins(%part : tensor<32x64xf32>) outs(%part : tensor<32x64xf32>) -> tensor<32x64xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %e into %o[%i, 0] [32, 64] [1, 1] : tensor<32x64xf32> into tensor<64x64xf32>
    }
  } {tonno.threads = 2 : i64}
  return %r : tensor<64x64xf32>
}

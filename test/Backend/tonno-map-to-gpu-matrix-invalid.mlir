// RUN: tonno-opt %s --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(func.func(tonno-map-to-gpu{subgroup-size=64 shared-bytes=65536 chip=gfx942}))'

func.func @unknown(%a: memref<64x64xf16>, %b: memref<64x64xf16>, %c: memref<64x64xf32>) {
  // expected-error@below {{has 'instruction' "mfma_64x64x4", which gfx942 lacks for this op's types; use one of: mfma_32x32x8, mfma_16x16x16, fma}}
  linalg.matmul {tonno.lowering_config = {instruction = "mfma_64x64x4"}}
      ins(%a, %b : memref<64x64xf16>, memref<64x64xf16>) outs(%c : memref<64x64xf32>)
  return
}

// -----

func.func @of_another_chip(%a: memref<64x64xf16>, %b: memref<64x64xf16>, %c: memref<64x64xf32>) {
  // expected-error@below {{has 'instruction' "mma_16x8x16", which gfx942 lacks for this op's types; use one of: mfma_32x32x8, mfma_16x16x16, fma}}
  linalg.matmul {tonno.lowering_config = {instruction = "mma_16x8x16"}}
      ins(%a, %b : memref<64x64xf16>, memref<64x64xf16>) outs(%c : memref<64x64xf32>)
  return
}

// -----

func.func @of_another_type(%a: memref<64x64xi8>, %b: memref<64x64xi8>, %c: memref<64x64xi32>) {
  // expected-error@below {{has 'instruction' "mfma_32x32x8", which gfx942 lacks for this op's types; use one of: mfma_32x32x16, mfma_16x16x32, fma}}
  linalg.matmul {tonno.lowering_config = {instruction = "mfma_32x32x8"}}
      ins(%a, %b : memref<64x64xi8>, memref<64x64xi8>) outs(%c : memref<64x64xi32>)
  return
}

// -----

func.func @of_no_type(%a: memref<64x64xf32>, %b: memref<64x64xf32>, %c: memref<64x64xf32>) {
  // expected-error@below {{has 'instruction' "mfma_32x32x8", which gfx942 lacks for this op's types; use one of: fma}}
  linalg.matmul {tonno.lowering_config = {instruction = "mfma_32x32x8"}}
      ins(%a, %b : memref<64x64xf32>, memref<64x64xf32>) outs(%c : memref<64x64xf32>)
  return
}

// -----

func.func @subgroup(%a: memref<64x64xf16>, %b: memref<64x64xf16>, %c: memref<64x64xf32>) {
  // expected-error@below {{has a 'subgroup' tile of 48 along loop 0; use a multiple of the instruction's 32}}
  linalg.matmul {tonno.lowering_config = {instruction = "mfma_32x32x8", subgroup = [48, 32, 0]}}
      ins(%a, %b : memref<64x64xf16>, memref<64x64xf16>) outs(%c : memref<64x64xf32>)
  return
}

// -----

func.func @workgroup(%a: memref<64x64xf16>, %b: memref<64x64xf16>, %c: memref<64x64xf32>) {
  // expected-error@below {{has a 'workgroup' tile of 96 along loop 1; use a multiple of the subgroup's 64}}
  linalg.matmul {tonno.lowering_config = {instruction = "mfma_32x32x8", workgroup = [64, 96, 0], subgroup = [32, 64, 0]}}
      ins(%a, %b : memref<64x64xf16>, memref<64x64xf16>) outs(%c : memref<64x64xf32>)
  return
}

// -----

func.func @reduction(%a: memref<64x64xf16>, %b: memref<64x64xf16>, %c: memref<64x64xf32>) {
  // expected-error@below {{has a 'reduction' tile of 12 along loop 2; use a multiple of the instruction's 8}}
  linalg.matmul {tonno.lowering_config = {instruction = "mfma_32x32x8", reduction = [0, 0, 12]}}
      ins(%a, %b : memref<64x64xf16>, memref<64x64xf16>) outs(%c : memref<64x64xf32>)
  return
}

// -----

func.func @stages(%a: memref<64x64xf16>, %b: memref<64x64xf16>, %c: memref<64x64xf32>) {
  // expected-error@below {{has 'stages' of 3; use 1 or 2}}
  linalg.matmul {tonno.lowering_config = {instruction = "mfma_32x32x8", stages = 3}}
      ins(%a, %b : memref<64x64xf16>, memref<64x64xf16>) outs(%c : memref<64x64xf32>)
  return
}

// -----

func.func @copy(%a: memref<64x64xf16>, %b: memref<64x64xf16>, %c: memref<64x64xf32>) {
  // expected-error@below {{has 'copy' of "async", which this chip lacks; use "registers"}}
  linalg.matmul {tonno.lowering_config = {instruction = "mfma_32x32x8", copy = "async"}}
      ins(%a, %b : memref<64x64xf16>, memref<64x64xf16>) outs(%c : memref<64x64xf32>)
  return
}

// -----

func.func @unknown_copy(%a: memref<64x64xf16>, %b: memref<64x64xf16>, %c: memref<64x64xf32>) {
  // expected-error@below {{has 'copy' of "tma"; use "registers" or "async"}}
  linalg.matmul {tonno.lowering_config = {instruction = "mfma_32x32x8", copy = "tma"}}
      ins(%a, %b : memref<64x64xf16>, memref<64x64xf16>) outs(%c : memref<64x64xf32>)
  return
}

// -----

func.func @threads(%a: memref<64x64xf16>, %b: memref<64x64xf16>, %c: memref<64x64xf32>) {
  // expected-error@below {{has tiles for 2048 threads in a workgroup, which is limited to 1024; use a larger 'subgroup' or a smaller 'workgroup' tile}}
  linalg.matmul {tonno.lowering_config = {instruction = "mfma_32x32x8", workgroup = [256, 128, 0], subgroup = [32, 32, 0]}}
      ins(%a, %b : memref<64x64xf16>, memref<64x64xf16>) outs(%c : memref<64x64xf32>)
  return
}

// -----

func.func @shared(%a: memref<64x64xf16>, %b: memref<64x64xf16>, %c: memref<64x64xf32>) {
  // expected-error@below {{has tiles that need 147456 bytes of shared memory, of which a workgroup has 65536; use smaller 'workgroup' or 'reduction' tiles, or fewer 'stages'}}
  linalg.matmul {tonno.lowering_config = {instruction = "mfma_32x32x8", workgroup = [256, 256, 0], subgroup = [128, 128, 0], reduction = [0, 0, 64]}}
      ins(%a, %b : memref<64x64xf16>, memref<64x64xf16>) outs(%c : memref<64x64xf32>)
  return
}

// -----

func.func @form(%a: memref<64x64xf16>, %b: memref<64x64xf16>, %c: memref<64x64xf32>) {
  // expected-error@below {{'tonno.lowering_config' key 'order' must be an integer from 1 to 1024, or a knob with such options}}
  linalg.matmul {tonno.lowering_config = {instruction = "mfma_32x32x8", order = 0}}
      ins(%a, %b : memref<64x64xf16>, memref<64x64xf16>) outs(%c : memref<64x64xf32>)
  return
}

// -----

func.func @too_many_workgroups(%a: memref<64x64xf16>, %b: memref<64x64xf16>, %c: memref<64x64xf32>) {
  // expected-error@below {{has 'per_unit' of 33; a compute unit of gfx942 holds at most 32 workgroups of 64 threads}}
  linalg.matmul {tonno.lowering_config = {per_unit = 33, workgroup = [16, 16, 0], thread = [2, 2, 0]}}
      ins(%a, %b : memref<64x64xf16>, memref<64x64xf16>) outs(%c : memref<64x64xf32>)
  return
}

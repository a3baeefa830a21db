// RUN: tonno-opt %s --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(func.func(tonno-map-to-gpu{chip=sm_100a}))'

func.func @too_many_sums(%a: memref<512x64xf16>, %b: memref<64x512xf16>, %c: memref<512x512xf32>) {
  // expected-error@below {{has a 'workgroup' tile of 256 x 512, but tensor memory has 65536 sums; use a smaller tile}}
  linalg.matmul {tonno.lowering_config = {instruction = "tcgen05_128xNx16", workgroup = [256, 512, 0], subgroup = [128, 256, 0]}}
      ins(%a, %b : memref<512x64xf16>, memref<64x512xf16>) outs(%c : memref<512x512xf32>)
  return
}

// -----

func.func @columns(%a: memref<128x64xf16>, %b: memref<64x24xf16>, %c: memref<128x24xf32>) {
  // expected-error@below {{has a 'workgroup' tile of 24 along loop 1; use a multiple of the instruction's 16}}
  linalg.matmul {tonno.lowering_config = {instruction = "tcgen05_128xNx16", workgroup = [128, 24, 0], subgroup = [128, 24, 0]}}
      ins(%a, %b : memref<128x64xf16>, memref<64x24xf16>) outs(%c : memref<128x24xf32>)
  return
}

// -----

func.func @rows(%a: memref<128x64xf16>, %b: memref<64x32xf16>, %c: memref<128x32xf32>) {
  // expected-error@below {{has a 'subgroup' tile of 64 along loop 0; use a multiple of the instruction's 128}}
  linalg.matmul {tonno.lowering_config = {instruction = "tcgen05_128xNx16", subgroup = [64, 32, 0]}}
      ins(%a, %b : memref<128x64xf16>, memref<64x32xf16>) outs(%c : memref<128x32xf32>)
  return
}

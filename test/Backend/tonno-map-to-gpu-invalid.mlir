// RUN: tonno-opt %s --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(func.func(tonno-map-to-gpu))'

func.func @threads(%a: memref<256x64xf32>, %b: memref<64x256xf32>, %c: memref<256x256xf32>) {
  // expected-error@below {{has tiles for 16384 threads in a workgroup, which is limited to 1024}}
  linalg.matmul {tonno.lowering_config = {workgroup = [128, 128, 0], reduction = [0, 0, 16], thread = [1, 1, 0]}}
      ins(%a, %b : memref<256x64xf32>, memref<64x256xf32>) outs(%c : memref<256x256xf32>)
  return
}

// -----

func.func @shared(%a: memref<256x64xf32>, %b: memref<64x256xf32>, %c: memref<256x256xf32>) {
  // expected-error@below {{bytes of shared memory, of which a workgroup has 49152}}
  linalg.matmul {tonno.lowering_config = {workgroup = [256, 256, 0], reduction = [0, 0, 64], thread = [16, 16, 0]}}
      ins(%a, %b : memref<256x64xf32>, memref<64x256xf32>) outs(%c : memref<256x256xf32>)
  return
}

// -----

func.func @division(%a: memref<256x64xf32>, %b: memref<64x256xf32>, %c: memref<256x256xf32>) {
  // expected-error@below {{has a workgroup's tile of 30 along loop 0 of 256 iterations, which a thread's tile of 4 does not divide}}
  linalg.matmul {tonno.lowering_config = {workgroup = [30, 32, 0], reduction = [0, 0, 16], thread = [4, 4, 0]}}
      ins(%a, %b : memref<256x64xf32>, memref<64x256xf32>) outs(%c : memref<256x256xf32>)
  return
}

// -----

func.func @inner_larger(%a: memref<256x64xf32>, %b: memref<64x256xf32>, %c: memref<256x256xf32>) {
  // expected-error@below {{has a thread's tile of 64 along loop 1 of 256 iterations, which is larger than the workgroup's tile of 32}}
  linalg.matmul {tonno.lowering_config = {workgroup = [32, 32, 0], reduction = [0, 0, 16], thread = [4, 64, 0]}}
      ins(%a, %b : memref<256x64xf32>, memref<64x256xf32>) outs(%c : memref<256x256xf32>)
  return
}

// -----

func.func @unresolved(%x: memref<64xf32>, %out: memref<64xf32>) {
  // expected-error@below {{knob "T" is unresolved; run '--tonno-apply' first}}
  linalg.map {math.absf} ins(%x : memref<64xf32>) outs(%out : memref<64xf32>)
      {tonno.lowering_config = {thread = [#tonno.knob<"T" from [1, 2]>]}}
  return
}

// -----

func.func @points(%x: memref<64x8x4xi32>, %out: memref<64xi32>) {
  // expected-error@below {{has 'tonno.lowering_config', but ops of this form get a thread for each point; remove the attribute}}
  linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, j, k)>, affine_map<(i, j, k) -> (i)>],
                  iterator_types = ["parallel", "reduction", "reduction"],
                  tonno.lowering_config = {thread = [4, 0, 0]}}
      ins(%x : memref<64x8x4xi32>) outs(%out : memref<64xi32>) {
  ^bb0(%e: i32, %o: i32):
    %n = arith.addi %e, %o : i32
    linalg.yield %n : i32
  }
  return
}

// -----

func.func @composed(%x: memref<4x8xf32>, %y: memref<4x8xf32>) {
  // expected-error@below {{is not decomposed; run 'tonno-decompose' first}}
  linalg.softmax dimension(1) ins(%x : memref<4x8xf32>) outs(%y : memref<4x8xf32>)
  return
}

// RUN: rm -rf %t && split-file %s %t
// RUN: tonno-opt %t/gfx942.mlir --pass-pipeline='builtin.module(func.func(tonno-map-to-gpu{subgroup-size=64 shared-bytes=65536 chip=gfx942},canonicalize,cse))' | FileCheck %t/gfx942.mlir
// RUN: tonno-opt %t/sm_90.mlir --pass-pipeline='builtin.module(func.func(tonno-map-to-gpu{chip=sm_90},canonicalize,cse))' | FileCheck %t/sm_90.mlir
// RUN: tonno-opt %t/causal.mlir --split-input-file --pass-pipeline='builtin.module(func.func(tonno-map-to-gpu{subgroup-size=64 shared-bytes=65536 chip=gfx942},canonicalize,cse))' | FileCheck %t/causal.mlir
// RUN: tonno-opt %t/invalid.mlir --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(func.func(tonno-map-to-gpu{chip=sm_90}))' | FileCheck %t/invalid.mlir

//--- gfx942.mlir
#all = affine_map<(m, n) -> (m, n)>
#row = affine_map<(m, n) -> (m)>

// One launch: scores, powers and sums are in registers, and the scores' buffers
// are gone.
// CHECK-LABEL: func @attention
// CHECK-NOT:     memref.alloc
// CHECK:         gpu.launch
// Queries are loaded once, then a tile of keys and one of values in each step.
// CHECK:           gpu.barrier
// CHECK:           %[[LAST:.*]]:6 = scf.for {{.*}} -> (vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, f32, f32)
// CHECK-COUNT-8:     amdgpu.mfma 32x32x8
// CHECK:             arith.maxnumf
// CHECK:             gpu.shuffle  xor
// One power scales the earlier sums; the scores' factor is applied with
// log2(e), behind the difference.
// CHECK:             %[[LESS:.*]] = arith.subf
// CHECK:             %[[LOG:.*]] = arith.mulf %[[LESS]]
// CHECK:             math.exp2 %[[LOG]] fastmath<afn> : f32
// CHECK:             math.exp2 %{{.*}} fastmath<afn> : vector<4xf32>
// CHECK:             arith.truncf %{{.*}} : vector<16xf32> to vector<16xf16>
// CHECK-COUNT-16:    amdgpu.mfma 32x32x8
// CHECK:             scf.yield
// The total is of both halves of the lanes.
// CHECK:           gpu.shuffle  xor %[[LAST]]#5
// CHECK:           arith.divf
// CHECK:           memref.store
// CHECK-NOT:     gpu.launch
func.func @attention(%q: memref<128x64xf16>, %k: memref<256x64xf16>, %v: memref<256x128xf16>, %o: memref<128x128xf16>) {
  %zero = arith.constant 0.0 : f32
  %nan = arith.constant 0xFFC00000 : f32
  %scale = arith.constant 0.125 : f32
  %s = memref.alloc() : memref<128x256xf32>
  linalg.fill ins(%zero : f32) outs(%s : memref<128x256xf32>)
  linalg.generic {indexing_maps = [affine_map<(m, n, d) -> (m, d)>, affine_map<(m, n, d) -> (n, d)>, affine_map<(m, n, d) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%q, %k : memref<128x64xf16>, memref<256x64xf16>) outs(%s : memref<128x256xf32>) {
  ^bb0(%a: f16, %b: f16, %c: f32):
    %x = arith.extf %a : f16 to f32
    %y = arith.extf %b : f16 to f32
    %p = arith.mulf %x, %y : f32
    %r = arith.addf %c, %p : f32
    linalg.yield %r : f32
  }
  linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]} ins(%s : memref<128x256xf32>) outs(%s : memref<128x256xf32>) {
  ^bb0(%a: f32, %c: f32):
    %r = arith.mulf %a, %scale : f32
    linalg.yield %r : f32
  }
  %m = memref.alloc() : memref<128xf32>
  linalg.fill ins(%nan : f32) outs(%m : memref<128xf32>)
  linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]} ins(%s : memref<128x256xf32>) outs(%m : memref<128xf32>) {
  ^bb0(%a: f32, %c: f32):
    %r = arith.maxnumf %a, %c : f32
    linalg.yield %r : f32
  }
  linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]} ins(%s, %m : memref<128x256xf32>, memref<128xf32>) outs(%s : memref<128x256xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %d = arith.subf %a, %b : f32
    %r = math.exp %d : f32
    linalg.yield %r : f32
  }
  %l = memref.alloc() : memref<128xf32>
  linalg.fill ins(%zero : f32) outs(%l : memref<128xf32>)
  linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]} ins(%s : memref<128x256xf32>) outs(%l : memref<128xf32>) {
  ^bb0(%a: f32, %c: f32):
    %r = arith.addf %a, %c : f32
    linalg.yield %r : f32
  }
  %p = memref.alloc() : memref<128x256xf16>
  linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]} ins(%s, %l : memref<128x256xf32>, memref<128xf32>) outs(%p : memref<128x256xf16>) {
  ^bb0(%a: f32, %b: f32, %c: f16):
    %d = arith.divf %a, %b : f32
    %r = arith.truncf %d : f32 to f16
    linalg.yield %r : f16
  }
  %w = memref.alloc() : memref<128x128xf32>
  linalg.fill ins(%zero : f32) outs(%w : memref<128x128xf32>)
  linalg.matmul {tonno.lowering_config = {instruction = "mfma_32x32x8", workgroup = [64, 0, 0], subgroup = [32, 0, 0], reduction = [0, 0, 32], softmax = "online"}}
      ins(%p, %v : memref<128x256xf16>, memref<256x128xf16>) outs(%w : memref<128x128xf32>)
  linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]} ins(%w : memref<128x128xf32>) outs(%o : memref<128x128xf16>) {
  ^bb0(%a: f32, %c: f16):
    %r = arith.truncf %a : f32 to f16
    linalg.yield %r : f16
  }
  return
}

//--- sm_90.mlir
#all = affine_map<(m, n) -> (m, n)>
#row = affine_map<(m, n) -> (m)>

// JAX bounds the maximum once more. Keys are 250: the last tile's others have no
// power.
// CHECK-LABEL: func @bounded
// CHECK:         gpu.launch
// CHECK:           %[[LAST:.*]]:8 = scf.for
// CHECK:             nvvm.cp.async.wait.group 1
// CHECK:             gpu.barrier
// CHECK-COUNT-3:     nvgpu.device_async_copy
// CHECK-COUNT-16:    nvvm.mma.sync
// CHECK:             %[[IS_KEY:.*]] = arith.cmpi ult, %{{.*}}, %c250
// CHECK:             arith.select %[[IS_KEY]], %{{.*}}, %cst
// CHECK:             arith.maximumf
// CHECK-COUNT-2:     gpu.shuffle  xor
// CHECK:             math.exp2 %{{.*}} fastmath<afn>
// CHECK:             nvgpu.ldmatrix %{{.*}} {{{.*}}transpose = true}
// CHECK-COUNT-8:     nvvm.mma.sync
func.func @bounded(%q: memref<64x64xbf16>, %k: memref<250x64xbf16>, %v: memref<250x32xbf16>, %o: memref<64x32xf32>) attributes {tonno.buffers = [
    {alignment = 16 : i64, type = memref<64x64xbf16>}, {alignment = 16 : i64, type = memref<250x64xbf16>},
    {alignment = 16 : i64, type = memref<250x32xbf16>}, {alignment = 16 : i64, type = memref<64x32xf32>}]} {
  %zero = arith.constant 0.0 : f32
  %infinity = arith.constant 0xFF800000 : f32
  %s = memref.alloc() : memref<64x250xf32>
  linalg.fill ins(%zero : f32) outs(%s : memref<64x250xf32>)
  linalg.generic {indexing_maps = [affine_map<(m, n, d) -> (m, d)>, affine_map<(m, n, d) -> (n, d)>, affine_map<(m, n, d) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%q, %k : memref<64x64xbf16>, memref<250x64xbf16>) outs(%s : memref<64x250xf32>) {
  ^bb0(%a: bf16, %b: bf16, %c: f32):
    %x = arith.extf %a : bf16 to f32
    %y = arith.extf %b : bf16 to f32
    %p = arith.mulf %x, %y : f32
    %r = arith.addf %c, %p : f32
    linalg.yield %r : f32
  }
  %m = memref.alloc() : memref<64xf32>
  linalg.fill ins(%infinity : f32) outs(%m : memref<64xf32>)
  linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]} ins(%s : memref<64x250xf32>) outs(%m : memref<64xf32>) {
  ^bb0(%a: f32, %c: f32):
    %r = arith.maximumf %a, %c : f32
    linalg.yield %r : f32
  }
  linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]} ins(%s, %m : memref<64x250xf32>, memref<64xf32>) outs(%s : memref<64x250xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %bounded = arith.maximumf %b, %infinity : f32
    %d = arith.subf %a, %bounded : f32
    %r = math.exp %d : f32
    linalg.yield %r : f32
  }
  %l = memref.alloc() : memref<64xf32>
  linalg.fill ins(%zero : f32) outs(%l : memref<64xf32>)
  linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]} ins(%s : memref<64x250xf32>) outs(%l : memref<64xf32>) {
  ^bb0(%a: f32, %c: f32):
    %r = arith.addf %a, %c : f32
    linalg.yield %r : f32
  }
  %p = memref.alloc() : memref<64x250xbf16>
  linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]} ins(%s, %l : memref<64x250xf32>, memref<64xf32>) outs(%p : memref<64x250xbf16>) {
  ^bb0(%a: f32, %b: f32, %c: bf16):
    %d = arith.divf %a, %b : f32
    %r = arith.truncf %d : f32 to bf16
    linalg.yield %r : bf16
  }
  linalg.fill ins(%zero : f32) outs(%o : memref<64x32xf32>)
  linalg.matmul {tonno.lowering_config = {instruction = "mma_16x8x16", workgroup = [64, 0, 0], subgroup = [16, 0, 0], reduction = [0, 0, 32], softmax = "online", stages = 3, copy = "async"}}
      ins(%p, %v : memref<64x250xbf16>, memref<250x32xbf16>) outs(%o : memref<64x32xf32>)
  return
}

//--- causal.mlir
#all = affine_map<(m, n) -> (m, n)>
#row = affine_map<(m, n) -> (m)>
#column = affine_map<(m, n) -> (n)>

// The workgroup's last query is 63 behind its first: keys up to there, in steps
// of 32, round up.
// CHECK-LABEL: func @causal
// CHECK:         gpu.launch
// CHECK:           %[[LAST:.*]] = arith.addi %[[FIRST:.*]], %c95
// CHECK:           %[[BOUNDED:.*]] = arith.maxsi %[[LAST]], %c0
// CHECK:           %[[STEPS:.*]] = arith.divui %[[BOUNDED]], %c32
// CHECK:           %[[END:.*]] = arith.minsi %[[STEPS]], %c8
// CHECK:           scf.for %{{.*}} = %c0 to %[[END]]
func.func @causal(%q: memref<128x32xf16>, %k: memref<256x32xf16>, %v: memref<256x32xf16>, %o: memref<128x32xf32>, %pad: memref<256xi1>) {
  %zero = arith.constant 0.0 : f32
  %infinity = arith.constant 0xFF800000 : f32
  %low = arith.constant -3.40282347E+38 : f32
  %c7 = arith.constant 7 : index
  %s = memref.alloc() : memref<128x256xf32>
  linalg.fill ins(%zero : f32) outs(%s : memref<128x256xf32>)
  linalg.generic {indexing_maps = [affine_map<(m, n, d) -> (m, d)>, affine_map<(m, n, d) -> (n, d)>, affine_map<(m, n, d) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%q, %k : memref<128x32xf16>, memref<256x32xf16>) outs(%s : memref<128x256xf32>) {
  ^bb0(%a: f16, %b: f16, %c: f32):
    %x = arith.extf %a : f16 to f32
    %y = arith.extf %b : f16 to f32
    %p = arith.mulf %x, %y : f32
    %r = arith.addf %c, %p : f32
    linalg.yield %r : f32
  }
  linalg.generic {indexing_maps = [#all, #column, #all], iterator_types = ["parallel", "parallel"]} ins(%s, %pad : memref<128x256xf32>, memref<256xi1>) outs(%s : memref<128x256xf32>) {
  ^bb0(%a: f32, %b: i1, %c: f32):
    %m = linalg.index 0 : index
    %n = linalg.index 1 : index
    %t = arith.cmpi sle, %n, %m : index
    %r = arith.select %t, %a, %low : f32
    linalg.yield %r : f32
  }
  %m = memref.alloc() : memref<128xf32>
  linalg.fill ins(%infinity : f32) outs(%m : memref<128xf32>)
  linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]} ins(%s : memref<128x256xf32>) outs(%m : memref<128xf32>) {
  ^bb0(%a: f32, %c: f32):
    %r = arith.maximumf %a, %c : f32
    linalg.yield %r : f32
  }
  linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]} ins(%s, %m : memref<128x256xf32>, memref<128xf32>) outs(%s : memref<128x256xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %d = arith.subf %a, %b : f32
    %r = math.exp %d : f32
    linalg.yield %r : f32
  }
  %l = memref.alloc() : memref<128xf32>
  linalg.fill ins(%zero : f32) outs(%l : memref<128xf32>)
  linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]} ins(%s : memref<128x256xf32>) outs(%l : memref<128xf32>) {
  ^bb0(%a: f32, %c: f32):
    %r = arith.addf %a, %c : f32
    linalg.yield %r : f32
  }
  %p = memref.alloc() : memref<128x256xf16>
  linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]} ins(%s, %l : memref<128x256xf32>, memref<128xf32>) outs(%p : memref<128x256xf16>) {
  ^bb0(%a: f32, %b: f32, %c: f16):
    %d = arith.divf %a, %b : f32
    %r = arith.truncf %d : f32 to f16
    linalg.yield %r : f16
  }
  linalg.fill ins(%zero : f32) outs(%o : memref<128x32xf32>)
  linalg.generic {indexing_maps = [affine_map<(m, d, n) -> (m, n)>, affine_map<(m, d, n) -> (n, d)>, affine_map<(m, d, n) -> (m, d)>], iterator_types = ["parallel", "parallel", "reduction"],
      tonno.lowering_config = {instruction = "mfma_16x16x16", workgroup = [64, 0, 0], subgroup = [16, 0, 0], reduction = [0, 0, 32], softmax = "online"}}
      ins(%p, %v : memref<128x256xf16>, memref<256x32xf16>) outs(%o : memref<128x32xf32>) {
  ^bb0(%a: f16, %b: f16, %c: f32):
    %x = arith.extf %a : f16 to f32
    %y = arith.extf %b : f16 to f32
    %h = arith.mulf %x, %y fastmath<nnan, ninf> : f32
    %r = arith.addf %c, %h : f32
    linalg.yield %r : f32
  }
  return
}

// -----

#all = affine_map<(m, n) -> (m, n)>
#row = affine_map<(m, n) -> (m)>
#column = affine_map<(m, n) -> (n)>

// CHECK-LABEL: func @band
// CHECK:         gpu.launch
// CHECK:           %[[BOUNDED:.*]] = arith.maxsi %[[FIRST:.*]], %c0
// CHECK:           %[[BEGIN:.*]] = arith.divui %[[BOUNDED]], %c32
// CHECK:           arith.addi %[[FIRST]], %c102
// CHECK:           %[[END:.*]] = arith.minsi %{{.*}}, %c8
// CHECK:           %[[COUNT:.*]] = arith.subi %[[END]], %[[BEGIN]]
// CHECK:           arith.maxsi %[[COUNT]], %c0
func.func @band(%q: memref<128x32xf16>, %k: memref<256x32xf16>, %v: memref<256x32xf16>, %o: memref<128x32xf32>, %pad: memref<256xi1>) {
  %zero = arith.constant 0.0 : f32
  %infinity = arith.constant 0xFF800000 : f32
  %low = arith.constant 0xFF800000 : f32
  %c7 = arith.constant 7 : index
  %s = memref.alloc() : memref<128x256xf32>
  linalg.fill ins(%zero : f32) outs(%s : memref<128x256xf32>)
  linalg.generic {indexing_maps = [affine_map<(m, n, d) -> (m, d)>, affine_map<(m, n, d) -> (n, d)>, affine_map<(m, n, d) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%q, %k : memref<128x32xf16>, memref<256x32xf16>) outs(%s : memref<128x256xf32>) {
  ^bb0(%a: f16, %b: f16, %c: f32):
    %x = arith.extf %a : f16 to f32
    %y = arith.extf %b : f16 to f32
    %p = arith.mulf %x, %y : f32
    %r = arith.addf %c, %p : f32
    linalg.yield %r : f32
  }
  linalg.generic {indexing_maps = [#all, #column, #all], iterator_types = ["parallel", "parallel"]} ins(%s, %pad : memref<128x256xf32>, memref<256xi1>) outs(%s : memref<128x256xf32>) {
  ^bb0(%a: f32, %b: i1, %c: f32):
    %m = linalg.index 0 : index
    %n = linalg.index 1 : index
    %end = arith.addi %m, %c7 : index
    %after = arith.cmpi sgt, %n, %end : index
    %before = arith.cmpi slt, %n, %m : index
    %t = arith.ori %after, %before : i1
    %r = arith.select %t, %low, %a : f32
    linalg.yield %r : f32
  }
  %m = memref.alloc() : memref<128xf32>
  linalg.fill ins(%infinity : f32) outs(%m : memref<128xf32>)
  linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]} ins(%s : memref<128x256xf32>) outs(%m : memref<128xf32>) {
  ^bb0(%a: f32, %c: f32):
    %r = arith.maximumf %a, %c : f32
    linalg.yield %r : f32
  }
  linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]} ins(%s, %m : memref<128x256xf32>, memref<128xf32>) outs(%s : memref<128x256xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %d = arith.subf %a, %b : f32
    %r = math.exp %d : f32
    linalg.yield %r : f32
  }
  %l = memref.alloc() : memref<128xf32>
  linalg.fill ins(%zero : f32) outs(%l : memref<128xf32>)
  linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]} ins(%s : memref<128x256xf32>) outs(%l : memref<128xf32>) {
  ^bb0(%a: f32, %c: f32):
    %r = arith.addf %a, %c : f32
    linalg.yield %r : f32
  }
  %p = memref.alloc() : memref<128x256xf16>
  linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]} ins(%s, %l : memref<128x256xf32>, memref<128xf32>) outs(%p : memref<128x256xf16>) {
  ^bb0(%a: f32, %b: f32, %c: f16):
    %d = arith.divf %a, %b : f32
    %r = arith.truncf %d : f32 to f16
    linalg.yield %r : f16
  }
  linalg.fill ins(%zero : f32) outs(%o : memref<128x32xf32>)
  linalg.generic {indexing_maps = [affine_map<(m, d, n) -> (m, n)>, affine_map<(m, d, n) -> (n, d)>, affine_map<(m, d, n) -> (m, d)>], iterator_types = ["parallel", "parallel", "reduction"],
      tonno.lowering_config = {instruction = "mfma_16x16x16", workgroup = [64, 0, 0], subgroup = [16, 0, 0], reduction = [0, 0, 32], softmax = "online"}}
      ins(%p, %v : memref<128x256xf16>, memref<256x32xf16>) outs(%o : memref<128x32xf32>) {
  ^bb0(%a: f16, %b: f16, %c: f32):
    %x = arith.extf %a : f16 to f32
    %y = arith.extf %b : f16 to f32
    %h = arith.mulf %x, %y fastmath<nnan, ninf> : f32
    %r = arith.addf %c, %h : f32
    linalg.yield %r : f32
  }
  return
}

// -----

#all = affine_map<(m, n) -> (m, n)>
#row = affine_map<(m, n) -> (m)>
#column = affine_map<(m, n) -> (n)>

// A masked value may be infinite: 0 times it is NaN.
// CHECK-LABEL: func @not_finite
// CHECK-NOT:     arith.minsi
// CHECK:         scf.for %{{.*}} = %c0 to %c8
// CHECK-NOT:     arith.minsi
// CHECK:         return
func.func @not_finite(%q: memref<128x32xf16>, %k: memref<256x32xf16>, %v: memref<256x32xf16>, %o: memref<128x32xf32>, %pad: memref<256xi1>) {
  %zero = arith.constant 0.0 : f32
  %infinity = arith.constant 0xFF800000 : f32
  %low = arith.constant -3.40282347E+38 : f32
  %c7 = arith.constant 7 : index
  %s = memref.alloc() : memref<128x256xf32>
  linalg.fill ins(%zero : f32) outs(%s : memref<128x256xf32>)
  linalg.generic {indexing_maps = [affine_map<(m, n, d) -> (m, d)>, affine_map<(m, n, d) -> (n, d)>, affine_map<(m, n, d) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%q, %k : memref<128x32xf16>, memref<256x32xf16>) outs(%s : memref<128x256xf32>) {
  ^bb0(%a: f16, %b: f16, %c: f32):
    %x = arith.extf %a : f16 to f32
    %y = arith.extf %b : f16 to f32
    %p = arith.mulf %x, %y : f32
    %r = arith.addf %c, %p : f32
    linalg.yield %r : f32
  }
  linalg.generic {indexing_maps = [#all, #column, #all], iterator_types = ["parallel", "parallel"]} ins(%s, %pad : memref<128x256xf32>, memref<256xi1>) outs(%s : memref<128x256xf32>) {
  ^bb0(%a: f32, %b: i1, %c: f32):
    %m = linalg.index 0 : index
    %n = linalg.index 1 : index
    %t = arith.cmpi sle, %n, %m : index
    %r = arith.select %t, %a, %low : f32
    linalg.yield %r : f32
  }
  %m = memref.alloc() : memref<128xf32>
  linalg.fill ins(%infinity : f32) outs(%m : memref<128xf32>)
  linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]} ins(%s : memref<128x256xf32>) outs(%m : memref<128xf32>) {
  ^bb0(%a: f32, %c: f32):
    %r = arith.maximumf %a, %c : f32
    linalg.yield %r : f32
  }
  linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]} ins(%s, %m : memref<128x256xf32>, memref<128xf32>) outs(%s : memref<128x256xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %d = arith.subf %a, %b : f32
    %r = math.exp %d : f32
    linalg.yield %r : f32
  }
  %l = memref.alloc() : memref<128xf32>
  linalg.fill ins(%zero : f32) outs(%l : memref<128xf32>)
  linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]} ins(%s : memref<128x256xf32>) outs(%l : memref<128xf32>) {
  ^bb0(%a: f32, %c: f32):
    %r = arith.addf %a, %c : f32
    linalg.yield %r : f32
  }
  %p = memref.alloc() : memref<128x256xf16>
  linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]} ins(%s, %l : memref<128x256xf32>, memref<128xf32>) outs(%p : memref<128x256xf16>) {
  ^bb0(%a: f32, %b: f32, %c: f16):
    %d = arith.divf %a, %b : f32
    %r = arith.truncf %d : f32 to f16
    linalg.yield %r : f16
  }
  linalg.fill ins(%zero : f32) outs(%o : memref<128x32xf32>)
  linalg.generic {indexing_maps = [affine_map<(m, d, n) -> (m, n)>, affine_map<(m, d, n) -> (n, d)>, affine_map<(m, d, n) -> (m, d)>], iterator_types = ["parallel", "parallel", "reduction"],
      tonno.lowering_config = {instruction = "mfma_16x16x16", workgroup = [64, 0, 0], subgroup = [16, 0, 0], reduction = [0, 0, 32], softmax = "online"}}
      ins(%p, %v : memref<128x256xf16>, memref<256x32xf16>) outs(%o : memref<128x32xf32>) {
  ^bb0(%a: f16, %b: f16, %c: f32):
    %x = arith.extf %a : f16 to f32
    %y = arith.extf %b : f16 to f32
    %h = arith.mulf %x, %y : f32
    %r = arith.addf %c, %h : f32
    linalg.yield %r : f32
  }
  return
}

// -----

#all = affine_map<(m, n) -> (m, n)>
#row = affine_map<(m, n) -> (m)>
#column = affine_map<(m, n) -> (n)>

// All keys of a row may be masked: then its result is the average of all values.
// CHECK-LABEL: func @padded
// CHECK-NOT:     arith.minsi
// CHECK:         scf.for %{{.*}} = %c0 to %c8
// CHECK-NOT:     arith.minsi
// CHECK:         return
func.func @padded(%q: memref<128x32xf16>, %k: memref<256x32xf16>, %v: memref<256x32xf16>, %o: memref<128x32xf32>, %pad: memref<256xi1>) {
  %zero = arith.constant 0.0 : f32
  %infinity = arith.constant 0xFF800000 : f32
  %low = arith.constant -3.40282347E+38 : f32
  %c7 = arith.constant 7 : index
  %s = memref.alloc() : memref<128x256xf32>
  linalg.fill ins(%zero : f32) outs(%s : memref<128x256xf32>)
  linalg.generic {indexing_maps = [affine_map<(m, n, d) -> (m, d)>, affine_map<(m, n, d) -> (n, d)>, affine_map<(m, n, d) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%q, %k : memref<128x32xf16>, memref<256x32xf16>) outs(%s : memref<128x256xf32>) {
  ^bb0(%a: f16, %b: f16, %c: f32):
    %x = arith.extf %a : f16 to f32
    %y = arith.extf %b : f16 to f32
    %p = arith.mulf %x, %y : f32
    %r = arith.addf %c, %p : f32
    linalg.yield %r : f32
  }
  linalg.generic {indexing_maps = [#all, #column, #all], iterator_types = ["parallel", "parallel"]} ins(%s, %pad : memref<128x256xf32>, memref<256xi1>) outs(%s : memref<128x256xf32>) {
  ^bb0(%a: f32, %b: i1, %c: f32):
    %m = linalg.index 0 : index
    %n = linalg.index 1 : index
    %u = arith.cmpi sle, %n, %m : index
    %t = arith.andi %u, %b : i1
    %r = arith.select %t, %a, %low : f32
    linalg.yield %r : f32
  }
  %m = memref.alloc() : memref<128xf32>
  linalg.fill ins(%infinity : f32) outs(%m : memref<128xf32>)
  linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]} ins(%s : memref<128x256xf32>) outs(%m : memref<128xf32>) {
  ^bb0(%a: f32, %c: f32):
    %r = arith.maximumf %a, %c : f32
    linalg.yield %r : f32
  }
  linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]} ins(%s, %m : memref<128x256xf32>, memref<128xf32>) outs(%s : memref<128x256xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %d = arith.subf %a, %b : f32
    %r = math.exp %d : f32
    linalg.yield %r : f32
  }
  %l = memref.alloc() : memref<128xf32>
  linalg.fill ins(%zero : f32) outs(%l : memref<128xf32>)
  linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]} ins(%s : memref<128x256xf32>) outs(%l : memref<128xf32>) {
  ^bb0(%a: f32, %c: f32):
    %r = arith.addf %a, %c : f32
    linalg.yield %r : f32
  }
  %p = memref.alloc() : memref<128x256xf16>
  linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]} ins(%s, %l : memref<128x256xf32>, memref<128xf32>) outs(%p : memref<128x256xf16>) {
  ^bb0(%a: f32, %b: f32, %c: f16):
    %d = arith.divf %a, %b : f32
    %r = arith.truncf %d : f32 to f16
    linalg.yield %r : f16
  }
  linalg.fill ins(%zero : f32) outs(%o : memref<128x32xf32>)
  linalg.generic {indexing_maps = [affine_map<(m, d, n) -> (m, n)>, affine_map<(m, d, n) -> (n, d)>, affine_map<(m, d, n) -> (m, d)>], iterator_types = ["parallel", "parallel", "reduction"],
      tonno.lowering_config = {instruction = "mfma_16x16x16", workgroup = [64, 0, 0], subgroup = [16, 0, 0], reduction = [0, 0, 32], softmax = "online"}}
      ins(%p, %v : memref<128x256xf16>, memref<256x32xf16>) outs(%o : memref<128x32xf32>) {
  ^bb0(%a: f16, %b: f16, %c: f32):
    %x = arith.extf %a : f16 to f32
    %y = arith.extf %b : f16 to f32
    %h = arith.mulf %x, %y fastmath<nnan, ninf> : f32
    %r = arith.addf %c, %h : f32
    linalg.yield %r : f32
  }
  return
}

// -----

#all = affine_map<(m, n) -> (m, n)>
#row = affine_map<(m, n) -> (m)>
#column = affine_map<(m, n) -> (n)>

// Scores may be lower.
// CHECK-LABEL: func @close
// CHECK-NOT:     arith.minsi
// CHECK:         scf.for %{{.*}} = %c0 to %c8
// CHECK-NOT:     arith.minsi
// CHECK:         return
func.func @close(%q: memref<128x32xf16>, %k: memref<256x32xf16>, %v: memref<256x32xf16>, %o: memref<128x32xf32>, %pad: memref<256xi1>) {
  %zero = arith.constant 0.0 : f32
  %infinity = arith.constant 0xFF800000 : f32
  %low = arith.constant -1.0e+04 : f32
  %c7 = arith.constant 7 : index
  %s = memref.alloc() : memref<128x256xf32>
  linalg.fill ins(%zero : f32) outs(%s : memref<128x256xf32>)
  linalg.generic {indexing_maps = [affine_map<(m, n, d) -> (m, d)>, affine_map<(m, n, d) -> (n, d)>, affine_map<(m, n, d) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%q, %k : memref<128x32xf16>, memref<256x32xf16>) outs(%s : memref<128x256xf32>) {
  ^bb0(%a: f16, %b: f16, %c: f32):
    %x = arith.extf %a : f16 to f32
    %y = arith.extf %b : f16 to f32
    %p = arith.mulf %x, %y : f32
    %r = arith.addf %c, %p : f32
    linalg.yield %r : f32
  }
  linalg.generic {indexing_maps = [#all, #column, #all], iterator_types = ["parallel", "parallel"]} ins(%s, %pad : memref<128x256xf32>, memref<256xi1>) outs(%s : memref<128x256xf32>) {
  ^bb0(%a: f32, %b: i1, %c: f32):
    %m = linalg.index 0 : index
    %n = linalg.index 1 : index
    %t = arith.cmpi sle, %n, %m : index
    %r = arith.select %t, %a, %low : f32
    linalg.yield %r : f32
  }
  %m = memref.alloc() : memref<128xf32>
  linalg.fill ins(%infinity : f32) outs(%m : memref<128xf32>)
  linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]} ins(%s : memref<128x256xf32>) outs(%m : memref<128xf32>) {
  ^bb0(%a: f32, %c: f32):
    %r = arith.maximumf %a, %c : f32
    linalg.yield %r : f32
  }
  linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]} ins(%s, %m : memref<128x256xf32>, memref<128xf32>) outs(%s : memref<128x256xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %d = arith.subf %a, %b : f32
    %r = math.exp %d : f32
    linalg.yield %r : f32
  }
  %l = memref.alloc() : memref<128xf32>
  linalg.fill ins(%zero : f32) outs(%l : memref<128xf32>)
  linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]} ins(%s : memref<128x256xf32>) outs(%l : memref<128xf32>) {
  ^bb0(%a: f32, %c: f32):
    %r = arith.addf %a, %c : f32
    linalg.yield %r : f32
  }
  %p = memref.alloc() : memref<128x256xf16>
  linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]} ins(%s, %l : memref<128x256xf32>, memref<128xf32>) outs(%p : memref<128x256xf16>) {
  ^bb0(%a: f32, %b: f32, %c: f16):
    %d = arith.divf %a, %b : f32
    %r = arith.truncf %d : f32 to f16
    linalg.yield %r : f16
  }
  linalg.fill ins(%zero : f32) outs(%o : memref<128x32xf32>)
  linalg.generic {indexing_maps = [affine_map<(m, d, n) -> (m, n)>, affine_map<(m, d, n) -> (n, d)>, affine_map<(m, d, n) -> (m, d)>], iterator_types = ["parallel", "parallel", "reduction"],
      tonno.lowering_config = {instruction = "mfma_16x16x16", workgroup = [64, 0, 0], subgroup = [16, 0, 0], reduction = [0, 0, 32], softmax = "online"}}
      ins(%p, %v : memref<128x256xf16>, memref<256x32xf16>) outs(%o : memref<128x32xf32>) {
  ^bb0(%a: f16, %b: f16, %c: f32):
    %x = arith.extf %a : f16 to f32
    %y = arith.extf %b : f16 to f32
    %h = arith.mulf %x, %y fastmath<nnan, ninf> : f32
    %r = arith.addf %c, %h : f32
    linalg.yield %r : f32
  }
  return
}

// -----

#all = affine_map<(m, n) -> (m, n)>
#row = affine_map<(m, n) -> (m)>
#column = affine_map<(m, n) -> (n)>

// Such a row is NaN whatever is summed up.
// CHECK-LABEL: func @padded_infinite
// CHECK:         arith.minsi
func.func @padded_infinite(%q: memref<128x32xf16>, %k: memref<256x32xf16>, %v: memref<256x32xf16>, %o: memref<128x32xf32>, %pad: memref<256xi1>) {
  %zero = arith.constant 0.0 : f32
  %infinity = arith.constant 0xFF800000 : f32
  %low = arith.constant 0xFF800000 : f32
  %c7 = arith.constant 7 : index
  %s = memref.alloc() : memref<128x256xf32>
  linalg.fill ins(%zero : f32) outs(%s : memref<128x256xf32>)
  linalg.generic {indexing_maps = [affine_map<(m, n, d) -> (m, d)>, affine_map<(m, n, d) -> (n, d)>, affine_map<(m, n, d) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%q, %k : memref<128x32xf16>, memref<256x32xf16>) outs(%s : memref<128x256xf32>) {
  ^bb0(%a: f16, %b: f16, %c: f32):
    %x = arith.extf %a : f16 to f32
    %y = arith.extf %b : f16 to f32
    %p = arith.mulf %x, %y : f32
    %r = arith.addf %c, %p : f32
    linalg.yield %r : f32
  }
  linalg.generic {indexing_maps = [#all, #column, #all], iterator_types = ["parallel", "parallel"]} ins(%s, %pad : memref<128x256xf32>, memref<256xi1>) outs(%s : memref<128x256xf32>) {
  ^bb0(%a: f32, %b: i1, %c: f32):
    %m = linalg.index 0 : index
    %n = linalg.index 1 : index
    %u = arith.cmpi sle, %n, %m : index
    %t = arith.andi %u, %b : i1
    %r = arith.select %t, %a, %low : f32
    linalg.yield %r : f32
  }
  %m = memref.alloc() : memref<128xf32>
  linalg.fill ins(%infinity : f32) outs(%m : memref<128xf32>)
  linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]} ins(%s : memref<128x256xf32>) outs(%m : memref<128xf32>) {
  ^bb0(%a: f32, %c: f32):
    %r = arith.maximumf %a, %c : f32
    linalg.yield %r : f32
  }
  linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]} ins(%s, %m : memref<128x256xf32>, memref<128xf32>) outs(%s : memref<128x256xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %d = arith.subf %a, %b : f32
    %r = math.exp %d : f32
    linalg.yield %r : f32
  }
  %l = memref.alloc() : memref<128xf32>
  linalg.fill ins(%zero : f32) outs(%l : memref<128xf32>)
  linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]} ins(%s : memref<128x256xf32>) outs(%l : memref<128xf32>) {
  ^bb0(%a: f32, %c: f32):
    %r = arith.addf %a, %c : f32
    linalg.yield %r : f32
  }
  %p = memref.alloc() : memref<128x256xf16>
  linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]} ins(%s, %l : memref<128x256xf32>, memref<128xf32>) outs(%p : memref<128x256xf16>) {
  ^bb0(%a: f32, %b: f32, %c: f16):
    %d = arith.divf %a, %b : f32
    %r = arith.truncf %d : f32 to f16
    linalg.yield %r : f16
  }
  linalg.fill ins(%zero : f32) outs(%o : memref<128x32xf32>)
  linalg.generic {indexing_maps = [affine_map<(m, d, n) -> (m, n)>, affine_map<(m, d, n) -> (n, d)>, affine_map<(m, d, n) -> (m, d)>], iterator_types = ["parallel", "parallel", "reduction"],
      tonno.lowering_config = {instruction = "mfma_16x16x16", workgroup = [64, 0, 0], subgroup = [16, 0, 0], reduction = [0, 0, 32], softmax = "online"}}
      ins(%p, %v : memref<128x256xf16>, memref<256x32xf16>) outs(%o : memref<128x32xf32>) {
  ^bb0(%a: f16, %b: f16, %c: f32):
    %x = arith.extf %a : f16 to f32
    %y = arith.extf %b : f16 to f32
    %h = arith.mulf %x, %y fastmath<nnan, ninf> : f32
    %r = arith.addf %c, %h : f32
    linalg.yield %r : f32
  }
  return
}

//--- invalid.mlir
// CHECK-LABEL: func @alone
// CHECK:         gpu.launch
func.func @alone(%p: memref<64x64xf16>, %v: memref<64x32xf16>, %o: memref<64x32xf32>) {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%o : memref<64x32xf32>)
  // expected-warning@below {{'softmax' has no effect, and scores are in memory: a product and a softmax must precede it}}
  linalg.matmul {tonno.lowering_config = {instruction = "mma_16x8x16", softmax = "online"}}
      ins(%p, %v : memref<64x64xf16>, memref<64x32xf16>) outs(%o : memref<64x32xf32>)
  return
}

// -----

func.func @other_word(%p: memref<64x64xf16>, %v: memref<64x32xf16>, %o: memref<64x32xf32>) {
  // expected-error@below {{has 'softmax' of "offline"; use "online", or remove the key}}
  linalg.matmul {tonno.lowering_config = {instruction = "mma_16x8x16", softmax = "offline"}}
      ins(%p, %v : memref<64x64xf16>, memref<64x32xf16>) outs(%o : memref<64x32xf32>)
  return
}

// RUN: tonno-opt %s --tonno-apply | FileCheck %s --check-prefixes=CHECK,UNSET --implicit-check-not=tonno.knob
// RUN: tonno-opt %s --tonno-apply='set=BM=64,order=[1,0],tail=split,width=16,half=0.25,space=3,BN=16' | FileCheck %s --check-prefixes=CHECK,SET --implicit-check-not=tonno.knob
// RUN: tonno-opt %s --tonno-apply='set=BM=64,tail="split" keep' | FileCheck %s --check-prefix=KEEP
// RUN: tonno-opt %s --tonno-apply='set=BM=64,tail="split" keep' | tonno-opt --tonno-apply | FileCheck %s --check-prefix=TWICE

// KEEP-DAG: #BM = #tonno.knob<"BM" = 64 from [32, 64]>
// KEEP-DAG: #BN = #tonno.knob<"BN" = 16 from [8, 16] default 16>
// KEEP-DAG: #S = #tonno.knob<"S" = 3 from [1, 2, 3] default 2>
// KEEP-DAG: #tail = #tonno.knob<"tail" = "split" from ["mask", "split"]>
// KEEP-DAG: #space = #tonno.knob<"space" = 1 from [1, 3]>

#BM = #tonno.knob<"BM" from [32, 64]>
#space = #tonno.knob<"space" from [1, 3]>

// CHECK-LABEL: func.func @f(
// UNSET-SAME: memref<4xf32, 1>
// SET-SAME: memref<4xf32, 3>
// CHECK-SAME: -> memref<4xf32,
// UNSET-SAME: half = 5.000000e-01 : f32
// SET-SAME: half = 2.500000e-01 : f32
// UNSET-SAME: order = [0, 1]
// SET-SAME: order = [1, 0]
// CHECK-SAME: s = 3 : i64
// UNSET-SAME: tail = "mask"
// SET-SAME: tail = "split"
// TWICE: tail = "split"
// UNSET-SAME: width = 8 : i32
// SET-SAME: width = 16 : i32
func.func @f(%a: memref<4xf32, #space>) -> memref<4xf32, #space> attributes {x.k = {
    order = #tonno.knob<"order" from [[0, 1], [1, 0]]>,
    tail = #tonno.knob<"tail" from ["mask", "split"]>,
    width = #tonno.knob<"width" from [8 : i32, 16 : i32]>,
    half = #tonno.knob<"half" from [0.5 : f32, 0.25 : f32]>,
    s = #tonno.knob<"S" = 3 from [1, 2, 3] default 2>}} {
  // UNSET: tonno.lowering_config = {workgroup = [32, 16, 0]}
  // SET: tonno.lowering_config = {workgroup = [64, 16, 0]}
  // TWICE: tonno.lowering_config = {workgroup = [64, 16, 0]}
  // KEEP: tonno.lowering_config = {workgroup = [#BM, #BN, 0]}
  %0 = memref.alloc() {tonno.lowering_config = {workgroup =
      [#BM, #tonno.knob<"BN" from [8, 16] default 16>, 0]}} : memref<4xf32, #space>
  // UNSET: return {{.*}} : memref<4xf32, 1>
  // SET: return {{.*}} : memref<4xf32, 3>
  return %a : memref<4xf32, #space>
}

// Outside of functions too.
// UNSET: memref.global "private" @g : memref<4xf32> {x.k = 32 : i64}
// SET: memref.global "private" @g : memref<4xf32> {x.k = 64 : i64}
memref.global "private" @g : memref<4xf32> {x.k = #BM}

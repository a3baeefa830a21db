// What is left is for tools that have never heard of tonno.
// RUN: tonno-opt %s --tonno-strip | FileCheck %s --implicit-check-not='#tonno'
// RUN: tonno-opt %s --tonno-strip | mlir-opt | FileCheck %s
// RUN: tonno-opt %s --tonno-strip --emit-bytecode | mlir-opt | FileCheck %s
// RUN: tonno-opt %s --tonno-strip | mlir-opt --convert-to-llvm -o /dev/null
// RUN: not mlir-opt %s 2>&1 | FileCheck %s --check-prefix=UNSTRIPPED

// UNSTRIPPED: error: #"tonno"<"knob<{{.*}}> : 'none' attribute created with unregistered dialect

// CHECK: module attributes {x.k = 32 : i64}
module attributes {tonno.constraints = [], x.k = #tonno.knob<"BM" from [32, 64]>} {
  // CHECK: func.func @f(%{{.*}}: memref<4xf32, 3>)
  // CHECK-SAME: attributes {tonno.tuned = {trials = 3 : i64, verdict = "tie"}}
  func.func @f(%a: memref<4xf32, #tonno.knob<"space" = 3 from [1, 3]>>)
      attributes {tonno.tuned = {verdict = "tie", trials = 3}} {
    // CHECK: return {tonno.lowering_config = {workgroup = [64, 0]}, x.a = 1 : i64}
    return {tonno.lowering_config = {workgroup = [#tonno.knob<"BM" from [32, 64] default 64>, 0]},
            x.a = 1, tonno.knobs = {x.a = #tonno.knob<"a" from [1]>}}
  }
}

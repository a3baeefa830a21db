// The stock mlir-opt reads and writes knobs, and has the passes.
// RUN: %mlir_opt_with_plugin %s | FileCheck %s
// RUN: %mlir_opt_with_plugin --pass-pipeline='builtin.module(tonno-strip)' %s | FileCheck %s --check-prefix=STRIP
// RUN: %mlir_opt_with_plugin --pass-pipeline='builtin.module(tonno-apply{set=BM=64})' %s | FileCheck %s --check-prefix=APPLY
// RUN: %mlir_opt_with_plugin --pass-pipeline='builtin.module(tonno-extract)' %s -o /dev/null | FileCheck %s --check-prefix=EXTRACT
// RUN: not %mlir_opt_with_plugin --pass-pipeline='builtin.module(tonno-apply{set=BM=48})' %s 2>&1 | FileCheck %s --check-prefix=ERROR

// CHECK: #BM = #tonno.knob<"BM" from [32, 64]>
// CHECK: x.k = #BM
// STRIP: x.k = 32 : i64
// APPLY: x.k = 64 : i64
// EXTRACT: "name": "BM"
// ERROR: mlir-opt.mlir:[[# @LINE + 1]]:1: error: 48 is not an option of knob "BM"
func.func @f() attributes {x.k = #tonno.knob<"BM" from [32, 64]>} { return }

// RUN: split-file %s %t

// Unknown knob, unknown option: the known ones are listed, nothing is written.
// RUN: not tonno-opt %t/f.mlir --tonno-apply='set=BX=64' -o %t/out.mlir 2>&1 | FileCheck %s --check-prefix=KNOB
// RUN: not tonno-opt %t/f.mlir --tonno-apply='set=BM=48' -o %t/out.mlir 2>&1 | FileCheck %s --check-prefix=OPTION
// RUN: not tonno-opt %t/f.mlir --tonno-apply='set=tail=cut' -o %t/out.mlir 2>&1 | FileCheck %s --check-prefix=WORD
// RUN: not tonno-opt %t/f.mlir --tonno-apply='set=BM' -o %t/out.mlir 2>&1 | FileCheck %s --check-prefix=FORM
// RUN: not tonno-opt %t/f.mlir --tonno-apply='set=BM=32,BM=64' -o %t/out.mlir 2>&1 | FileCheck %s --check-prefix=TWICE
// RUN: not tonno-opt %t/none.mlir --tonno-apply='set=BM=48' -o %t/out.mlir 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: not tonno-opt %t/unequal.mlir --tonno-apply -o %t/out.mlir 2>&1 | FileCheck %s --check-prefix=UNEQUAL
// RUN: not ls %t/out.mlir

// KNOB: f.mlir{{.*}}: error: unknown knob "BX"; the knobs are: tail, BM
// KNOB-NOT: {{.}}
// OPTION: f.mlir:2:3: error: 48 is not an option of knob "BM"; its options are: 32, 64
// WORD: f.mlir:1:1: error: cut is not an option of knob "tail"; its options are: "mask", "split"
// WORD-NOT: error
// FORM: error: 'set' needs knob=value, not 'BM'
// TWICE: error: knob "BM" is set twice
// NONE: error: unknown knob "BM"; there are no knobs
// UNEQUAL: unequal.mlir:2:3: error: knob "BM" has options 32 and default 32, but
// UNEQUAL: unequal.mlir:1:1: note: here it has options 32, 64 and default 32

//--- f.mlir
func.func @f() attributes {x.k = #tonno.knob<"tail" from ["mask", "split"]>} {
  return {x.k = #tonno.knob<"BM" from [32, 64]>}
}

//--- none.mlir
func.func @f() { return }

//--- unequal.mlir
func.func @f() attributes {x.k = #tonno.knob<"BM" from [32, 64]>} {
  return {x.k = #tonno.knob<"BM" from [32]>}
}

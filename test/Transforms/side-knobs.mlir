// Knobs beside attributes that must be plain: integers of other widths, dense
// arrays, flags, entries of dictionaries. The value that stands there is the
// default, and stays right when an option is selected and selected again.

// RUN: tonno-opt %s | tonno-opt | FileCheck %s --check-prefix=ROUND
// RUN: tonno-opt %s --mlir-print-op-generic | tonno-opt | FileCheck %s --check-prefix=ROUND
// RUN: tonno-opt %s --emit-bytecode | tonno-opt | FileCheck %s --check-prefix=ROUND
// RUN: tonno-opt %s --tonno-apply | FileCheck %s --check-prefix=DEFAULT --implicit-check-not=tonno.knob
// RUN: tonno-opt %s --tonno-apply='set=S=4,TX=64,order=[2,1,0],PM=16,it=5,flag=true,A=32' | FileCheck %s --check-prefix=SET --implicit-check-not=tonno.knob
// RUN: tonno-opt %s --tonno-apply='set=S=4,TX=64,order=[2,1,0],PM=16,it=5,flag=true,A=32 keep' > %t.kept.mlir
// RUN: FileCheck %s --check-prefix=KEEP < %t.kept.mlir
// RUN: tonno-opt %t.kept.mlir --tonno-apply | FileCheck %s --check-prefix=SET --implicit-check-not=tonno.knob
// RUN: tonno-opt %t.kept.mlir --tonno-apply='set=S=2 keep' | FileCheck %s --check-prefix=AGAIN

// What the hash is of stays the same when an option is selected.
// RUN: tonno-opt %s --tonno-extract -o /dev/null > %t.json
// RUN: tonno-opt %t.kept.mlir --tonno-extract -o /dev/null > %t.kept.json
// RUN: diff %t.json %t.kept.json

// ROUND: transform.memref.multibuffer %{{.*}} {factor = 2 : i64, skip_analysis, tonno.knobs = {factor = #S}}
// KEEP-DAG: #S = #tonno.knob<"S" = 4 from [2, 3, 4] default 2>
// KEEP-DAG: #TX = #tonno.knob<"TX" = 64 from [32, 64] default 32>
// KEEP-DAG: #order = #tonno.knob<"order" = [2, 1, 0] from permutations<3> default [1, 0, 2]>
// KEEP-DAG: #flag = #tonno.knob<"flag" = true from [true, false] default false>
// AGAIN-DAG: #S = #tonno.knob<"S" = 2 from [2, 3, 4] default 2>
// AGAIN-DAG: #TX = #tonno.knob<"TX" = 64 from [32, 64] default 32>

module attributes {transform.with_named_sequence} {
  func.func @f(%m: memref<64xf32>) attributes {tonno.schedule = @main} {
    // KEEP: memref.alloc() {alignment = 32 : i64, tonno.knobs = {alignment = #A}}
    // DEFAULT: memref.alloc() {alignment = 64 : i64} : memref
    // SET: memref.alloc() {alignment = 32 : i64} : memref
    %0 = memref.alloc() {alignment = 64 : i64,
        tonno.knobs = {alignment = #tonno.knob<"A" from [32, 64, 128]>}} : memref<64xf32>
    return
  }
  transform.named_sequence @main(%root: !transform.any_op {transform.consumed}) {
    %0 = transform.structured.match ops{["memref.alloc"]} in %root : (!transform.any_op) -> !transform.op<"memref.alloc">
    // KEEP: transform.memref.multibuffer %{{.*}} {factor = 4 : i64, skip_analysis, tonno.knobs = {factor = #S}}
    // AGAIN: transform.memref.multibuffer %{{.*}} {factor = 2 : i64, skip_analysis, tonno.knobs = {factor = #S}}
    // DEFAULT: transform.memref.multibuffer %{{.*}} {factor = 2 : i64, skip_analysis} :
    // SET: transform.memref.multibuffer %{{.*}} {factor = 4 : i64, skip_analysis} :
    %1 = transform.memref.multibuffer %0 {factor = 2 : i64, skip_analysis,
        tonno.knobs = {factor = #tonno.knob<"S" from [2, 3, 4]>}} : (!transform.op<"memref.alloc">) -> !transform.any_op
    %g = transform.structured.match ops{["gpu.launch"]} in %root : (!transform.any_op) -> !transform.any_op
    // DEFAULT: block_dims = [32, 4, 1]
    // SET: block_dims = [64, 4, 1]
    %g2 = transform.gpu.map_nested_forall_to_threads %g block_dims = [32, 4, 1]
        {tonno.knobs = {block_dims = [#tonno.knob<"TX" from [32, 64]>, #tonno.knob<"TY" from [2, 4]>, 1]}}
        : (!transform.any_op) -> !transform.any_op
    %m = transform.structured.match ops{["linalg.generic"]} in %root : (!transform.any_op) -> !transform.any_op
    // DEFAULT: iterator_interchange = [1, 0, 2]
    // SET: iterator_interchange = [2, 1, 0]
    %i = transform.structured.interchange %m iterator_interchange = [1, 0, 2]
        {tonno.knobs = {iterator_interchange = #tonno.knob<"order" from permutations<3>>}}
        : (!transform.any_op) -> !transform.any_op
    // DEFAULT: packed_sizes = [8, 16, 32]
    // SET: packed_sizes = [16, 16, 32]
    %x = transform.structured.pack %m packed_sizes = [8, 16, 32]
        {tonno.knobs = {static_packed_sizes = [#tonno.knob<"PM" from [8, 16]>, 16, 32]}}
        : (!transform.any_op) -> !transform.op<"linalg.generic">
    // What the knobs don't speak of stays.
    // DEFAULT: "max-iterations" = 3 : i64, "top-down" = true
    // SET: "max-iterations" = 5 : i64, "top-down" = true
    %y = transform.apply_registered_pass "canonicalize" with options = {"max-iterations" = 3 : i64, "top-down" = true}
        to %root {tonno.knobs = {options = {"max-iterations" = #tonno.knob<"it" from [3, 5]>}}}
        : (!transform.any_op) -> !transform.any_op
    // A flag that is not there is false.
    // DEFAULT: transform.structured.vectorize_children_and_apply_patterns %{{.*}} : (
    // SET: transform.structured.vectorize_children_and_apply_patterns %{{.*}} {vectorize_padding} : (
    %v = transform.structured.vectorize_children_and_apply_patterns %y
        {tonno.knobs = {vectorize_padding = #tonno.knob<"flag" from [true, false]>}}
        : (!transform.any_op) -> !transform.any_op
    transform.yield
  }
}

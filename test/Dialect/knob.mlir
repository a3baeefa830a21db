// Every form of a knob, as text, in generic form and as bytecode.
// RUN: tonno-opt %s | tonno-opt | FileCheck %s
// RUN: tonno-opt %s --mlir-print-op-generic | tonno-opt | FileCheck %s
// RUN: tonno-opt %s --emit-bytecode | tonno-opt | FileCheck %s
// RUN: tonno-opt %s --verify-roundtrip -o /dev/null

// The default and the selected option.
// CHECK-DAG: #first = #tonno.knob<"first" from [32, 64, 128]>
// CHECK-DAG: #default = #tonno.knob<"default" from [32, 64] default 64>
// CHECK-DAG: #selected = #tonno.knob<"selected" = 64 from [32, 64]>
// CHECK-DAG: #both = #tonno.knob<"both" = 32 from [32, 64] default 64>

// Options of any kind; i64 and f64 need no type.
// CHECK-DAG: #i32 = #tonno.knob<"i32" = 32 : i32 from [32 : i32, 64 : i32] default 64 : i32>
// CHECK-DAG: #index = #tonno.knob<"index" from [1 : index, 2 : index]>
// CHECK-DAG: #f64 = #tonno.knob<"f64" from [5.000000e-01, 2.500000e-01] default 2.500000e-01>
// CHECK-DAG: #f32 = #tonno.knob<"f32" from [5.000000e-01 : f32]>
// CHECK-DAG: #bool = #tonno.knob<"bool" = true from [false, true]>
// CHECK-DAG: #string = #tonno.knob<"string" = "split" from ["mask", "split"]>
// CHECK-DAG: #array = #tonno.knob<"array" = [1, 0] from {{\[\[}}0, 1], [1, 0], []]>
// CHECK-DAG: #affine_map = #tonno.knob<"affine_map" from [#map, #map1]>
// CHECK-DAG: #type = #tonno.knob<"type" from [f32, bf16]>
// CHECK-DAG: #unit = #tonno.knob<"unit" from [unit]>
// CHECK-DAG: #dictionary = #tonno.knob<"dictionary" from [{a = 1 : i64}, {}]>

// An alias is an identifier, whatever the name; two may want the same.
// CHECK-DAG: #[[ODD:a_b_c.*]] = #tonno.knob<"a+b.c" from [1]>
// CHECK-DAG: #[[TWIN:a_b_c.*]] = #tonno.knob<"a-b/c" from [1]>
// CHECK-DAG: #[[DIGIT:knob_3d.*]] = #tonno.knob<"3d" from [1]>
// CHECK-DAG: #[[QUOTE:.*]] = #tonno.knob<"\22quoted\22\\\C3\A9" from [1]>

// CHECK: module attributes
// CHECK-SAME: x.both = #both
// CHECK-SAME: x.odd = [#[[ODD]], #[[TWIN]], #[[DIGIT]], #[[QUOTE]]{{]}}
module attributes {
  x.first = #tonno.knob<"first" from [32, 64, 128]>,
  x.default = #tonno.knob<"default" from [32, 64] default 64>,
  x.selected = #tonno.knob<"selected" = 64 from [32, 64]>,
  x.both = #tonno.knob<"both" = 32 from [32, 64] default 64>,
  x.i32 = #tonno.knob<"i32" = 32 : i32 from [32 : i32, 64 : i32] default 64 : i32>,
  x.index = #tonno.knob<"index" from [1 : index, 2 : index]>,
  x.f64 = #tonno.knob<"f64" from [0.5, 0.25] default 0.25>,
  x.f32 = #tonno.knob<"f32" from [0.5 : f32]>,
  x.bool = #tonno.knob<"bool" = true from [false, true]>,
  x.string = #tonno.knob<"string" = "split" from ["mask", "split"]>,
  x.array = #tonno.knob<"array" = [1, 0] from [[0, 1], [1, 0], []]>,
  x.affine_map = #tonno.knob<"affine_map" from [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (0)>]>,
  x.type = #tonno.knob<"type" from [f32, bf16]>,
  x.unit = #tonno.knob<"unit" from [unit]>,
  x.dictionary = #tonno.knob<"dictionary" from [{a = 1}, {}]>,
  x.odd = [#tonno.knob<"a+b.c" from [1]>, #tonno.knob<"a-b/c" from [1]>,
           #tonno.knob<"3d" from [1]>,
           #tonno.knob<"\22quoted\22\\\C3\A9" from [1]>]
} {}

// Every domain, as a knob's and as an attribute of its own, through text,
// generic form and bytecode.

// RUN: tonno-opt %s | FileCheck %s
// RUN: tonno-opt %s | tonno-opt | FileCheck %s
// RUN: tonno-opt %s --mlir-print-op-generic | tonno-opt | FileCheck %s
// RUN: tonno-opt %s --emit-bytecode | tonno-opt | FileCheck %s
// RUN: tonno-opt %s --tonno-extract -o %t.mlir | FileCheck %s --check-prefix=SPACE

// CHECK-DAG: #BK = #tonno.knob<"BK" = 64 from pow2<16 to 256> default 32>
// CHECK-DAG: #U = #tonno.knob<"U" from range<0 to 8 step 2>>
// CHECK-DAG: #S = #tonno.knob<"S" from range<-1 to 1>>
// CHECK-DAG: #one = #tonno.knob<"one" from pow2<1 to 1>>
// CHECK-DAG: #order = #tonno.knob<"order" from permutations<3> default [1, 0, 2]>
// CHECK-DAG: #pack = #tonno.knob<"pack" from [true, false]>
// CHECK-DAG: #knob_2nd_tile_ = #tonno.knob<"2nd-tile!" from [8, 16]>
// CHECK: module attributes {x.domains = [#tonno.pow2<1 to 8>, #tonno.range<0 to 9 step 3>, #tonno.range<1 to 3>, #tonno.permutations<2>]}
module attributes {x.domains = [#tonno.pow2<1 to 8>, #tonno.range<0 to 9 step 3>,
                                #tonno.range<1 to 3 step 1>, #tonno.permutations<2>]} {
  func.func @f() attributes {x.k = {
      a = #tonno.knob<"BK" = 64 from pow2<16 to 256> default 32>,
      b = #tonno.knob<"U" from range<0 to 8 step 2>>,
      c = #tonno.knob<"S" from #tonno.range<-1 to 1>>,
      d = #tonno.knob<"one" from pow2<1 to 1>>,
      e = #tonno.knob<"order" from permutations<3> default [1, 0, 2]>,
      f = #tonno.knob<"pack" from [true, false]>,
      g = #tonno.knob<"2nd-tile!" from [8, 16]>}} {
    return
  }
}

// SPACE: "default": 32,
// SPACE-NEXT: "name": "BK",
// SPACE-NEXT: "options": [
// SPACE-NEXT: 16,
// SPACE-NEXT: 32,
// SPACE-NEXT: 64,
// SPACE-NEXT: 128,
// SPACE-NEXT: 256
// SPACE: "default": 0,
// SPACE-NEXT: "name": "U",
// SPACE-NEXT: "options": [
// SPACE-NEXT: 0,
// SPACE-NEXT: 2,
// SPACE-NEXT: 4,
// SPACE-NEXT: 6,
// SPACE-NEXT: 8
// SPACE-NEXT: ]
// SPACE: "name": "S",
// SPACE-NEXT: "options": [
// SPACE-NEXT: -1,
// SPACE-NEXT: 0,
// SPACE-NEXT: 1

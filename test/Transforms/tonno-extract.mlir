// RUN: tonno-opt %s --tonno-extract -o /dev/null | FileCheck %s
// RUN: tonno-opt %s --tonno-extract=output=%t.json -o /dev/null
// RUN: FileCheck %s < %t.json
// RUN: tonno-opt %s --tonno-extract=output=%t.json | FileCheck %s --check-prefix=IR
// RUN: not tonno-opt %s --tonno-extract=output=%t.none/space.json 2>&1 | FileCheck %s --check-prefix=UNWRITABLE

// UNWRITABLE: error: cannot open output file '{{.*}}space.json': No such file or directory

// The IR stays as it was.
// IR: #BM = #tonno.knob<"BM" from [32, 64] default 64>

// Neither private functions, declarations nor functions without knobs count.
func.func private @not_public() attributes {x.k = #tonno.knob<"no" from [1]>} { return }
func.func private @not_defined() attributes {x.k = #tonno.knob<"no" from [1]>}
func.func @without_knobs() { return }

// Knobs in order of appearance: the operation's before those inside it, an
// attribute's before the types'; each name once.
//      CHECK: [
//      CHECK:     "hash": "{{[0-9a-f]{64}$|[0-9a-f]*}}",
// CHECK-NEXT:     "kernel": "order",
// CHECK-NEXT:     "knobs": [
//      CHECK:         "default": 1,
// CHECK-NEXT:         "name": "function",
//      CHECK:         "default": 64,
// CHECK-NEXT:         "name": "BM",
// CHECK-NEXT:         "options": [
// CHECK-NEXT:           32,
// CHECK-NEXT:           64
//      CHECK:         "name": "BN",
//      CHECK:         "name": "type",
//      CHECK:         "name": "last",
//  CHECK-NOT:         "name"
#BM = #tonno.knob<"BM" from [32, 64] default 64>
func.func @order() attributes {x.k = #tonno.knob<"function" from [1, 2]>} {
  %0 = memref.alloc() {x.a = [0, #BM, {n = #tonno.knob<"BN" from [8]>}], x.b = #BM}
      : memref<4xf32, #tonno.knob<"type" from [1, 2]>>
  return {x.c = #tonno.knob<"last" from [1]>, x.d = #BM}
}

// Options as plain data; any other attribute as its text. A selected option is
// not the default. Numbers within arrays are i64.
//      CHECK:     "kernel": "options",
//      CHECK:             "mlir": "[1 : i32, 2]"
//      CHECK:         "name": "array32",
// CHECK-NEXT:         "options": [
// CHECK-NEXT:           {
// CHECK-NEXT:             "mlir": "[1 : i32, 2]"
// CHECK-NEXT:           },
// CHECK-NEXT:           [
// CHECK-NEXT:             1,
// CHECK-NEXT:             2
// CHECK-NEXT:           ]
//      CHECK:         "default": true,
// CHECK-NEXT:         "name": "bool",
// CHECK-NEXT:         "options": [
// CHECK-NEXT:           true,
// CHECK-NEXT:           false
//      CHECK:             "mlir": "5.000000e-01"
// CHECK-NEXT:         },
// CHECK-NEXT:         "name": "float",
//      CHECK:             "mlir": "5.000000e-01"
//      CHECK:             "mlir": "2.500000e-01"
//      CHECK:         "default": 64,
// CHECK-NEXT:         "name": "int32",
// CHECK-NEXT:         "options": [
// CHECK-NEXT:           32,
// CHECK-NEXT:           64
//      CHECK:         "name": "mixed",
// CHECK-NEXT:         "options": [
// CHECK-NEXT:           [
// CHECK-NEXT:             1,
// CHECK-NEXT:             "a",
// CHECK-NEXT:             true,
// CHECK-NEXT:             []
// CHECK-NEXT:           ]
//      CHECK:         "name": "selected",
//      CHECK:         "name": "string\"\\é",
// CHECK-NEXT:         "options": [
// CHECK-NEXT:           "mask",
// CHECK-NEXT:           "split"
//      CHECK:             "mlir": "f32"
//      CHECK:             "mlir": "32 : ui8"
func.func @options() attributes {
  x.A = #tonno.knob<"array32" from [[1 : i32, 2], [1, 2]]>,
  x.a = #tonno.knob<"bool" from [true, false]>,
  x.b = #tonno.knob<"float" from [0.5, 0.25]>,
  x.c = #tonno.knob<"int32" from [32 : i32, 64 : i32] default 64 : i32>,
  x.d = #tonno.knob<"mixed" from [[1, "a", true, []]]>,
  x.e = #tonno.knob<"selected" = 2 from [1, 2]>,
  x.f = #tonno.knob<"string\22\\\C3\A9" from ["mask", "split"]>,
  x.g = #tonno.knob<"type" from [f32, bf16]>,
  x.h = #tonno.knob<"unsigned" from [32 : ui8]>
} { return }

// Bytes that are no UTF-8 are replaced.
//      CHECK:     "kernel": "bytes �",
func.func @"bytes \FF"() attributes {x.k = #tonno.knob<"B" from [1, 2]>} { return }

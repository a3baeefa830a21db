// The other attributes, through text, generic form and bytecode.

// RUN: tonno-opt %s | FileCheck %s
// RUN: tonno-opt %s --mlir-print-op-generic | tonno-opt | FileCheck %s
// RUN: tonno-opt %s --emit-bytecode | tonno-opt | FileCheck %s

// CHECK-LABEL: func.func @f(
// CHECK-SAME: {tonno.access = "read", tonno.alignment = 16 : i64, tonno.input = #tonno.input<"sorted(integers(0, 99))">}
// CHECK-SAME: tonno.constraints = [#tonno.constraint<"`2nd tile!` * BM <= 64, tail == 'mask' or not pack">, #tonno.constraint<"if pack then BM > 1 else order[0] == 0">]
// CHECK-SAME: tonno.pipeline = {knobs = {BM = #BM}, passes = "builtin.module(canonicalize{max-iterations=@BM@})"}
// CHECK-SAME: tonno.reference = @g
func.func @f(%a: tensor<4xi32> {tonno.access = "read", tonno.alignment = 16,
                                tonno.input = #tonno.input<"sorted(integers(0, 99))">})
    attributes {
      tonno.constraints = [
        #tonno.constraint<"`2nd tile!` * BM <= 64, tail == 'mask' or not pack">,
        #tonno.constraint<"if pack then BM > 1 else order[0] == 0">],
      tonno.pipeline = {passes = "builtin.module(canonicalize{max-iterations=@BM@})",
                        knobs = {BM = #tonno.knob<"BM" from [1, 2]>}},
      tonno.reference = @g} {
  return
}

// CHECK: func.func @g({{.*}}) attributes {tonno.schedule = @lib::@main}
func.func @g(%a: tensor<4xi32>) attributes {tonno.schedule = @lib::@main} {
  return
}

// Unknown sizes agree with any.
// CHECK: func.func @dims(
// CHECK-SAME: tensor<4x8xf32> {tonno.dims = ["M", "K"]}
// CHECK-SAME: memref<8x?xf32> {tonno.dims = ["K", "N"]}
// CHECK-SAME: vector<16xf32> {tonno.dims = ["N"]}
// CHECK-SAME: tensor<f32> {tonno.dims = []}
func.func @dims(%a: tensor<4x8xf32> {tonno.dims = ["M", "K"]},
                %b: memref<8x?xf32> {tonno.dims = ["K", "N"]},
                %c: vector<16xf32> {tonno.dims = ["N"]},
                %d: tensor<f32> {tonno.dims = []}) {
  return
}

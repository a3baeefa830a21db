// A knob stands wherever an attribute may.
// RUN: tonno-opt %s | tonno-opt | FileCheck %s
// RUN: tonno-opt %s --mlir-print-op-generic | tonno-opt | FileCheck %s
// RUN: tonno-opt %s --emit-bytecode | tonno-opt | FileCheck %s

#BM = #tonno.knob<"BM" from [32, 64]>
#space = #tonno.knob<"space" from [1, 3]>

// CHECK: module attributes {{.*}}x.module = #BM
module attributes {transform.with_named_sequence, x.module = #BM} {
  // In types: of arguments, results, values.
  // CHECK: func.func @types(%{{.*}}: memref<4xf32, #space>, %{{.*}}: tensor<4xf32, #BM>) -> memref<4xf32, #space>
  func.func @types(%a: memref<4xf32, #space>, %b: tensor<4xf32, #BM>) -> memref<4xf32, #space> {
    // CHECK: memref.alloc() : memref<4xf32, #space>
    %0 = memref.alloc() : memref<4xf32, #space>
    return %0 : memref<4xf32, #space>
  }

  // In discardable attributes at any depth, of operations and arguments.
  // CHECK: func.func @depth(%{{.*}}: f32 {x.argument = #BM})
  // CHECK-SAME: attributes {x.deep = [{a = [#BM, {b = #BM}]}, #BM]}
  func.func @depth(%a: f32 {x.argument = #BM})
      attributes {x.deep = [{a = [#BM, {b = #BM}]}, #BM]} {
    // CHECK: return {x.operation = #BM}
    return {x.operation = #BM}
  }

  // In inherent attributes that admit any attribute.
  // CHECK: transform.named_sequence
  transform.named_sequence @schedule(%root: !transform.any_op {transform.readonly}) {
    // CHECK: transform.param.constant #BM -> !transform.any_param
    %0 = transform.param.constant #BM -> !transform.any_param
    transform.yield
  }
}

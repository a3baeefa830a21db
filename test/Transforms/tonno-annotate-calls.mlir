// RUN: tonno-opt %s --split-input-file --tonno-annotate=chip=x86-64-v3 | FileCheck %s

// What a function calls is a part of it, with knobs of its own: one name is one
// variable, and the products have other options.
// CHECK-LABEL: func.func @large(
// CHECK:         linalg.matmul {{.*}}subgroup = [#MR
// CHECK-LABEL: func.func @small(
// CHECK:         linalg.matmul {{.*}}subgroup = [#MR
// CHECK-LABEL: func.func @both(
// CHECK:         linalg.matmul {{.*}}subgroup = [#MR
// CHECK:         linalg.matmul {{.*}}subgroup = [#MR_1,
// CHECK-NOT:     call
func.func @large(%a: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %0 = linalg.matmul ins(%a, %a : tensor<64x64xf32>, tensor<64x64xf32>) outs(%a : tensor<64x64xf32>) -> tensor<64x64xf32>
  return %0 : tensor<64x64xf32>
}
func.func @small(%a: tensor<64x64xf32>, %b: tensor<7x64xf32>) -> tensor<7x64xf32> {
  %0 = linalg.matmul ins(%b, %a : tensor<7x64xf32>, tensor<64x64xf32>) outs(%b : tensor<7x64xf32>) -> tensor<7x64xf32>
  return %0 : tensor<7x64xf32>
}
func.func @both(%a: tensor<64x64xf32>, %b: tensor<7x64xf32>) -> tensor<7x64xf32> {
  %0 = call @large(%a) : (tensor<64x64xf32>) -> tensor<64x64xf32>
  %1 = call @small(%0, %b) : (tensor<64x64xf32>, tensor<7x64xf32>) -> tensor<7x64xf32>
  return %1 : tensor<7x64xf32>
}

// -----

// Private functions are tuned in their callers, and go with the last call.
// CHECK-NOT:   @callee
// CHECK-LABEL: func.func @caller(
// CHECK:         linalg.matmul {{.*}}subgroup = [#MR
// CHECK-LABEL: func.func private @unused(
// CHECK-LABEL: func.func private @kept(
// CHECK-LABEL: func.func @nothing_to_tune(
// CHECK:         call @kept(
func.func private @callee(%a: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %0 = linalg.matmul ins(%a, %a : tensor<64x64xf32>, tensor<64x64xf32>) outs(%a : tensor<64x64xf32>) -> tensor<64x64xf32>
  return %0 : tensor<64x64xf32>
}
func.func @caller(%a: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %0 = call @callee(%a) : (tensor<64x64xf32>) -> tensor<64x64xf32>
  return %0 : tensor<64x64xf32>
}
func.func private @unused(%a: f32) -> f32 {
  return %a : f32
}
func.func private @kept(%a: f32) -> f32 {
  return %a : f32
}
func.func @nothing_to_tune(%a: f32) -> f32 {
  %0 = call @kept(%a) : (f32) -> f32
  return %0 : f32
}

// -----

// Where somebody has said what varies, calls stay.
// CHECK-LABEL: func.func private @marked(
// CHECK-LABEL: func.func @of_user(
// CHECK:         call @marked(
func.func private @marked(%a: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %0 = linalg.matmul {tonno.lowering_config = {subgroup = [#tonno.knob<"M" from [2, 4]>, 8, 1]}} ins(%a, %a : tensor<64x64xf32>, tensor<64x64xf32>) outs(%a : tensor<64x64xf32>) -> tensor<64x64xf32>
  return %0 : tensor<64x64xf32>
}
func.func @of_user(%a: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %0 = call @marked(%a) : (tensor<64x64xf32>) -> tensor<64x64xf32>
  return %0 : tensor<64x64xf32>
}

// -----

// What can't be a part of its caller stays a call, which the lowering refuses.
// CHECK-LABEL: func.func @recursive(
// CHECK:         call @recursive(
func.func @recursive(%a: tensor<64xf32>) -> tensor<64xf32> {
  %0 = call @recursive(%a) : (tensor<64xf32>) -> tensor<64xf32>
  return %0 : tensor<64xf32>
}

// -----

// Elementwise ops and TOSA get knobs as linalg ops; TOSA that has none by
// default stays as it is.
// CHECK-LABEL: func.func @elementwise(
// CHECK:         linalg.generic {{.*}}workgroup = [#MR, #NR]
// CHECK-LABEL: func.func @tosa(
// CHECK:         linalg.generic {{.*}}workgroup = [#MR, #NR]
// CHECK-LABEL: func.func @tiny(
// CHECK:         tosa.exp
func.func @elementwise(%a: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %0 = arith.addf %a, %a : tensor<64x64xf32>
  return %0 : tensor<64x64xf32>
}
func.func @tosa(%a: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %0 = tosa.exp %a : (tensor<64x64xf32>) -> tensor<64x64xf32>
  return %0 : tensor<64x64xf32>
}
func.func @tiny(%a: tensor<2xf32>) -> tensor<2xf32> {
  %0 = tosa.exp %a : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
// A chain of them is one op in the end, so only its last one gets knobs.
// CHECK-LABEL: func.func @chain(
// CHECK-COUNT-1: lowering_config
// CHECK-NOT:     lowering_config
// CHECK:         return
func.func @chain(%a: tensor<64x64xf32>, %b: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %0 = arith.addf %a, %b : tensor<64x64xf32>
  %1 = math.exp %0 : tensor<64x64xf32>
  %2 = arith.mulf %1, %b : tensor<64x64xf32>
  return %2 : tensor<64x64xf32>
}

// -----

// Knobs of a reference would be its kernel's.
// CHECK-LABEL: func.func @kernel(
// CHECK:         linalg.matmul {{.*}}subgroup = [#MR
// CHECK-LABEL: func.func @reference(
// CHECK-NOT:     lowering_config
func.func @kernel(%a: tensor<64x64xf32>) -> tensor<64x64xf32> attributes {tonno.reference = @reference} {
  %0 = linalg.matmul ins(%a, %a : tensor<64x64xf32>, tensor<64x64xf32>) outs(%a : tensor<64x64xf32>) -> tensor<64x64xf32>
  return %0 : tensor<64x64xf32>
}
func.func @reference(%a: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %0 = linalg.exp ins(%a : tensor<64x64xf32>) outs(%a : tensor<64x64xf32>) -> tensor<64x64xf32>
  return %0 : tensor<64x64xf32>
}

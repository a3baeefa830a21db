// RUN: tonno-opt %s --tonno-convert-to-linalg | FileCheck %s
// RUN: tonno-opt %s --tonno-convert-to-linalg=lowered | FileCheck %s --check-prefix=LOWERED

// CHECK-LABEL: func.func @elementwise(
// CHECK:         linalg.generic
// CHECK:           arith.addf {{.+}} : f32
// CHECK:         linalg.generic
// CHECK:           math.exp {{.+}} : f32
func.func @elementwise(%a: tensor<300xf32>, %b: tensor<300xf32>) -> tensor<300xf32> {
  %0 = arith.addf %a, %b : tensor<300xf32>
  %1 = math.exp %0 : tensor<300xf32>
  return %1 : tensor<300xf32>
}

// CHECK-LABEL: func.func @tosa(
// CHECK-NOT:     tosa.
// CHECK:         linalg.batch_matmul
// CHECK:         linalg.generic
// CHECK:           math.exp {{.+}} : f32
// CHECK:         tensor.extract_slice
func.func @tosa(%a: tensor<1x8x8xf32>, %b: tensor<1x8x8xf32>) -> tensor<1x8x4xf32> {
  %z = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
  %0 = tosa.matmul %a, %b, %z, %z : (tensor<1x8x8xf32>, tensor<1x8x8xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x8x8xf32>
  %1 = tosa.exp %0 : (tensor<1x8x8xf32>) -> tensor<1x8x8xf32>
  %s = tosa.const_shape {values = dense<[0, 0, 4]> : tensor<3xindex>} : () -> !tosa.shape<3>
  %t = tosa.const_shape {values = dense<[1, 8, 4]> : tensor<3xindex>} : () -> !tosa.shape<3>
  %2 = tosa.slice %1, %s, %t : (tensor<1x8x8xf32>, !tosa.shape<3>, !tosa.shape<3>) -> tensor<1x8x4xf32>
  return %2 : tensor<1x8x4xf32>
}

// CHECK-LABEL: func.func @branches(
// CHECK-NOT:     tosa.
// CHECK:         scf.if
// CHECK:           linalg.generic
func.func @branches(%a: tensor<8xf32>, %p: tensor<i1>) -> tensor<8xf32> {
  %0 = tosa.cond_if %p : tensor<i1> -> tensor<8xf32> {
    tosa.yield %a : tensor<8xf32>
  } else {
    %1 = tosa.exp %a : (tensor<8xf32>) -> tensor<8xf32>
    tosa.yield %1 : tensor<8xf32>
  }
  return %0 : tensor<8xf32>
}

ml_program.global private @weights(dense<2.0> : tensor<4xf32>) : tensor<4xf32>
ml_program.global private mutable @state(dense<2.0> : tensor<4xf32>) : tensor<4xf32>

// CHECK-LABEL: func.func @globals(
// CHECK-DAG:     %[[C:.+]] = arith.constant dense<2.0{{.*}}> : tensor<4xf32>
// CHECK-DAG:     %[[D:.+]] = arith.constant dense<2.0{{.*}}> : tensor<4xf32>
// CHECK:         %[[S:.+]] = ml_program.global_load @state
// CHECK:         return %[[C]], %[[D]], %[[S]]
func.func @globals() -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %0 = ml_program.global_load_const @weights : tensor<4xf32>
  %1 = ml_program.global_load @weights : tensor<4xf32>
  %2 = ml_program.global_load @state : tensor<4xf32>
  return %0, %1, %2 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// CHECK-LABEL: func.func @packing(
// CHECK:         %[[P:.+]] = linalg.pack {{.*}} inner_tiles = [8] into %{{.+}} : tensor<20x16xf32> -> tensor<3x16x8xf32>
// CHECK:         linalg.unpack %[[P]] inner_dims_pos = [0] inner_tiles = [8] into %{{.+}} : tensor<3x16x8xf32> -> tensor<20x16xf32>
func.func @packing(%a: tensor<20x16xf32>, %b: tensor<20x16xf32>) -> tensor<20x16xf32> {
  %n = arith.constant 8 : index
  %o = arith.constant 3 : index
  %z = arith.constant 0.0 : f32
  %e = tensor.empty(%o, %n) : tensor<?x16x?xf32>
  %0 = linalg.pack %a padding_value(%z : f32) inner_dims_pos = [0] inner_tiles = [%n] into %e : tensor<20x16xf32> -> tensor<?x16x?xf32>
  %1 = linalg.unpack %0 inner_dims_pos = [0] inner_tiles = [%n] into %b : tensor<?x16x?xf32> -> tensor<20x16xf32>
  return %1 : tensor<20x16xf32>
}

// A pipeline may know more of TOSA; what it leaves is converted behind it.
// CHECK-LABEL:   func.func @own_lowering(
// CHECK:           tosa.exp
// CHECK:           arith.addf {{.+}} : f32
// LOWERED-LABEL: func.func @own_lowering(
// LOWERED-NOT:     tosa.exp
func.func @own_lowering(%a: tensor<8xf32>) -> tensor<8xf32>
    attributes {tonno.pipeline = {passes = "builtin.module(cse)"}} {
  %0 = tosa.exp %a : (tensor<8xf32>) -> tensor<8xf32>
  %1 = arith.addf %0, %a : tensor<8xf32>
  return %1 : tensor<8xf32>
}

// RUN: tonno-opt %s --tonno-expand-scaling | FileCheck %s

// CHECK-LABEL: func.func @extend(
// CHECK-SAME: %[[X:.+]]: f4E2M1FN, %[[S:.+]]: f8E8M0FNU) -> f32
// CHECK-DAG: %[[SCALE:.+]] = arith.extf %[[S]] : f8E8M0FNU to f32
// CHECK-DAG: %[[NUMBER:.+]] = arith.extf %[[X]] : f4E2M1FN to f32
// CHECK: %[[Y:.+]] = arith.mulf %[[NUMBER]], %[[SCALE]] : f32
// CHECK: return %[[Y]]
func.func @extend(%x: f4E2M1FN, %s: f8E8M0FNU) -> f32 {
  %y = arith.scaling_extf %x, %s : f4E2M1FN, f8E8M0FNU to f32
  return %y : f32
}

// CHECK-LABEL: func.func @round(
// CHECK: %[[QUOTIENT:.+]] = arith.divf
// CHECK: arith.truncf %[[QUOTIENT]] : f32 to f4E2M1FN
func.func @round(%x: f32, %s: f8E8M0FNU) -> f4E2M1FN {
  %y = arith.scaling_truncf %x, %s : f32, f8E8M0FNU to f4E2M1FN
  return %y : f4E2M1FN
}

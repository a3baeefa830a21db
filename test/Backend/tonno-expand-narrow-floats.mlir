// RUN: tonno-opt %s --tonno-expand-narrow-floats --canonicalize --split-input-file --verify-diagnostics | FileCheck %s
// RUN: tonno-opt %s --tonno-expand-narrow-floats --split-input-file --verify-diagnostics | FileCheck %s --check-prefix=PLAIN

// Numbers: test/unit/Backend/NarrowFloatsTest.cpp has all of them.

// CHECK-LABEL: func.func @scale(
// CHECK-SAME: %[[X:.+]]: f8E8M0FNU) -> f32
// CHECK-DAG: %[[NAN:.+]] = arith.constant 2143289344 : i32
// CHECK-DAG: %[[LEAST:.+]] = arith.constant 4194304 : i32
// CHECK: %[[BITS:.+]] = arith.bitcast %[[X]] : f8E8M0FNU to i8
// CHECK: %[[WIDE:.+]] = arith.extui %[[BITS]] : i8 to i32
// CHECK: %[[ISLEAST:.+]] = arith.cmpi eq, %[[WIDE]], %{{.+}} : i32
// CHECK: %[[NORMAL:.+]] = arith.shli %[[WIDE]], %{{.+}} : i32
// CHECK: %[[NUMBER:.+]] = arith.select %[[ISLEAST]], %[[LEAST]], %[[NORMAL]] : i32
// CHECK: %[[RESULT:.+]] = arith.select %{{.+}}, %[[NAN]], %[[NUMBER]] : i32
// CHECK: %[[Y:.+]] = arith.bitcast %[[RESULT]] : i32 to f32
// CHECK: return %[[Y]]
func.func @scale(%x: f8E8M0FNU) -> f32 {
  %y = arith.extf %x : f8E8M0FNU to f32
  return %y : f32
}

// -----

// CHECK-LABEL: func.func @round(
// CHECK-NOT: arith.truncf
// CHECK: %[[BITS:.+]] = arith.trunci %{{.+}} : vector<4xi32> to vector<4xi8>
// CHECK: arith.bitcast %[[BITS]] : vector<4xi8> to vector<4xf8E4M3FN>
func.func @round(%x: vector<4xf32>) -> vector<4xf8E4M3FN> {
  %y = arith.truncf %x : vector<4xf32> to vector<4xf8E4M3FN>
  return %y : vector<4xf8E4M3FN>
}

// -----

// Doubles are rounded once, f16 is extended first.
// CHECK-LABEL: func.func @from_others(
// CHECK: arith.bitcast %{{.+}} : f64 to i64
// CHECK: arith.trunci %{{.+}} : i64 to i6
// CHECK: arith.extf %{{.+}} : f16 to f32
// CHECK: arith.trunci %{{.+}} : i32 to i4
func.func @from_others(%x: f64, %y: f16) -> (f6E3M2FN, f4E2M1FN) {
  %z = arith.truncf %x : f64 to f6E3M2FN
  %w = arith.truncf %y : f16 to f4E2M1FN
  return %z, %w : f6E3M2FN, f4E2M1FN
}

// -----

// CHECK-LABEL: func.func @arithmetic(
// CHECK: arith.addf %{{.+}}, %{{.+}} : f32
// CHECK: arith.trunci %{{.+}} : i32 to i8
// CHECK: arith.cmpf olt, %{{.+}}, %{{.+}} : f32
func.func @arithmetic(%x: f8E5M2, %y: f8E5M2) -> (f8E5M2, i1) {
  %z = arith.addf %x, %y : f8E5M2
  %less = arith.cmpf olt, %z, %y : f8E5M2
  return %z, %less : f8E5M2, i1
}

// -----

// PLAIN-LABEL: func.func @constant(
// PLAIN: %[[BITS:.+]] = arith.constant dense<[60, -64]> : vector<2xi8>
// PLAIN: arith.bitcast %[[BITS]] : vector<2xi8> to vector<2xf8E5M2>
func.func @constant() -> vector<2xf8E5M2> {
  %c = arith.constant dense<[1.0, -2.0]> : vector<2xf8E5M2>
  return %c : vector<2xf8E5M2>
}

// -----

// CHECK-LABEL: func.func @others(
// CHECK-NEXT: arith.extf %{{.+}} : f16 to f32
func.func @others(%x: f16) -> f32 {
  %y = arith.extf %x : f16 to f32
  return %y : f32
}

// -----

func.func @upward(%x: f32) -> f8E5M2 {
  // expected-error @below {{rounds to 'f8E5M2' by upward; floats of up to 8 bits support only to_nearest_even}}
  %y = arith.truncf %x upward : f32 to f8E5M2
  return %y : f8E5M2
}

// -----

// Types that no buffer has.
// CHECK-LABEL: func.func @inside(
// CHECK: arith.addf %{{.+}}, %{{.+}} : f32
// CHECK-NOT: arith.truncf
// CHECK: return
func.func @inside(%x: f8E3M4, %y: f8E4M3B11FNUZ, %z: f8E4M3) -> (f8E3M4, f8E4M3) {
  %w = arith.extf %y : f8E4M3B11FNUZ to f32
  %v = arith.truncf %w : f32 to f8E3M4
  %u = arith.addf %x, %v : f8E3M4
  %t = arith.mulf %z, %z : f8E4M3
  return %u, %t : f8E3M4, f8E4M3
}

// RUN: tonno-opt %s --tonno-approximate-math | FileCheck %s

// CHECK-LABEL: func.func @kernel(
// CHECK-NOT:     math.exp
// CHECK-NOT:     math.tanh
// CHECK:         math.sin
// CHECK:         math.exp {{.*}} : f64
func.func @kernel(%x: vector<16xf32>, %y: f32, %z: f64) -> (vector<16xf32>, f32, f32, f64) {
  %a = math.exp %x : vector<16xf32>
  %b = math.tanh %y : f32
  %c = math.sin %y : f32
  %d = math.exp %z : f64
  return %a, %b, %c, %d : vector<16xf32>, f32, f32, f64
}

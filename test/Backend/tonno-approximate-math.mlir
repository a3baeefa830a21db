// RUN: tonno-opt %s --tonno-approximate-math | FileCheck %s

// CHECK-LABEL: func.func @kernel(
// CHECK-NOT:     math.exp
// CHECK-NOT:     math.tanh
// CHECK-NOT:     math.erfc
// CHECK:         math.sin
// CHECK:         math.exp {{.*}} : f16
// CHECK:         math.log {{.*}} : f64
func.func @kernel(%x: vector<16xf32>, %y: f32, %z: f64, %h: f16)
    -> (vector<16xf32>, f32, f32, f64, f64, f16, f64, f32) {
  %a = math.exp %x : vector<16xf32>
  %b = math.tanh %y : f32
  %d = math.exp %z : f64
  %e = math.exp2 %z : f64
  %c = math.sin %y : f32
  %f = math.exp %h : f16
  %g = math.log %z : f64
  %i = math.erfc %y : f32
  return %a, %b, %c, %d, %e, %f, %g, %i : vector<16xf32>, f32, f32, f64, f64, f16, f64, f32
}

// In 14 operations where products and sums are one: two bounds, a sum that is
// rounded to a whole number, what is left, six steps of a polynomial, and a
// power of two made of the whole number's bits.
// CHECK-LABEL: func.func @exponential(
// CHECK-SAME: %[[IN:.+]]: vector<16xf32>
// CHECK-NOT:  math
// CHECK:      %[[LOW:.+]] = arith.cmpf olt, %[[IN]],
// CHECK:      %[[X:.+]] = arith.select %[[LOW]], %{{.+}}, %[[IN]]
// CHECK:      %[[P:.+]] = arith.mulf %[[X]], %{{.+}} fastmath<contract>
// CHECK:      %[[S:.+]] = arith.addf %[[P]], %{{.+}} fastmath<contract>
// CHECK:      %[[HIGH:.+]] = arith.cmpf ogt, %[[S]],
// CHECK:      %[[WHOLE:.+]] = arith.select %[[HIGH]], %{{.+}}, %[[S]]
// CHECK:      arith.subf %[[WHOLE]],
// CHECK-COUNT-8: arith.addf {{.*}} fastmath<contract>
// CHECK-NOT:  arith.addf
// CHECK:      %[[BITS:.+]] = arith.bitcast %[[WHOLE]] : vector<16xf32> to vector<16xi32>
// CHECK:      %[[SHIFTED:.+]] = arith.shli %[[BITS]],
// CHECK:      %[[SCALE:.+]] = arith.bitcast %[[SHIFTED]] : vector<16xi32> to vector<16xf32>
// CHECK:      arith.mulf %{{.+}}, %[[SCALE]] : vector<16xf32>
func.func @exponential(%x: vector<16xf32>) -> vector<16xf32> {
  %r = math.exp %x : vector<16xf32>
  return %r : vector<16xf32>
}

// With `contract` a sum that uses the result may be fused with the last product.
// CHECK-LABEL: func.func @contracted(
// CHECK:      %[[BITS:.+]] = arith.shli
// CHECK:      %[[SCALE:.+]] = arith.bitcast %[[BITS]]
// CHECK:      arith.mulf %{{.+}}, %[[SCALE]] fastmath<contract>
func.func @contracted(%x: vector<16xf32>) -> vector<16xf32> {
  %r = math.exp %x fastmath<contract> : vector<16xf32>
  return %r : vector<16xf32>
}

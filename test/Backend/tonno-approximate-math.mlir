// RUN: tonno-opt %s --tonno-approximate-math | FileCheck %s
// RUN: tonno-opt %s --tonno-approximate-math=native | FileCheck %s --check-prefix=NATIVE

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

// A quotient of polynomials in x^2, for |x| <= 3.84.
// CHECK-LABEL: func.func @erf(
// CHECK-NOT:   math.erf
// CHECK:       arith.cmpf olt
// CHECK-COUNT-10: arith.addf {{.*}} fastmath<contract> : vector<16xf32>
// CHECK-NOT:   arith.addf
// CHECK:       arith.divf %{{.+}}, %{{.+}} : vector<16xf32>
// NATIVE-LABEL: func.func @erf(
// NATIVE:      arith.maximumf
// NATIVE:      arith.minimumf
// NATIVE:      arith.divf %{{.+}}, %{{.+}} fastmath<afn> : vector<16xf32>
func.func @erf(%x: vector<16xf32>) -> vector<16xf32> {
  %r = math.erf %x : vector<16xf32>
  return %r : vector<16xf32>
}

// What is only rounded to 16 bits needs no polynomial where the chip has exp2.
// CHECK-LABEL: func.func @rounded(
// CHECK-NOT:   math.exp
// NATIVE-LABEL: func.func @rounded(
// NATIVE-SAME: %[[X:[^:]+]]: f32
// NATIVE-DAG:  %[[LOG:.+]] = arith.constant 1.442695
// NATIVE:      %[[Y:.+]] = arith.mulf %[[X]], %[[LOG]] : f32
// NATIVE:      math.exp2 %[[Y]] fastmath<afn> : f32
// NATIVE:      math.exp2 %[[X]] fastmath<afn> : f32
// NATIVE-NOT:  math.exp
// NATIVE:      return
func.func @rounded(%x: f32, %y: f32) -> (bf16, f16, f32, f16) {
  %a = math.exp %x : f32
  %b = arith.truncf %a : f32 to bf16
  %c = math.exp2 %x : f32
  %d = arith.truncf %c : f32 to f16
  %e = math.exp %y : f32
  %f = arith.truncf %e : f32 to f16
  return %b, %d, %e, %f : bf16, f16, f32, f16
}

// RUN: tonno-opt %s --split-input-file --verify-diagnostics --tonno-inline-calls=kernel=kernel | FileCheck %s

// What a kernel calls becomes part of it; what is then unused goes, its
// reference too.
// CHECK-NOT: @inner
// CHECK-NOT: @outer
// CHECK-NOT: @other
// CHECK-LABEL: func.func @kernel(
// CHECK-NOT:     tonno.reference
// CHECK:         arith.addf
// CHECK:         arith.addf
// CHECK-NOT:     call
func.func private @inner(%x: f32) -> f32 {
  %r = arith.addf %x, %x : f32
  return %r : f32
}
func.func private @outer(%x: f32) -> f32 {
  %y = call @inner(%x) : (f32) -> f32
  %r = call @inner(%y) : (f32) -> f32
  return %r : f32
}
func.func @kernel(%x: f32) -> f32 attributes {tonno.reference = @other} {
  %r = call @outer(%x) : (f32) -> f32
  return %r : f32
}
func.func @other(%x: f32) -> f32 {
  return %x : f32
}

// -----

func.func private @outside(f32) -> f32
func.func @kernel(%x: f32) -> f32 {
  // expected-error @+1 {{'outside' has no body in the input; a kernel can call only functions with a body}}
  %r = call @outside(%x) : (f32) -> f32
  return %r : f32
}

// -----

func.func private @even(%x: i1) -> i1 {
  %r = call @odd(%x) : (i1) -> i1
  return %r : i1
}
func.func private @odd(%x: i1) -> i1 {
  // expected-error @+1 {{'even' is recursive, which a kernel cannot be; use a loop}}
  %r = call @even(%x) : (i1) -> i1
  return %r : i1
}
func.func @kernel(%x: i1) -> i1 {
  %r = call @even(%x) : (i1) -> i1
  return %r : i1
}

// -----

func.func private @blocks(%c: i1) {
  cf.cond_br %c, ^a, ^a
^a:
  return
}
func.func @kernel(%c: i1) {
  scf.if %c {
    // expected-error @+1 {{'blocks' has more than one block, and 'scf.if' can have only one}}
    func.call @blocks(%c) : (i1) -> ()
  }
  return
}

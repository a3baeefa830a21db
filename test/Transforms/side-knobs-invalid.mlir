// RUN: tonno-opt %s --tonno-apply -verify-diagnostics -split-input-file

func.func @f(%m: memref<4xf32>) {
  // expected-error @+1 {{has 16 for knob "A", which is not an option; its options are: 32, 64}}
  %0 = memref.alloc() {alignment = 16 : i64, tonno.knobs = {alignment = #tonno.knob<"A" from [32, 64]>}} : memref<4xf32>
  return
}

// -----

func.func @f(%m: memref<4xf32>) {
  // expected-error @+1 {{has 64 for knob "A", whose value is 32; make them equal}}
  %0 = memref.alloc() {alignment = 64 : i64, tonno.knobs = {alignment = #tonno.knob<"A" from [32, 64] default 32>}} : memref<4xf32>
  return
}

// -----

// What the op itself refuses.
func.func @f(%m: memref<4xf32>) {
  // expected-error @+1 {{'alignment' cannot be -1: }}
  %0 = memref.alloc() {tonno.knobs = {alignment = #tonno.knob<"A" from [-1, 64]>}} : memref<4xf32>
  return
}

// -----

func.func @f(%m: memref<4xf32>) {
  // expected-error @+1 {{'alignment' cannot be "wide": }}
  %0 = memref.alloc() {tonno.knobs = {alignment = #tonno.knob<"A" from ["wide"]>}} : memref<4xf32>
  return
}

// -----

module attributes {transform.with_named_sequence} {
  transform.named_sequence @main(%root: !transform.any_op {transform.consumed}) {
    // expected-error @+1 {{'tonno.knobs' has an array of 2 for 'iterator_interchange', which is [1, 0, 2]}}
    %i = transform.structured.interchange %root iterator_interchange = [1, 0, 2]
        {tonno.knobs = {iterator_interchange = [#tonno.knob<"a" from [1]>, 2]}}
        : (!transform.any_op) -> !transform.any_op
    transform.yield
  }
}

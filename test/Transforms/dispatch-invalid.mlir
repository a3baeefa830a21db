// RUN: not tonno-opt %s --split-input-file --tonno-strip 2>&1 | FileCheck %s

// CHECK: error: 'func.func' op 'tonno.variants' must be an array of symbols of functions
func.func @none(%x: f32) attributes {tonno.variants = []} {
  return
}

// -----

// CHECK: error: variant @nothing does not name a function of the kernel's type
func.func @unknown(%x: f32) attributes {tonno.variants = [@nothing]} {
  return
}

// RUN: tonno-opt %s --tonno-guard-names | FileCheck %s
// RUN: tonno-opt %s --tonno-lower-host | FileCheck %s --check-prefix=LOWERED

// A kernel that is called as what it calls.
// CHECK: func.func @erf.kernel(
// LOWERED: llvm.func internal @erf.kernel(
// LOWERED: llvm.call @erf(%{{.+}}) : (f64) -> f64
// LOWERED: llvm.func @erf_entry(
func.func @erf(%x: memref<f64>) {
  %a = memref.load %x[] : memref<f64>
  %b = math.erf %a : f64
  memref.store %b, %x[] : memref<f64>
  return
}
// CHECK: func.func private @elsewhere()
func.func private @elsewhere()

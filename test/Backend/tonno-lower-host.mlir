// RUN: tonno-opt %s --tonno-lower-host | FileCheck %s
// RUN: tonno-opt %s --tonno-lower-host=kernel=matmul | FileCheck %s
// RUN: tonno-opt %s --tonno-lower-reference | FileCheck %s --check-prefix=REFERENCE

// The kernel computes in the result's buffer, in registers across the whole of
// the reduction, and allocates nothing.
// CHECK-NOT: llvm.call @malloc
// CHECK-LABEL: llvm.func internal @matmul.kernel(
// CHECK-COUNT-4: llvm.intr.fmuladd{{.*}} vector<16xf32>
// CHECK-NOT: llvm.intr.fmuladd
// CHECK: llvm.func @matmul_entry(%{{.+}}: !llvm.ptr) attributes

// A launch of several workgroups is told which one it is.
// REFERENCE-LABEL: llvm.func internal @matmul_0.kernel(
// REFERENCE: llvm.func @matmul_0_entry(%{{.+}}: !llvm.ptr) attributes
// REFERENCE-LABEL: llvm.func internal @matmul_1.kernel(
// REFERENCE-NOT: vector
// REFERENCE: llvm.fmul
// REFERENCE: llvm.fadd
// REFERENCE: llvm.func @matmul_1_entry(%{{.+}}: !llvm.ptr, %{{.+}}: i64) attributes
func.func @matmul(%a: tensor<64x64xf32>, %b: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<64x64xf32>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<64x64xf32>) -> tensor<64x64xf32>
  %c = linalg.matmul {tonno.lowering_config = {workgroup = [32, 32, 0], subgroup = [4, 16, 0]}}
    ins(%a, %b : tensor<64x64xf32>, tensor<64x64xf32>) outs(%i : tensor<64x64xf32>) -> tensor<64x64xf32>
  return %c : tensor<64x64xf32>
}

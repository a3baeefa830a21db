// The default of each op is legal and compiles, whatever the extents and the
// chip: it is an error of --tonno-extract if a stated default breaks a
// constraint.

// RUN: tonno-opt %s --tonno-annotate --tonno-extract -o /dev/null | FileCheck %s
// RUN: tonno-opt %s --tonno-annotate=chip=x86_64-linux-gnu:znver4 --tonno-extract -o /dev/null | FileCheck %s
// RUN: tonno-opt %s --tonno-annotate=chip=x86_64-linux-gnu:haswell --tonno-extract -o /dev/null | FileCheck %s
// RUN: tonno-opt %s --tonno-annotate=chip=x86_64-linux-gnu:x86-64 --tonno-extract -o /dev/null | FileCheck %s
// RUN: tonno-opt %s --tonno-annotate="target=nvptx chip=sm_90" --tonno-extract -o /dev/null | FileCheck %s
// RUN: tonno-opt %s --tonno-annotate="target=amdgpu chip=gfx942" --tonno-extract -o /dev/null | FileCheck %s
// RUN: tonno-opt %s --tonno-annotate="target=amdgpu chip=gfx950" --tonno-extract -o /dev/null | FileCheck %s
// RUN: tonno-opt %s --tonno-annotate="target=amdgpu chip=gfx1100" --tonno-extract -o /dev/null | FileCheck %s
// RUN: tonno-opt %s --tonno-annotate=chip=x86_64-linux-gnu:haswell --tonno-apply --tonno-lower-host -o /dev/null

// CHECK-COUNT-37: "kernel":
// CHECK-NOT: "kernel":

func.func @matmul_1x3x7_f32(%a: tensor<1x7xf32>, %b: tensor<7x3xf32>, %c: tensor<1x3xf32>) -> tensor<1x3xf32> {
  %r = linalg.matmul ins(%a, %b : tensor<1x7xf32>, tensor<7x3xf32>) outs(%c : tensor<1x3xf32>) -> tensor<1x3xf32>
  return %r : tensor<1x3xf32>
}
func.func @matmul_3x17x1000_f32(%a: tensor<3x1000xf32>, %b: tensor<1000x17xf32>, %c: tensor<3x17xf32>) -> tensor<3x17xf32> {
  %r = linalg.matmul ins(%a, %b : tensor<3x1000xf32>, tensor<1000x17xf32>) outs(%c : tensor<3x17xf32>) -> tensor<3x17xf32>
  return %r : tensor<3x17xf32>
}
func.func @matmul_1000x3x17_f32(%a: tensor<1000x17xf32>, %b: tensor<17x3xf32>, %c: tensor<1000x3xf32>) -> tensor<1000x3xf32> {
  %r = linalg.matmul ins(%a, %b : tensor<1000x17xf32>, tensor<17x3xf32>) outs(%c : tensor<1000x3xf32>) -> tensor<1000x3xf32>
  return %r : tensor<1000x3xf32>
}
func.func @matmul_17x7x3_f32(%a: tensor<17x3xf32>, %b: tensor<3x7xf32>, %c: tensor<17x7xf32>) -> tensor<17x7xf32> {
  %r = linalg.matmul ins(%a, %b : tensor<17x3xf32>, tensor<3x7xf32>) outs(%c : tensor<17x7xf32>) -> tensor<17x7xf32>
  return %r : tensor<17x7xf32>
}
func.func @matmul_7x1000x1_f32(%a: tensor<7x1xf32>, %b: tensor<1x1000xf32>, %c: tensor<7x1000xf32>) -> tensor<7x1000xf32> {
  %r = linalg.matmul ins(%a, %b : tensor<7x1xf32>, tensor<1x1000xf32>) outs(%c : tensor<7x1000xf32>) -> tensor<7x1000xf32>
  return %r : tensor<7x1000xf32>
}
func.func @matmul_1000x1000x1000_f32(%a: tensor<1000x1000xf32>, %b: tensor<1000x1000xf32>, %c: tensor<1000x1000xf32>) -> tensor<1000x1000xf32> {
  %r = linalg.matmul ins(%a, %b : tensor<1000x1000xf32>, tensor<1000x1000xf32>) outs(%c : tensor<1000x1000xf32>) -> tensor<1000x1000xf32>
  return %r : tensor<1000x1000xf32>
}
func.func @matmul_17x1000x1000_f64(%a: tensor<17x1000xf64>, %b: tensor<1000x1000xf64>, %c: tensor<17x1000xf64>) -> tensor<17x1000xf64> {
  %r = linalg.matmul ins(%a, %b : tensor<17x1000xf64>, tensor<1000x1000xf64>) outs(%c : tensor<17x1000xf64>) -> tensor<17x1000xf64>
  return %r : tensor<17x1000xf64>
}
func.func @matmul_1000x17x7_i8(%a: tensor<1000x7xi8>, %b: tensor<7x17xi8>, %c: tensor<1000x17xi8>) -> tensor<1000x17xi8> {
  %r = linalg.matmul ins(%a, %b : tensor<1000x7xi8>, tensor<7x17xi8>) outs(%c : tensor<1000x17xi8>) -> tensor<1000x17xi8>
  return %r : tensor<1000x17xi8>
}
func.func @matmul_3x3x3_f16(%a: tensor<3x3xf16>, %b: tensor<3x3xf16>, %c: tensor<3x3xf16>) -> tensor<3x3xf16> {
  %r = linalg.matmul ins(%a, %b : tensor<3x3xf16>, tensor<3x3xf16>) outs(%c : tensor<3x3xf16>) -> tensor<3x3xf16>
  return %r : tensor<3x3xf16>
}
func.func @row_sum_1x17_f32(%x: tensor<1x17xf32>, %c: tensor<1xf32>) -> tensor<1xf32> {
  %r = linalg.reduce { arith.addf } ins(%x : tensor<1x17xf32>) outs(%c : tensor<1xf32>) dimensions = [1]
  return %r : tensor<1xf32>
}
func.func @column_sum_17x1_f32(%x: tensor<17x1xf32>, %c: tensor<1xf32>) -> tensor<1xf32> {
  %r = linalg.reduce { arith.addf } ins(%x : tensor<17x1xf32>) outs(%c : tensor<1xf32>) dimensions = [0]
  return %r : tensor<1xf32>
}
func.func @transpose_1x17_f32(%x: tensor<1x17xf32>, %c: tensor<17x1xf32>) -> tensor<17x1xf32> {
  %r = linalg.transpose ins(%x : tensor<1x17xf32>) outs(%c : tensor<17x1xf32>) permutation = [1, 0]
  return %r : tensor<17x1xf32>
}
func.func @add_1x17_f32(%x: tensor<1x17xf32>, %c: tensor<1x17xf32>) -> tensor<1x17xf32> {
  %r = linalg.add ins(%x, %x : tensor<1x17xf32>, tensor<1x17xf32>) outs(%c : tensor<1x17xf32>) -> tensor<1x17xf32>
  return %r : tensor<1x17xf32>
}
func.func @row_sum_3x1000_f32(%x: tensor<3x1000xf32>, %c: tensor<3xf32>) -> tensor<3xf32> {
  %r = linalg.reduce { arith.addf } ins(%x : tensor<3x1000xf32>) outs(%c : tensor<3xf32>) dimensions = [1]
  return %r : tensor<3xf32>
}
func.func @column_sum_1000x3_f32(%x: tensor<1000x3xf32>, %c: tensor<3xf32>) -> tensor<3xf32> {
  %r = linalg.reduce { arith.addf } ins(%x : tensor<1000x3xf32>) outs(%c : tensor<3xf32>) dimensions = [0]
  return %r : tensor<3xf32>
}
func.func @transpose_3x1000_f32(%x: tensor<3x1000xf32>, %c: tensor<1000x3xf32>) -> tensor<1000x3xf32> {
  %r = linalg.transpose ins(%x : tensor<3x1000xf32>) outs(%c : tensor<1000x3xf32>) permutation = [1, 0]
  return %r : tensor<1000x3xf32>
}
func.func @add_3x1000_f32(%x: tensor<3x1000xf32>, %c: tensor<3x1000xf32>) -> tensor<3x1000xf32> {
  %r = linalg.add ins(%x, %x : tensor<3x1000xf32>, tensor<3x1000xf32>) outs(%c : tensor<3x1000xf32>) -> tensor<3x1000xf32>
  return %r : tensor<3x1000xf32>
}
func.func @row_sum_1000x3_f32(%x: tensor<1000x3xf32>, %c: tensor<1000xf32>) -> tensor<1000xf32> {
  %r = linalg.reduce { arith.addf } ins(%x : tensor<1000x3xf32>) outs(%c : tensor<1000xf32>) dimensions = [1]
  return %r : tensor<1000xf32>
}
func.func @column_sum_3x1000_f32(%x: tensor<3x1000xf32>, %c: tensor<1000xf32>) -> tensor<1000xf32> {
  %r = linalg.reduce { arith.addf } ins(%x : tensor<3x1000xf32>) outs(%c : tensor<1000xf32>) dimensions = [0]
  return %r : tensor<1000xf32>
}
func.func @transpose_1000x3_f32(%x: tensor<1000x3xf32>, %c: tensor<3x1000xf32>) -> tensor<3x1000xf32> {
  %r = linalg.transpose ins(%x : tensor<1000x3xf32>) outs(%c : tensor<3x1000xf32>) permutation = [1, 0]
  return %r : tensor<3x1000xf32>
}
func.func @add_1000x3_f32(%x: tensor<1000x3xf32>, %c: tensor<1000x3xf32>) -> tensor<1000x3xf32> {
  %r = linalg.add ins(%x, %x : tensor<1000x3xf32>, tensor<1000x3xf32>) outs(%c : tensor<1000x3xf32>) -> tensor<1000x3xf32>
  return %r : tensor<1000x3xf32>
}
func.func @row_sum_7x17_f64(%x: tensor<7x17xf64>, %c: tensor<7xf64>) -> tensor<7xf64> {
  %r = linalg.reduce { arith.addf } ins(%x : tensor<7x17xf64>) outs(%c : tensor<7xf64>) dimensions = [1]
  return %r : tensor<7xf64>
}
func.func @column_sum_17x7_f64(%x: tensor<17x7xf64>, %c: tensor<7xf64>) -> tensor<7xf64> {
  %r = linalg.reduce { arith.addf } ins(%x : tensor<17x7xf64>) outs(%c : tensor<7xf64>) dimensions = [0]
  return %r : tensor<7xf64>
}
func.func @transpose_7x17_f64(%x: tensor<7x17xf64>, %c: tensor<17x7xf64>) -> tensor<17x7xf64> {
  %r = linalg.transpose ins(%x : tensor<7x17xf64>) outs(%c : tensor<17x7xf64>) permutation = [1, 0]
  return %r : tensor<17x7xf64>
}
func.func @add_7x17_f64(%x: tensor<7x17xf64>, %c: tensor<7x17xf64>) -> tensor<7x17xf64> {
  %r = linalg.add ins(%x, %x : tensor<7x17xf64>, tensor<7x17xf64>) outs(%c : tensor<7x17xf64>) -> tensor<7x17xf64>
  return %r : tensor<7x17xf64>
}
func.func @row_sum_1000x1000_f32(%x: tensor<1000x1000xf32>, %c: tensor<1000xf32>) -> tensor<1000xf32> {
  %r = linalg.reduce { arith.addf } ins(%x : tensor<1000x1000xf32>) outs(%c : tensor<1000xf32>) dimensions = [1]
  return %r : tensor<1000xf32>
}
func.func @column_sum_1000x1000_f32(%x: tensor<1000x1000xf32>, %c: tensor<1000xf32>) -> tensor<1000xf32> {
  %r = linalg.reduce { arith.addf } ins(%x : tensor<1000x1000xf32>) outs(%c : tensor<1000xf32>) dimensions = [0]
  return %r : tensor<1000xf32>
}
func.func @transpose_1000x1000_f32(%x: tensor<1000x1000xf32>, %c: tensor<1000x1000xf32>) -> tensor<1000x1000xf32> {
  %r = linalg.transpose ins(%x : tensor<1000x1000xf32>) outs(%c : tensor<1000x1000xf32>) permutation = [1, 0]
  return %r : tensor<1000x1000xf32>
}
func.func @add_1000x1000_f32(%x: tensor<1000x1000xf32>, %c: tensor<1000x1000xf32>) -> tensor<1000x1000xf32> {
  %r = linalg.add ins(%x, %x : tensor<1000x1000xf32>, tensor<1000x1000xf32>) outs(%c : tensor<1000x1000xf32>) -> tensor<1000x1000xf32>
  return %r : tensor<1000x1000xf32>
}
func.func @row_sum_17x1000_i8(%x: tensor<17x1000xi8>, %c: tensor<17xi8>) -> tensor<17xi8> {
  %r = linalg.reduce { arith.addi } ins(%x : tensor<17x1000xi8>) outs(%c : tensor<17xi8>) dimensions = [1]
  return %r : tensor<17xi8>
}
func.func @column_sum_1000x17_i8(%x: tensor<1000x17xi8>, %c: tensor<17xi8>) -> tensor<17xi8> {
  %r = linalg.reduce { arith.addi } ins(%x : tensor<1000x17xi8>) outs(%c : tensor<17xi8>) dimensions = [0]
  return %r : tensor<17xi8>
}
func.func @transpose_17x1000_i8(%x: tensor<17x1000xi8>, %c: tensor<1000x17xi8>) -> tensor<1000x17xi8> {
  %r = linalg.transpose ins(%x : tensor<17x1000xi8>) outs(%c : tensor<1000x17xi8>) permutation = [1, 0]
  return %r : tensor<1000x17xi8>
}
func.func @add_17x1000_i8(%x: tensor<17x1000xi8>, %c: tensor<17x1000xi8>) -> tensor<17x1000xi8> {
  %r = linalg.add ins(%x, %x : tensor<17x1000xi8>, tensor<17x1000xi8>) outs(%c : tensor<17x1000xi8>) -> tensor<17x1000xi8>
  return %r : tensor<17x1000xi8>
}
func.func @row_sum_1x1000_f16(%x: tensor<1x1000xf16>, %c: tensor<1xf16>) -> tensor<1xf16> {
  %r = linalg.reduce { arith.addf } ins(%x : tensor<1x1000xf16>) outs(%c : tensor<1xf16>) dimensions = [1]
  return %r : tensor<1xf16>
}
func.func @column_sum_1000x1_f16(%x: tensor<1000x1xf16>, %c: tensor<1xf16>) -> tensor<1xf16> {
  %r = linalg.reduce { arith.addf } ins(%x : tensor<1000x1xf16>) outs(%c : tensor<1xf16>) dimensions = [0]
  return %r : tensor<1xf16>
}
func.func @transpose_1x1000_f16(%x: tensor<1x1000xf16>, %c: tensor<1000x1xf16>) -> tensor<1000x1xf16> {
  %r = linalg.transpose ins(%x : tensor<1x1000xf16>) outs(%c : tensor<1000x1xf16>) permutation = [1, 0]
  return %r : tensor<1000x1xf16>
}
func.func @add_1x1000_f16(%x: tensor<1x1000xf16>, %c: tensor<1x1000xf16>) -> tensor<1x1000xf16> {
  %r = linalg.add ins(%x, %x : tensor<1x1000xf16>, tensor<1x1000xf16>) outs(%c : tensor<1x1000xf16>) -> tensor<1x1000xf16>
  return %r : tensor<1x1000xf16>
}

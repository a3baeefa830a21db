// Constants of one number are in no binary, however large they are.
// RUN: tonno-compile %s --kernel=concat --emit=llvm -o - | FileCheck %s
// RUN: tonno-compile %s --kernel=accumulate --emit=llvm -o - | FileCheck %s
// RUN: tonno-compile %s --kernel=carry --emit=llvm -o - | FileCheck %s
// RUN: tonno-opt %s --tonno-lower-reference=kernel=carry | FileCheck %s

// CHECK-NOT: x float]
// CHECK-NOT: mlir.global
func.func @concat(%x: tensor<3x1024xf32>) -> tensor<1027x1024xf32> {
  %c = arith.constant dense<1.5> : tensor<1024x1024xf32>
  %r = tensor.concat dim(0) %x, %c : (tensor<3x1024xf32>, tensor<1024x1024xf32>) -> tensor<1027x1024xf32>
  return %r : tensor<1027x1024xf32>
}

func.func @accumulate(%x: tensor<61x65xf32>, %y: tensor<65x1025xf32>) -> tensor<61x1025xf32> {
  %c = arith.constant dense<1.5> : tensor<61x1025xf32>
  %r = linalg.matmul ins(%x, %y : tensor<61x65xf32>, tensor<65x1025xf32>) outs(%c : tensor<61x1025xf32>) -> tensor<61x1025xf32>
  return %r : tensor<61x1025xf32>
}

func.func @carry(%x: tensor<1024x1024xf32>) -> tensor<1024x1024xf32> {
  %c = arith.constant dense<1.5> : tensor<1024x1024xf32>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %r = scf.for %i = %c0 to %c4 step %c1 iter_args(%a = %c) -> (tensor<1024x1024xf32>) {
    %n = arith.addf %a, %x : tensor<1024x1024xf32>
    scf.yield %n : tensor<1024x1024xf32>
  }
  return %r : tensor<1024x1024xf32>
}

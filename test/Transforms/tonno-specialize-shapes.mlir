// RUN: tonno-opt %s --tonno-specialize-shapes="shapes=M=100,K=32 kernel=chain" --split-input-file | FileCheck %s --check-prefix=CHAIN
// RUN: tonno-opt %s --tonno-specialize-shapes="shapes=d0=7,d1=9,d2=5 kernel=unnamed" | FileCheck %s --check-prefix=UNNAMED
// RUN: tonno-opt %s --tonno-specialize-shapes="shapes=rows=7 kernel=alone" | FileCheck %s --check-prefix=ALONE
// RUN: tonno-opt %s --tonno-specialize-shapes="kernel=equal" | FileCheck %s --check-prefix=EQUAL
// RUN: tonno-opt %s --tonno-specialize-shapes="shapes=M=16,N=8 kernel=memory" | FileCheck %s --check-prefix=MEMORY
// RUN: tonno-opt %s --tonno-specialize-shapes="shapes=n=16 kernel=loop" | FileCheck %s --check-prefix=LOOP
// RUN: tonno-opt %s --tonno-specialize-shapes="shapes=n=12 kernel=caller" | FileCheck %s --check-prefix=CALLER
// RUN: tonno-opt %s --tonno-specialize-shapes="shapes=n=12 kernel=checked" | FileCheck %s --check-prefix=CHECKED

// A name on one axis is that of all axes that ops need to be equal.
// CHAIN-LABEL: func.func @chain(
// CHAIN-SAME: %{{.*}}: tensor<100x32xf32> {tonno.dims = ["M", "K"]}, %{{.*}}: tensor<32x64xf32>, %{{.*}}: tensor<100x64xf32>) -> tensor<100x64xf32>
// CHAIN-NOT: tensor.cast
// CHAIN-NOT: tensor.dim
// CHAIN: linalg.matmul {tonno.lowering_config = {workgroup = [#{{.*}}, 0, 0]}} ins(%{{.*}}, %{{.*}} : tensor<100x32xf32>, tensor<32x64xf32>)
// CHAIN: linalg.add ins(%{{.*}}, %{{.*}} : tensor<100x64xf32>, tensor<100x64xf32>)
// CHAIN: return %{{.*}} : tensor<100x64xf32>
// Others stay.
// CHAIN: func.func @unnamed(%{{.*}}: tensor<?x?xf32>
func.func @chain(%a: tensor<?x?xf32> {tonno.dims = ["M", "K"]},
                 %b: tensor<?x64xf32>, %bias: tensor<?x64xf32>) -> tensor<?x64xf32> {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %m = tensor.dim %a, %c0 : tensor<?x?xf32>
  %empty = tensor.empty(%m) : tensor<?x64xf32>
  %fill = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x64xf32>) -> tensor<?x64xf32>
  %c = linalg.matmul {tonno.lowering_config = {workgroup = [#tonno.knob<"BM" from [16, 32] default 32>, 0, 0]}}
      ins(%a, %b : tensor<?x?xf32>, tensor<?x64xf32>)
      outs(%fill : tensor<?x64xf32>) -> tensor<?x64xf32>
  %sum = linalg.add ins(%c, %bias : tensor<?x64xf32>, tensor<?x64xf32>)
      outs(%empty : tensor<?x64xf32>) -> tensor<?x64xf32>
  return %sum : tensor<?x64xf32>
}

// Dimensions are counted in order of appearance: here m, k, n.
// UNNAMED-LABEL: func.func @unnamed(
// UNNAMED-SAME: %{{.*}}: tensor<7x9xf32>, %{{.*}}: tensor<9x5xf32>, %{{.*}}: tensor<7x5xf32>) -> tensor<7x5xf32>
// UNNAMED: linalg.matmul ins(%{{.*}}, %{{.*}} : tensor<7x9xf32>, tensor<9x5xf32>)
func.func @unnamed(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>,
                   %c: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %0 = linalg.matmul ins(%a, %b : tensor<?x?xf32>, tensor<?x?xf32>)
      outs(%c : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

// ALONE-LABEL: func.func @alone(
// ALONE-SAME: tensor<7x4xf32>) -> tensor<7x4xf32>
func.func @alone(%x: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %0 = math.exp %x : tensor<?x4xf32>
  return %0 : tensor<?x4xf32>
}

// The other operand's axis is known.
// EQUAL-LABEL: func.func @equal(
// EQUAL-SAME: %{{.*}}: tensor<8xf32>, %{{.*}}: tensor<8xf32>) -> tensor<8xf32>
func.func @equal(%x: tensor<?xf32>, %y: tensor<8xf32>) -> tensor<?xf32> {
  %0 = linalg.add ins(%x, %y : tensor<?xf32>, tensor<8xf32>)
      outs(%x : tensor<?xf32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// Strides become those of a dense buffer.
// MEMORY-LABEL: func.func @memory(
// MEMORY-SAME: %{{.*}}: memref<16x8xf32, strided<[8, 1]>> {tonno.dims = ["M", "N"]}, %{{.*}}: memref<16x8xf32>)
// MEMORY: linalg.exp ins(%{{.*}} : memref<16x8xf32, strided<[8, 1]>>) outs(%{{.*}} : memref<16x8xf32>)
func.func @memory(%x: memref<?x?xf32, strided<[?, 1], offset: ?>> {tonno.dims = ["M", "N"]},
                  %y: memref<?x?xf32>) {
  linalg.exp ins(%x : memref<?x?xf32, strided<[?, 1], offset: ?>>) outs(%y : memref<?x?xf32>)
  return
}

// LOOP-LABEL: func.func @loop(
// LOOP-SAME: tensor<16xf32>) -> tensor<16xf32>
// LOOP: scf.for {{.*}} -> (tensor<16xf32>)
// LOOP: linalg.exp ins(%{{.*}} : tensor<16xf32>) outs(%{{.*}} : tensor<16xf32>)
func.func @loop(%x: tensor<?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %0 = scf.for %i = %c0 to %c4 step %c1 iter_args(%v = %x) -> (tensor<?xf32>) {
    %1 = linalg.exp ins(%v : tensor<?xf32>) outs(%v : tensor<?xf32>) -> tensor<?xf32>
    scf.yield %1 : tensor<?xf32>
  }
  return %0 : tensor<?xf32>
}

// CALLER: func.func private @callee(%{{.*}}: tensor<?xf32>
// CALLER: func.func @caller(%{{.*}}: tensor<12xf32>, %{{.*}}: tensor<12xf32>) -> tensor<12xf32>
// CALLER: %[[R:.*]] = call @[[COPY:callee_[0-9]+]](
// CALLER: call @[[COPY]](%[[R]], %{{.*}}) : (tensor<12xf32>, tensor<12xf32>) -> tensor<12xf32>
// CALLER: func.func private @[[COPY]](%{{.*}}: tensor<12xf32>, %{{.*}}: tensor<12xf32>) -> tensor<12xf32>
// CALLER-NOT: func.func private @callee_
func.func private @callee(%x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
  %0 = linalg.add ins(%x, %y : tensor<?xf32>, tensor<?xf32>)
      outs(%x : tensor<?xf32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}
func.func @caller(%x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
  %0 = call @callee(%x, %y) : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  %1 = call @callee(%0, %y) : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  return %1 : tensor<?xf32>
}

// Others call the function of any size.
func.func @another(%x: tensor<?xf32>) -> tensor<?xf32> {
  %0 = call @callee(%x, %x) : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// CHECKED-LABEL: func.func @checked(
// CHECKED-SAME: tensor<12xf32>) -> tensor<12xf32>
// CHECKED-LABEL: func.func private @simple(
// CHECKED-SAME: tensor<12xf32>) -> tensor<12xf32>
func.func @checked(%x: tensor<?xf32>) -> tensor<?xf32> attributes {tonno.reference = @simple} {
  %0 = math.exp %x : tensor<?xf32>
  return %0 : tensor<?xf32>
}
func.func private @simple(%x: tensor<?xf32>) -> tensor<?xf32> {
  %0 = math.exp %x : tensor<?xf32>
  return %0 : tensor<?xf32>
}

//===- Passes that lower the reference ------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Passes in the order in which `tonno-lower-reference` runs them. They share no
// code with the passes that lower candidates.
//
//===----------------------------------------------------------------------===//

#ifndef TONNO_BACKEND_REFERENCEPASSES
#define TONNO_BACKEND_REFERENCEPASSES

include "mlir/Pass/PassBase.td"

def BlockLoopsPass : Pass<"tonno-block-loops", "mlir::func::FuncOp"> {
  let summary = "Lower linalg ops to loops blocked for caches and vectors";
  let description = [{
    Runs on buffers of static shape:

    ```mlir
    linalg.matmul ins(%a, %b : memref<512x256xf64>, memref<256x1024xf64>)
                  outs(%c : memref<512x1024xf64>)
    // becomes
    scf.forall (%j, %i) = (0, 0) to (1024, 512) step (512, 16) {
      scf.for %k = %c0 to %c256 step %c128 {
        affine.for %ii = 0 to 16 step 4 {
          affine.for %kk = 0 to 128 step 4 {
            affine.for %jj = 0 to 512 {   // 4 x 4 multiply-adds
    ```

    - The innermost loop is the one that runs along rows of the most operands,
      so that LLVM can vectorize it.
    - An op of at least `least-work` iterations is also blocked. Parallel loops
      are tiled into the iterations of an `scf.forall`. Reductions are tiled
      into blocks whose operands fit a cache.
    - The two loops around the innermost one are unrolled and jammed by four, so
      that each loaded value is used four times. Remainders are peeled.
    - Loads that do not depend on the innermost loop are moved in front of it.

    The terms of a sum are added in the order of the op's loops. Only if the
    innermost loop is a reduction, that sum is marked as reassociable. Sums and
    their products may be contracted. All other ops compute as the op specifies.

    Ops on dynamic shapes, and ops that write memory that they read at other
    points, are not changed.
  }];
  let options = [Option<"leastWork", "least-work", "int64_t", "65536",
                        "Fewest iterations of an op to block">];
  let dependentDialects = [
    "mlir::affine::AffineDialect", "mlir::arith::ArithDialect",
    "mlir::linalg::LinalgDialect", "mlir::memref::MemRefDialect",
    "mlir::scf::SCFDialect"
  ];
}

def SplitLaunchesPass : Pass<"tonno-split-launches", "mlir::ModuleOp"> {
  let summary = "Split a kernel into launches for several host threads";
  let description = [{
    ```mlir
    func.func @f(%s: memref<f64>, %b: memref<100xf64>) {
      memref.store %v, %b[%c0] : memref<100xf64>
      scf.forall (%i, %j) = (1, 0) to (10, 10) step (3, 3) { ... }
    // becomes
    module attributes {tonno.launches = [
        {symbol = "f_0_entry", grid = [1, 1, 1], ...},
        {symbol = "f_1_entry", grid = [12, 1, 1], ...}
    ]}
    func.func @f_0(%s: memref<f64>, %b: memref<100xf64>)
    func.func @f_1(%s: memref<f64>, %b: memref<100xf64>, %iteration: index)
    ```

    Outlines each `scf.forall` on buffers in the kernel's body into a function,
    whose last argument is the iteration number. The ops between two such loops
    become a function without that argument. The module lists the functions in
    `tonno.launches`. The number of workgroups is the number of iterations,
    which threads can share. Other functions are erased.

    Values that several launches use are computed in each of them. If such a
    value is loaded from memory that the kernel writes, the kernel stays one
    launch.
  }];
  let options = [Option<"kernel", "kernel", "std::string", "",
                        "Kernel to split; by default the only public function">];

  let dependentDialects = [
    "mlir::arith::ArithDialect", "mlir::scf::SCFDialect"
  ];
}

#endif // TONNO_BACKEND_REFERENCEPASSES

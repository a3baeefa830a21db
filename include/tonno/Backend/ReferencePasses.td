//===- The reference's own steps ------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// In the order in which `tonno-lower-reference` runs them. They share nothing
// with the passes that lower candidates.
//
//===----------------------------------------------------------------------===//

#ifndef TONNO_BACKEND_REFERENCEPASSES
#define TONNO_BACKEND_REFERENCEPASSES

include "mlir/Pass/PassBase.td"

def BlockLoopsPass : Pass<"tonno-block-loops", "mlir::func::FuncOp"> {
  let summary = "Make loops of linalg ops that suit caches and vectors";
  let description = [{
    Runs on buffers of static shape. The innermost loop becomes the one that
    walks along rows of the most operands, for LLVM to make vectors of. An op of
    many iterations is also cut: its parallel loops into parts, which are the
    iterations of an `scf.forall`, its reductions into blocks whose operands
    fit a cache, and of the two loops around the innermost one four iterations
    at a time become one, so that what was loaded is used four times. What tiles
    don't divide is split off.

    The terms of a sum are added in the order of the op's loops, but where the
    innermost loop is a reduction: that sum is marked as one whose order is
    free. Sums and the products in them may be fused. All else, and which terms
    there are, is as the op says.

    Ops on shapes that are not static, and those that read what they write
    elsewhere, are left as they are.
  }];
  let options = [Option<"leastWork", "least-work", "int64_t", "65536",
                        "Iterations of the smallest op that is cut">];
  let dependentDialects = [
    "mlir::affine::AffineDialect", "mlir::arith::ArithDialect",
    "mlir::linalg::LinalgDialect", "mlir::memref::MemRefDialect",
    "mlir::scf::SCFDialect"
  ];
}

def SplitLaunchesPass : Pass<"tonno-split-launches", "mlir::ModuleOp"> {
  let summary = "Make launches of the parts of a kernel on the CPU";
  let description = [{
    Each `scf.forall` on buffers that stands in the kernel's body becomes a function of
    its own, whose last argument is the number of an iteration; what stands
    between two of them becomes a function without that argument. The module
    lists them as `tonno.launches`, each with as many workgroups as it has
    iterations, so that threads can share them. Other functions are erased.

    Values that launches have in common are computed in each. Where one is read
    from memory that is written, the kernel stays one launch.
  }];
  let options = [Option<"kernel", "kernel", "std::string", "",
                        "The function; by default the only public one">];
  let dependentDialects = [
    "mlir::arith::ArithDialect", "mlir::scf::SCFDialect"
  ];
}

#endif // TONNO_BACKEND_REFERENCEPASSES

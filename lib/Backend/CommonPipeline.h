//===- The parts that the pipelines of all targets share ------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_LIB_BACKEND_COMMONPIPELINE_H
#define TONNO_LIB_BACKEND_COMMONPIPELINE_H

#include "llvm/ADT/StringRef.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace mlir {
class OpPassManager;
} // namespace mlir

namespace tonno {

/// Adds canonicalisation and common subexpression elimination.
void addCleanUp(mlir::OpPassManager &pm);

/// Adds the passes that lower a kernel at any level to one function on the
/// caller's buffers, in which results are computed in place. An empty name
/// stands for every public function. `fusesRounding` is the option of
/// `tonno-widen-sums`; `chip` is that of `tonno-size-arguments`.
void addFront(mlir::OpPassManager &pm, llvm::StringRef kernel,
              bool fusesRounding = false, llvm::StringRef chip = {});

/// Adds the kernel's own schedule or pipeline, if it has one.
void addOwnLowering(mlir::OpPassManager &pm);

/// Adds the passes that convert tensors to buffers. `usesReciprocals` is the
/// option of `tonno-decompose`.
void addBufferize(mlir::OpPassManager &pm, bool usesReciprocals = false);

/// Adds the passes that move allocations out of loops, to the function's body:
/// launches are formed of the ops there.
void addBufferHoisting(mlir::OpPassManager &pm);

/// Checks that the schedule or the pipeline named by the kernel exists; fails
/// with the reason. Errors in the lowering are reported when it runs.
mlir::LogicalResult checkOwnLowering(mlir::func::FuncOp kernel);

} // namespace tonno

#endif // TONNO_LIB_BACKEND_COMMONPIPELINE_H

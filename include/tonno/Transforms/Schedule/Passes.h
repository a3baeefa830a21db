//===- The steps of our schedules -----------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_TRANSFORMS_SCHEDULE_PASSES_H
#define TONNO_TRANSFORMS_SCHEDULE_PASSES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/Pass.h"

namespace mlir::gpu {
class GPUModuleOp;
} // namespace mlir::gpu

namespace tonno {

/// Puts the body of each function that `kernel` calls, directly or not, in
/// place of the call. Fails, at the call, on recursion, on a function without a
/// body, and where a body does not fit.
mlir::LogicalResult inlineCalls(mlir::func::FuncOp kernel);

/// Erases those of the functions that nothing names, or only others of them
/// that nothing names.
void eraseUnused(llvm::SmallVector<mlir::func::FuncOp> functions);

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "tonno/Transforms/Schedule/Passes.h.inc"

} // namespace tonno

#endif // TONNO_TRANSFORMS_SCHEDULE_PASSES_H

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

/// Inlines the functions that `kernel` calls, directly or not. Fails, at the
/// call, on recursion, and on a function without a body or that does not fit.
mlir::LogicalResult inlineCalls(mlir::func::FuncOp kernel);

/// Erases those of the symbols that nothing else names.
void eraseUnused(llvm::SmallVector<mlir::SymbolOpInterface> symbols);

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "tonno/Transforms/Schedule/Passes.h.inc"

} // namespace tonno

#endif // TONNO_TRANSFORMS_SCHEDULE_PASSES_H

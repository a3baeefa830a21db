//===- What a kernel calls ------------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_TRANSFORMS_SCHEDULE_DECOMPOSITION_INLINECALLS_H
#define TONNO_TRANSFORMS_SCHEDULE_DECOMPOSITION_INLINECALLS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace tonno {

/// Puts the body of each function that `kernel` calls, directly or not, in
/// place of the call. Fails, at the call, on recursion, on a function without a
/// body, and where a body does not fit.
mlir::LogicalResult inlineCalls(mlir::func::FuncOp kernel);

/// Erases those of the functions that nothing names, or only others of them
/// that nothing names.
void eraseUnused(llvm::SmallVector<mlir::func::FuncOp> functions);

} // namespace tonno

#endif // TONNO_TRANSFORMS_SCHEDULE_DECOMPOSITION_INLINECALLS_H

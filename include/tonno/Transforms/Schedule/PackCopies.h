//===- Packing as copies of lines -----------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_TRANSFORMS_SCHEDULE_PACKCOPIES_H
#define TONNO_TRANSFORMS_SCHEDULE_PACKCOPIES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/PatternMatch.h"

namespace tonno {

/// Takes an op apart by a tile size for each of its loops.
using TileFunction = llvm::function_ref<mlir::LogicalResult(
    mlir::linalg::LinalgOp, llvm::ArrayRef<int64_t>)>;

/// Moves packing out of the loops that it does not depend on, and takes it
/// apart by `tile` into copies of a cache line of each of a panel's rows, each
/// converted at once where a copy only is.
mlir::LogicalResult lowerPacks(mlir::RewriterBase &rewriter,
                               mlir::func::FuncOp function, TileFunction tile);

} // namespace tonno

#endif // TONNO_TRANSFORMS_SCHEDULE_PACKCOPIES_H

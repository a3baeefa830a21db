//===- Init operands of linalg ops ----------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_LIB_TRANSFORMS_SCHEDULE_TILING_INITOPERANDS_H
#define TONNO_LIB_TRANSFORMS_SCHEDULE_TILING_INITOPERANDS_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/PatternMatch.h"

#include <optional>

namespace tonno {

/// The constant that all of the op's result begins as, if it is a reduction of
/// what `linalg.fill` writes; null otherwise. The result then begins as
/// whatever was there before, until writeStart.
mlir::Value takeStart(mlir::RewriterBase &rewriter, mlir::linalg::LinalgOp op);

/// Gives the op, whose result begins as a copy of no concern, new memory for
/// it.
void forgetInit(mlir::RewriterBase &rewriter, mlir::linalg::LinalgOp op);

/// Begins the result of `op` with `start`; nothing is to be done where that is
/// null.
void writeStart(mlir::RewriterBase &rewriter, mlir::linalg::LinalgOp op,
                mlir::Value start);

/// Of tiles that make loops over a reduction, those of the parallel loops
/// outside of the first such, in this order; empty is the op's. All others are
/// 0. Nothing where no loop is over a reduction.
std::optional<llvm::SmallVector<int64_t>>
tilesOutsideReductions(mlir::linalg::LinalgOp op, llvm::ArrayRef<int64_t> tiles,
                       llvm::ArrayRef<int64_t> order);

/// Elementwise ops in `root` that read an input element by element as they
/// write an output over it, such as `a += b`, read it through the output alone.
/// In tiles, the output is what the tiles before have left, but the input would
/// be all that was there before them: a copy. Fails with a diagnostic where an
/// op can't be made a `linalg.generic`.
mlir::LogicalResult readThroughOutputs(mlir::RewriterBase &rewriter,
                                       mlir::Operation *root);

} // namespace tonno

#endif // TONNO_LIB_TRANSFORMS_SCHEDULE_TILING_INITOPERANDS_H

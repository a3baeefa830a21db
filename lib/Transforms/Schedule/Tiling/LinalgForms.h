//===- Forms of linalg ops before and after tiling ------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_LIB_TRANSFORMS_SCHEDULE_TILING_LINALGFORMS_H
#define TONNO_LIB_TRANSFORMS_SCHEDULE_TILING_LINALGFORMS_H

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

/// Returns the op as a generic one, with its discardable attributes; fails
/// where upstream can't make it one.
mlir::FailureOr<mlir::linalg::GenericOp>
makeGeneric(mlir::RewriterBase &rewriter, mlir::linalg::LinalgOp op);

/// Drops the dimensions of one element that a reduction keeps in its results:
/// (i, k) -> (i, 0) becomes (i, k) -> (i). Upstream takes apart no other op.
mlir::FailureOr<mlir::linalg::LinalgOp>
dropUnitResults(mlir::RewriterBase &rewriter, mlir::linalg::LinalgOp op);

/// Makes a plainer op of one whose loops of one step keep it from becoming
/// vectors: of a product summed up over several, one over the last; of one step
/// of what can't be summed up in parts, an elementwise op.
mlir::LogicalResult dropSteps(mlir::RewriterBase &rewriter,
                              mlir::linalg::LinalgOp op);

/// Whether each index is a loop of its own, or 0.
bool isPlain(mlir::AffineMap map);

/// Whether an input is read through windows: along a loop over places and, for
/// each, loops over what lies around it, as by a convolution. Each of its
/// indices is a loop or a sum of loops, each times a constant above 0.
bool hasWindows(mlir::linalg::LinalgOp op);

/// The parallel loops as the result has them, its rows' last: convolutions
/// whose channels lie before their pixels have other loops last.
llvm::SmallVector<unsigned> loopsOfResult(mlir::linalg::LinalgOp op);

/// These, then the loops over the windows.
llvm::SmallVector<unsigned> orderOfResult(mlir::linalg::LinalgOp op);

/// Makes an op with windows one that vectors are made of as of others, where
/// the loops that say so have one step left: what is read is sliced with the
/// windows' strides, and loops of one step are dropped. Leaves other ops alone.
mlir::LogicalResult flattenWindows(mlir::RewriterBase &rewriter,
                                   mlir::linalg::LinalgOp op);

} // namespace tonno

#endif // TONNO_LIB_TRANSFORMS_SCHEDULE_TILING_LINALGFORMS_H

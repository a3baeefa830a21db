//===- Drop unit loops and flatten sliding windows ------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_LIB_TRANSFORMS_SCHEDULE_TILING_LOOPSIMPLIFICATION_H
#define TONNO_LIB_TRANSFORMS_SCHEDULE_TILING_LOOPSIMPLIFICATION_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/PatternMatch.h"

namespace tonno {

/// Drops an op's loops of one step, but of a product of matrices the last over
/// what is summed up: products are lowered to outer products, one for each
/// step.
void dropUnitLoops(mlir::RewriterBase &rewriter, mlir::linalg::GenericOp op);

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

#endif // TONNO_LIB_TRANSFORMS_SCHEDULE_TILING_LOOPSIMPLIFICATION_H

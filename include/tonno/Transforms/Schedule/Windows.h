//===- Ops that read through windows --------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_TRANSFORMS_SCHEDULE_WINDOWS_H
#define TONNO_TRANSFORMS_SCHEDULE_WINDOWS_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/PatternMatch.h"

namespace tonno {

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

#endif // TONNO_TRANSFORMS_SCHEDULE_WINDOWS_H

//===- Sums in the lanes of a vector --------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_TRANSFORMS_SCHEDULE_LANESUMS_H
#define TONNO_TRANSFORMS_SCHEDULE_LANESUMS_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/PatternMatch.h"

namespace tonno {

/// Whether what the op sums up along this loop may be summed up by lanes: one
/// result, combined by something with a neutral element, on tensors.
bool canSumByLanes(mlir::linalg::LinalgOp op, unsigned loop);

/// Sums up along the loop in so many lanes, which must divide it, and adds the
/// lanes up in the end: the loop's steps need not wait for each other, and
/// nothing moves between lanes within it. Replaces `op`; returns the op of one
/// step.
mlir::FailureOr<mlir::linalg::LinalgOp> sumByLanes(mlir::RewriterBase &rewriter,
                                                   mlir::linalg::LinalgOp op,
                                                   unsigned loop,
                                                   int64_t lanes);

} // namespace tonno

#endif // TONNO_TRANSFORMS_SCHEDULE_LANESUMS_H

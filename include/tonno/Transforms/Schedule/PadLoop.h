//===- Loops as long as vectors -------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_TRANSFORMS_SCHEDULE_PADLOOP_H
#define TONNO_TRANSFORMS_SCHEDULE_PADLOOP_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/PatternMatch.h"

namespace tonno {

/// Makes the op's parallel loop `loop` as long as `extent`: operands along it
/// are copied into longer ones, zero beyond their ends, and of the results the
/// first part is taken. So a rest of 31 columns costs what 32 do, not what 16,
/// 8, 4, 2 and 1 do one after another. Replaces `op`, which must be a
/// contraction on tensors; fails, and changes nothing, if it is not.
mlir::FailureOr<mlir::linalg::LinalgOp> padLoop(mlir::RewriterBase &rewriter,
                                                mlir::linalg::LinalgOp op,
                                                unsigned loop, int64_t extent);

} // namespace tonno

#endif // TONNO_TRANSFORMS_SCHEDULE_PADLOOP_H

//===- Ops that write what they read --------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_TRANSFORMS_SCHEDULE_UPDATES_H
#define TONNO_TRANSFORMS_SCHEDULE_UPDATES_H

#include "mlir/IR/PatternMatch.h"

namespace tonno {

/// Elementwise ops in `root` that read an input element by element as they
/// write an output over it, such as `a += b`, read it through the output alone.
/// In tiles, the output is what the tiles before have left, but the input would
/// be all that was there before them: a copy. Fails with a diagnostic where an
/// op can't be made a `linalg.generic`.
mlir::LogicalResult readThroughOutputs(mlir::RewriterBase &rewriter,
                                       mlir::Operation *root);

} // namespace tonno

#endif // TONNO_TRANSFORMS_SCHEDULE_UPDATES_H

//===- Every other element of a row ---------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_TRANSFORMS_SCHEDULE_STRIDEDREADS_H
#define TONNO_TRANSFORMS_SCHEDULE_STRIDEDREADS_H

#include "mlir/IR/PatternMatch.h"

namespace tonno {

/// Reads every other element of a row by two loads and a shuffle, where
/// upstream reads each by itself.
void populateStridedReadPatterns(mlir::RewritePatternSet &patterns);

} // namespace tonno

#endif // TONNO_TRANSFORMS_SCHEDULE_STRIDEDREADS_H

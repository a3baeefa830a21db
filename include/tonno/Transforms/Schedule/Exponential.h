//===- e^x and 2^x without calls ------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_TRANSFORMS_SCHEDULE_EXPONENTIAL_H
#define TONNO_TRANSFORMS_SCHEDULE_EXPONENTIAL_H

namespace mlir {
class RewritePatternSet;
} // namespace mlir

namespace tonno {

/// Takes `math.exp` and `math.exp2` of f32 and f64, scalars and vectors, to
/// arithmetic: 13 or 14 operations on f32, 6 more on f64, none of them a
/// division, a conversion or one that only some chips have. NaN stays NaN,
/// 0 gives 1, what exceeds the type infinity, and what is under about 0.7
/// times its smallest normal number 0.
void populateExponentialPatterns(mlir::RewritePatternSet &patterns);

} // namespace tonno

#endif // TONNO_TRANSFORMS_SCHEDULE_EXPONENTIAL_H

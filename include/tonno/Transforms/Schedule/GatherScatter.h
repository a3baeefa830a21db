//===- Gathers and scatters as loops --------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_TRANSFORMS_SCHEDULE_GATHERSCATTER_H
#define TONNO_TRANSFORMS_SCHEDULE_GATHERSCATTER_H

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/PatternMatch.h"

namespace tonno {

/// A gather as a loop nest over its result, which reads an element for each.
/// Fails where the result's shape is not static.
llvm::LogicalResult lowerGather(mlir::RewriterBase &rewriter,
                                mlir::tensor::GatherOp op);

/// Upstream has no lowering of tensor.scatter: loops over its indices insert a
/// slice for each.
void populateLowerScatterPatterns(mlir::RewritePatternSet &patterns);

} // namespace tonno

#endif // TONNO_TRANSFORMS_SCHEDULE_GATHERSCATTER_H

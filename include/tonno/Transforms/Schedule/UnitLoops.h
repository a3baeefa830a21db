//===- Loops of one step --------------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_TRANSFORMS_SCHEDULE_UNITLOOPS_H
#define TONNO_TRANSFORMS_SCHEDULE_UNITLOOPS_H

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

} // namespace tonno

#endif // TONNO_TRANSFORMS_SCHEDULE_UNITLOOPS_H

//===- Scatter.h - tensor.scatter as a loop ------------------- -*- C++ -*-===//
//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TONNO_TRANSFORMS_SCHEDULE_SCATTER_H
#define TONNO_TRANSFORMS_SCHEDULE_SCATTER_H

#include "mlir/IR/PatternMatch.h"

namespace tonno {

/// Upstream has no lowering of tensor.scatter: loops over its indices insert a
/// slice for each.
void populateLowerScatterPatterns(mlir::RewritePatternSet &patterns);

} // namespace tonno

#endif // TONNO_TRANSFORMS_SCHEDULE_SCATTER_H

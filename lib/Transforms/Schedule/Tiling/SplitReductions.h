//===- Split reductions over workgroups -------------------------*- C++ -*-===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_LIB_TRANSFORMS_SCHEDULE_TILING_SPLITREDUCTIONS_H
#define TONNO_LIB_TRANSFORMS_SCHEDULE_TILING_SPLITREDUCTIONS_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace tonno {

/// Returns true if `tonno-split-reductions` can compute the op in parts: it is
/// a reduction on tensors of known sizes.
bool canSplitReduction(mlir::linalg::LinalgOp op);

} // namespace tonno

#endif // TONNO_LIB_TRANSFORMS_SCHEDULE_TILING_SPLITREDUCTIONS_H

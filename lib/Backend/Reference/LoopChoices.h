//===- How the reference's loops are cut ----------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_LIB_BACKEND_REFERENCE_LOOPCHOICES_H
#define TONNO_LIB_BACKEND_REFERENCE_LOOPCHOICES_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"

#include <cstdint>

// Of ops on buffers of static shape. All but `chooseInnermost` expect the loop
// that becomes vectors to be the last.

namespace tonno {

bool isParallel(mlir::linalg::LinalgOp op, unsigned loop);

/// The loop that is best made vectors of: it walks along rows of most operands.
unsigned chooseInnermost(mlir::linalg::LinalgOp op);

/// The iterations of a part, of each loop whose iterations write different
/// elements; 0 for other loops, which stay whole.
llvm::SmallVector<int64_t> partTiles(mlir::linalg::LinalgOp op);

/// The iterations of a block, of each reduction that is better cut; 0 for other
/// loops.
llvm::SmallVector<int64_t> reductionTiles(mlir::linalg::LinalgOp op);

/// The loops around the innermost one in whose iterations what it loads is used
/// again, outermost first.
llvm::SmallVector<unsigned> loopsToJam(mlir::linalg::LinalgOp op);

/// How many iterations of such a loop become one.
uint64_t jamFactor(int64_t extent);

} // namespace tonno

#endif // TONNO_LIB_BACKEND_REFERENCE_LOOPCHOICES_H

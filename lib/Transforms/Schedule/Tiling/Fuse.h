//===- Ops that are computed tile by tile with an op ----------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_LIB_TRANSFORMS_SCHEDULE_TILING_FUSE_H
#define TONNO_LIB_TRANSFORMS_SCHEDULE_TILING_FUSE_H

#include "llvm/ADT/SetVector.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace tonno {

/// `root` and the linalg ops before it that are computed tile by tile with it,
/// from the last to the first, when its loops that are not 0 in `tiles` are
/// tiled: those that nothing else uses, each a part of which belongs to each
/// tile. What several tiles need would be computed several times. An op that
/// would be copied too often for its users, and what it uses, is left out.
llvm::SetVector<mlir::Operation *> fusionGroup(mlir::linalg::LinalgOp root,
                                               llvm::ArrayRef<int64_t> tiles);

} // namespace tonno

#endif // TONNO_LIB_TRANSFORMS_SCHEDULE_TILING_FUSE_H

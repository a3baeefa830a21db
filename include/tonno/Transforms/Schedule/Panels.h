//===- Operands in panels of register tiles -------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_TRANSFORMS_SCHEDULE_PANELS_H
#define TONNO_TRANSFORMS_SCHEDULE_PANELS_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/PatternMatch.h"

namespace tonno {

/// An op on panels, and where its loops come from.
struct PanelOp {
  mlir::linalg::GenericOp op;
  /// Of its inner loops, which come after all of the original's, the loops that
  /// they are parts of.
  llvm::SmallVector<unsigned> inner;
};

/// Takes each loop with a tile, one that divides it, apart into a loop over
/// tiles and, innermost, one over the tile. Inputs that are `packed` and run
/// along such a loop are copied into panels (`linalg.pack`): tile by tile, what
/// is summed up together lies together, as in Goto and van de Geijn, "Anatomy
/// of high-performance matrix multiplication". Of a loop that is summed up, the
/// steps of a tile lie side by side. What the op extends is extended as it is
/// copied: to the sum's type, or by such tiles to i16 at most. Other operands
/// are reshaped in place. Replaces `op`; fails, and changes nothing, where an
/// operand can't be reshaped so.
mlir::FailureOr<PanelOp> makePanels(mlir::RewriterBase &rewriter,
                                    mlir::linalg::LinalgOp op,
                                    llvm::ArrayRef<int64_t> tiles,
                                    llvm::ArrayRef<bool> packed);

} // namespace tonno

#endif // TONNO_TRANSFORMS_SCHEDULE_PANELS_H

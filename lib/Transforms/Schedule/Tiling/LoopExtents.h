//===- Extents of the loops of linalg ops ---------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_LIB_TRANSFORMS_SCHEDULE_TILING_LOOPEXTENTS_H
#define TONNO_LIB_TRANSFORMS_SCHEDULE_TILING_LOOPEXTENTS_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/PatternMatch.h"

#include <optional>

namespace tonno {

/// The numbers of iterations of an op's loops, some of which may be known only
/// at run time.
class LoopExtents {
public:
  /// Computes dynamic extents before the op.
  LoopExtents(mlir::RewriterBase &rewriter, mlir::linalg::LinalgOp op);

  size_t size() const { return extents.size(); }
  /// Returns the loop's extent, as an attribute if it is static.
  mlir::OpFoldResult get(size_t loop) const { return extents[loop]; }
  bool isDynamic(size_t loop) const { return !getStatic(loop); }
  std::optional<int64_t> getStatic(size_t loop) const;
  /// Returns the largest number of iterations, if there is a limit.
  llvm::SmallVector<mlir::OpFoldResult> getAll() const { return extents; }
  std::optional<int64_t> getBound(size_t loop) const { return bounds[loop]; }
  /// Returns true if the extent is known to be a multiple of `divisor`; of 0,
  /// all are.
  bool isMultiple(size_t loop, int64_t divisor) const;
  /// Returns true if the loop may have more iterations than this.
  bool canExceed(size_t loop, int64_t count) const {
    return !bounds[loop] || *bounds[loop] > count;
  }

private:
  llvm::SmallVector<mlir::OpFoldResult> extents;
  llvm::SmallVector<std::optional<int64_t>> bounds;
};

/// Returns the size of an axis of a tensor or memref, from where it was
/// created.
mlir::OpFoldResult createSize(mlir::OpBuilder &builder, mlir::Location loc,
                              mlir::Value value, int64_t axis);

/// Returns the sizes of all axes.
llvm::SmallVector<mlir::OpFoldResult>
createSizes(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value value);

/// Returns the size of an axis as the value, or one that it is made of, was
/// created with it; none if that is unknown.
std::optional<mlir::OpFoldResult> findSize(mlir::Builder &builder,
                                           mlir::Value value, int64_t axis);

/// Returns a loop's extent, if it is static or `findSize` knows it.
std::optional<mlir::OpFoldResult> findExtent(mlir::linalg::LinalgOp op,
                                             size_t loop);

/// Computes the extent of a dynamic loop by an axis that it goes along.
mlir::OpFoldResult createExtent(mlir::OpBuilder &builder,
                                mlir::linalg::LinalgOp op, size_t loop);

/// Replaces `tensor.dim` and `memref.dim` by the sizes that values were created
/// with. Users of these ops would keep their operands from being fused.
void resolveSizes(mlir::RewriterBase &rewriter, mlir::Operation *root);

} // namespace tonno

#endif // TONNO_LIB_TRANSFORMS_SCHEDULE_TILING_LOOPEXTENTS_H

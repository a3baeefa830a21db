//===- The tile sizes of an op --------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_TRANSFORMS_SCHEDULE_TILING_TILESIZES_H
#define TONNO_TRANSFORMS_SCHEDULE_TILING_TILESIZES_H

#include "llvm/ADT/SetVector.h"
#include "mlir/Dialect/Linalg/IR/LinalgInterfaces.h"

#include <optional>

namespace tonno {

/// What the vectoriser takes as one op, in elements: the default of its limit.
inline constexpr int64_t mostVectorised = 1024;

/// What `tonno.lowering_config` says of a linalg op: a tile size for each of
/// its loops at each level; 0 leaves the loop whole.
struct TileSizes {
  llvm::SmallVector<int64_t> workgroup, reduction, subgroup, thread;
  /// Of each loop, whether inputs that run along it are packed.
  llvm::SmallVector<int64_t> pack;
  /// The loops, outermost first; empty: as the schedule has them.
  llvm::SmallVector<int64_t> interchange;
  /// Of the op with what it uses; empty: it is computed by itself.
  llvm::SmallVector<int64_t> fuse;
  /// That share the outermost parallel loop.
  int64_t threads = 1;

  /// Nothing if the op has no configuration. Fails, with the reason, on an
  /// unresolved knob, or another number of tile sizes than of loops.
  static mlir::FailureOr<std::optional<TileSizes>>
  get(mlir::linalg::LinalgOp op);

  /// For a matrix product that has no configuration; nothing for other ops.
  static std::optional<TileSizes> getDefault(mlir::linalg::LinalgOp op);
};

/// Returns `root` and the linalg ops before it, from the last to the first,
/// that are computed tile by tile with it if its loops not 0 in `tiles` are
/// tiled: those that nothing else uses and of which each tile needs a part of
/// its own, unless they would be copied too often.
llvm::SetVector<mlir::Operation *> fusionGroup(mlir::linalg::LinalgOp root,
                                               llvm::ArrayRef<int64_t> tiles);

/// Fails if the configuration has another number of tile sizes than the op has
/// loops, or tiles of a reduction on an op without one. Other ops pass.
mlir::LogicalResult verifyTileSizes(mlir::Operation *op);

/// Fails, with the reason, if an unresolved knob is left anywhere in `root`.
mlir::LogicalResult verifyKnobsResolved(mlir::Operation *root);

} // namespace tonno

#endif // TONNO_TRANSFORMS_SCHEDULE_TILING_TILESIZES_H

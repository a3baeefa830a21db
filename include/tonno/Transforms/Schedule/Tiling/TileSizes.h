//===- Tile sizes of an op ------------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_TRANSFORMS_SCHEDULE_TILING_TILESIZES_H
#define TONNO_TRANSFORMS_SCHEDULE_TILING_TILESIZES_H

#include "llvm/ADT/MapVector.h"
#include "mlir/Dialect/Linalg/IR/LinalgInterfaces.h"

#include <optional>

namespace tonno {

/// The largest op, in elements, that the vectoriser handles as one; the default
/// of its limit.
inline constexpr int64_t mostVectorised = 1024;

/// The tile sizes of a linalg op from `tonno.lowering_config`: one for each
/// loop at each level; 0 leaves the loop untiled.
struct TileSizes {
  llvm::SmallVector<int64_t> workgroup, reduction, subgroup, thread;
  /// A flag for each loop: pack the inputs indexed by it.
  llvm::SmallVector<int64_t> pack;
  /// The loops, outermost first; empty: as the schedule has them.
  llvm::SmallVector<int64_t> interchange;
  /// Tile sizes of the op fused with the producers that only it uses; empty if
  /// nothing is fused.
  llvm::SmallVector<int64_t> fuse;
  /// The number of threads that share the outermost parallel loop.
  int64_t threads = 1;

  /// Returns the op's tile sizes, or none without a configuration. Fails, with
  /// the reason, on an unresolved knob, or if the number of tile sizes differs
  /// from that of loops.
  static mlir::FailureOr<std::optional<TileSizes>>
  get(mlir::linalg::LinalgOp op);

  /// Returns the default for a matrix product without a configuration; none for
  /// other ops.
  static std::optional<TileSizes> getDefault(mlir::linalg::LinalgOp op);
};

/// The root's tiled loop that each loop of an op goes along with, if any does.
using LoopOrigins = llvm::SmallVector<std::optional<size_t>>;

/// Ops that are computed tile by tile together.
using FusionGroup = llvm::MapVector<mlir::Operation *, LoopOrigins>;

/// Returns `root` and the linalg ops before it, from the last to the first,
/// that are computed tile by tile with it if its loops not 0 in `tiles` are
/// tiled: those that nothing else uses and of which each tile needs a part of
/// its own, unless they would be copied too often. Roots of other groups, which
/// have `fuse` in their configurations or are `others`, are not among them.
FusionGroup fusionGroup(mlir::linalg::LinalgOp root,
                        llvm::ArrayRef<int64_t> tiles,
                        const llvm::DenseSet<mlir::Operation *> &others = {});

/// Returns the fusion groups of a function by their roots, which have `fuse`
/// with or without knobs.
llvm::MapVector<mlir::Operation *, FusionGroup>
getFusionGroups(mlir::func::FuncOp function);

/// Returns the iterations of all ops of a group.
double countIterations(const FusionGroup &group);

/// Fails if the configuration has another number of tile sizes than the op has
/// loops, or tiles of a reduction on an op without one. Other ops pass.
mlir::LogicalResult verifyTileSizes(mlir::Operation *op);

/// Fails, with the reason, if an unresolved knob is left anywhere in `root`.
mlir::LogicalResult verifyKnobsResolved(mlir::Operation *root);

} // namespace tonno

#endif // TONNO_TRANSFORMS_SCHEDULE_TILING_TILESIZES_H

//===- The steps of tiling an op ------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_TRANSFORMS_SCHEDULE_TILELEVELS_H
#define TONNO_TRANSFORMS_SCHEDULE_TILELEVELS_H

#include "tonno/Transforms/Schedule/Panels.h"
#include "tonno/Transforms/Schedule/TileSizes.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"

#include <optional>

namespace tonno {

/// One step of taking an op apart.
struct Level {
  llvm::SmallVector<int64_t> tiles;
  /// The loops' order, outermost first; empty for the op's own.
  llvm::SmallVector<int64_t> order;
  /// The loop whose tiles become vectors.
  std::optional<unsigned> vectorLoop;
  /// The loop whose steps are summed up in as many lanes as its tile has.
  std::optional<unsigned> laneLoop;
  /// Split off what the tiles don't divide, but leave the loops to come.
  bool splitOnly = false;
  /// Make what is left over of the vector loop as long as a vector.
  bool padsRests = false;
  /// Loops along which inputs are packed; empty where there are none.
  llvm::SmallVector<bool, 8> packedLoops;
  /// Of each loop, how many steps lie side by side where inputs are packed.
  llvm::SmallVector<int64_t, 0> groups;
  /// Of the op that the level meets, the inputs that are packed.
  llvm::SmallVector<bool, 8> packedInputs;
  /// That share the outermost parallel loop of those in `order`; 1 where none
  /// is shared. `tiles` are then what each thread is to have at least.
  int64_t threads = 1;
};

/// What a configuration makes of an op, outermost first.
llvm::SmallVector<Level> levelsOf(mlir::linalg::LinalgOp op,
                                  const TileSizes &sizes);

/// The tile sizes of a level for an op of these extents.
llvm::SmallVector<int64_t> fitTiles(const Level &level,
                                    llvm::ArrayRef<int64_t> extents);

/// The inputs along packed loops that are read for more than one register tile:
/// a copy pays only by being read again.
llvm::SmallVector<bool, 8> packedInputs(mlir::linalg::LinalgOp op,
                                        const Level &level);

/// Loops over the tiles of panels and over what is summed up, around one tile.
Level levelOfPanels(const PanelOp &panels, llvm::ArrayRef<int64_t> tiles);

/// Whether steps of the loop are summed up side by side.
bool isGrouped(const Level &level, llvm::ArrayRef<int64_t> extents,
               unsigned loop);

/// The tiles that panels are made of.
llvm::SmallVector<int64_t> panelTiles(mlir::linalg::LinalgOp op,
                                      const Level &level,
                                      llvm::ArrayRef<int64_t> tiles);

/// Some of the first level's loops, then all levels.
llvm::SmallVector<Level> goFirst(llvm::ArrayRef<int64_t> tiles,
                                 llvm::ArrayRef<Level> levels);

} // namespace tonno

#endif // TONNO_TRANSFORMS_SCHEDULE_TILELEVELS_H

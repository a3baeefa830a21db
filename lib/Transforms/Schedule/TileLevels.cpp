//===- The steps of tiling an op ------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Transforms/Schedule/TileLevels.h"
#include "tonno/Dialect/LoopRoles.h"
#include "tonno/Transforms/Schedule/LaneSums.h"
#include "tonno/Transforms/Schedule/Windows.h"

#include "llvm/ADT/bit.h"
#include "llvm/Support/MathExtras.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Utils/Utils.h"

using namespace mlir;
using namespace tonno;

/// Registers: the last parallel loop outermost, so that a panel of the last
/// operand (B of a matrix product) stays in the nearest cache; reductions
/// innermost, for the accumulators. Without them the op's own order, in which
/// results lie.
static Level registerLevel(linalg::LinalgOp op, ArrayRef<int64_t> tiles) {
  SmallVector<unsigned> parallel, reductions;
  if (hasWindows(op))
    parallel = loopsOfResult(op);
  else
    op.getParallelDims(parallel);
  op.getReductionDims(reductions);
  Level level;
  llvm::append_range(level.tiles, tiles);
  llvm::append_range(level.order, parallel);
  if (!reductions.empty())
    std::reverse(level.order.begin(), level.order.end());
  llvm::append_range(level.order, reductions);
  if (llvm::all_of(tiles, [](int64_t tile) { return tile == 0; }))
    return level;
  for (unsigned loop : reductions)
    if (level.tiles[loop] == 0)
      level.tiles[loop] = 1;
  if (!parallel.empty())
    level.vectorLoop = parallel.back();
  return level;
}

/// The loop along the rows of an operand of which tiles are summed up.
static std::optional<unsigned> laneLoop(linalg::LinalgOp op,
                                        ArrayRef<int64_t> tiles) {
  for (AffineMap map : op.getIndexingMapsArray())
    if (auto row = tonno::rowLoop(map);
        row && tiles[*row] > 1 && tonno::canSumByLanes(op, *row))
      return row;
  return std::nullopt;
}

/// Takes the loop that is summed up in lanes out of the level of registers.
static Level lanesOf(Level &registers, unsigned loop) {
  Level lanes;
  lanes.tiles.assign(registers.tiles.size(), 0);
  std::swap(lanes.tiles[loop], registers.tiles[loop]);
  lanes.vectorLoop = lanes.laneLoop = loop;
  return lanes;
}

/// What register tiles leave over is split off outside the loop over the parts
/// of a reduction: inside, both pieces of the result would be carried by that
/// loop, and bufferisation can't see that they don't overlap.
static Level restsOf(const Level &registers, linalg::LinalgOp op) {
  Level rests = registers;
  rests.splitOnly = rests.padsRests = true;
  for (auto [tile, kind] :
       llvm::zip_equal(rests.tiles, op.getIteratorTypesArray()))
    if (linalg::isReductionIterator(kind))
      tile = 0;
  return rests;
}

/// A block is a whole number of register tiles.
static SmallVector<int64_t> blocksOf(ArrayRef<int64_t> blocks,
                                     ArrayRef<int64_t> tiles) {
  SmallVector<int64_t> rounded(blocks);
  for (auto [block, tile] : llvm::zip_equal(rounded, tiles))
    if (tile != 0)
      block = static_cast<int64_t>(llvm::alignTo(block, tile));
  return rounded;
}

static SmallVector<Level> levelsOfThread(linalg::LinalgOp op,
                                         const TileSizes &sizes) {
  Level registers = registerLevel(op, sizes.subgroup);
  Level rests = restsOf(registers, op);
  bool isPacked = llvm::is_contained(sizes.pack, 1);
  if (!isPacked && sizes.interchange.empty()) {
    // Caches: the loops in the op's order, then the parts of a reduction, so
    // that a tile of the result stays where it is while they are summed up.
    Level workgroup, reduction;
    workgroup.tiles = blocksOf(sizes.workgroup, sizes.subgroup);
    if (hasWindows(op))
      llvm::append_range(workgroup.order, orderOfResult(op));
    reduction.tiles = sizes.reduction;
    if (auto loop = laneLoop(op, registers.tiles)) {
      rests.padsRests = false; // the vectors lie along what is summed up
      Level lanes = lanesOf(registers, *loop);
      return {workgroup, rests, reduction, registers, lanes};
    }
    return {workgroup, rests, reduction, registers};
  }
  Level caches;
  llvm::append_range(caches.order, sizes.interchange);
  SmallVector<int64_t> blocks = blocksOf(sizes.workgroup, sizes.subgroup);
  for (auto [loop, kind] : llvm::enumerate(op.getIteratorTypesArray()))
    caches.tiles.push_back(linalg::isReductionIterator(kind)
                               ? sizes.reduction[loop]
                               : blocks[loop]);
  if (isPacked) {
    llvm::append_range(registers.groups, sizes.pack);
    for (auto [pack, kind] :
         llvm::zip_equal(sizes.pack, op.getIteratorTypesArray()))
      registers.packedLoops.push_back(
          pack == 1 || (pack != 0 && !linalg::isReductionIterator(kind)));
  }
  return {rests, caches, registers};
}

SmallVector<Level> tonno::levelsOf(linalg::LinalgOp op,
                                   const TileSizes &sizes) {
  SmallVector<Level> levels = levelsOfThread(op, sizes);
  if (sizes.threads == 1)
    return levels;
  Level shared;
  shared.threads = sizes.threads;
  shared.tiles = sizes.subgroup;
  shared.order = sizes.interchange;
  levels.insert(levels.begin(), shared);
  return levels;
}

SmallVector<int64_t> tonno::fitTiles(const Level &level,
                                     ArrayRef<int64_t> extents) {
  SmallVector<int64_t> tiles = level.tiles;
  for (auto [loop, tileSize, extent] : llvm::enumerate(tiles, extents)) {
    if (tileSize <= extent)
      continue;
    // Vectors of other lengths than powers of two are slow.
    tileSize = level.vectorLoop == loop
                   ? int64_t(llvm::bit_floor(uint64_t(extent)))
                   : extent;
  }
  return tiles;
}

SmallVector<bool, 8> tonno::packedInputs(linalg::LinalgOp op,
                                         const Level &level) {
  SmallVector<int64_t> extents = op.getStaticLoopRanges();
  SmallVector<unsigned> parallel;
  op.getParallelDims(parallel);
  SmallVector<bool, 8> inputs;
  for (OpOperand *input : op.getDpsInputOperands()) {
    AffineMap map = op.getMatchingIndexingMap(input);
    bool isAlong = false, isReadAgain = false;
    for (auto [loop, packed] : llvm::enumerate(level.packedLoops))
      isAlong |= packed && map.isFunctionOfDim(loop);
    for (unsigned loop : parallel)
      isReadAgain |= !map.isFunctionOfDim(loop) &&
                     extents[loop] > std::max<int64_t>(level.tiles[loop], 1);
    inputs.push_back(isAlong && isReadAgain);
  }
  return inputs;
}

Level tonno::levelOfPanels(const tonno::PanelOp &panels,
                           ArrayRef<int64_t> tiles) {
  SmallVector<int64_t> steps(tiles);
  for (unsigned loop : panels.inner)
    steps[loop] = 1;
  steps.append(panels.inner.size(), 0);
  Level level = registerLevel(panels.op, steps);
  std::fill(level.tiles.end() - panels.inner.size(), level.tiles.end(), 0);
  level.vectorLoop.reset();
  return level;
}

bool tonno::isGrouped(const Level &level, ArrayRef<int64_t> extents,
                      unsigned loop) {
  return llvm::is_contained(level.packedInputs, true) &&
         level.groups[loop] > 1 && extents[loop] >= level.groups[loop];
}

SmallVector<int64_t> tonno::panelTiles(linalg::LinalgOp op, const Level &level,
                                       ArrayRef<int64_t> tiles) {
  SmallVector<int64_t> panels(tiles), extents = op.getStaticLoopRanges();
  for (auto [loop, kind] : llvm::enumerate(op.getIteratorTypesArray()))
    if (linalg::isReductionIterator(kind))
      panels[loop] = isGrouped(level, extents, loop) ? level.groups[loop] : 0;
    else if (panels[loop] == 1)
      panels[loop] = 0;
  return panels;
}

SmallVector<Level> tonno::goFirst(ArrayRef<int64_t> tiles,
                                  ArrayRef<Level> levels) {
  SmallVector<Level> all(1);
  llvm::append_range(all.front().tiles, tiles);
  all.front().order = levels.front().order;
  llvm::append_range(all, levels);
  return all;
}

//===- Tile.cpp - Tile linalg ops by their configuration ------------------===//
//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tonno/Dialect/LoopRoles.h"
#include "tonno/Dialect/LoweringConfig.h"
#include "tonno/Dialect/TonnoDialect.h"
#include "tonno/Transforms/Schedule/LaneSums.h"
#include "tonno/Transforms/Schedule/PadLoop.h"
#include "tonno/Transforms/Schedule/Panels.h"
#include "tonno/Transforms/Schedule/Passes.h"
#include "tonno/Transforms/Schedule/Starts.h"
#include "tonno/Transforms/Schedule/TileSizes.h"
#include "tonno/Transforms/Schedule/UnitLoops.h"
#include "tonno/Transforms/Schedule/Windows.h"

#include "llvm/ADT/bit.h"
#include "llvm/Support/MathExtras.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/SCF/Transforms/TileUsingInterface.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Transforms/LoopInvariantCodeMotionUtils.h"

namespace tonno {
#define GEN_PASS_DEF_TILEPASS
#include "tonno/Transforms/Schedule/Passes.h.inc"
} // namespace tonno

using namespace mlir;

namespace {

/// One step of taking an op apart.
struct Level {
  SmallVector<int64_t> tiles;
  /// The loops' order, outermost first; empty for the op's own.
  SmallVector<int64_t> order;
  /// The loop whose tiles become vectors.
  std::optional<unsigned> vectorLoop;
  /// The loop whose steps are summed up in as many lanes as its tile has.
  std::optional<unsigned> laneLoop;
  /// Split off what the tiles don't divide, but leave the loops to come.
  bool splitOnly = false;
  /// Make what is left over of the vector loop as long as a vector.
  bool padsRests = false;
  /// Loops along which inputs are packed; empty where there are none.
  SmallVector<bool, 8> packedLoops;
  /// Of the op that the level meets, the inputs that are packed.
  SmallVector<bool, 8> packedInputs;
};

/// Registers: the last parallel loop outermost, so that a panel of the last
/// operand (B of a matrix product) stays in the nearest cache; reductions
/// innermost, for the accumulators.
Level registerLevel(linalg::LinalgOp op, ArrayRef<int64_t> tiles) {
  SmallVector<unsigned> parallel, reductions;
  op.getParallelDims(parallel);
  op.getReductionDims(reductions);
  Level level;
  llvm::append_range(level.tiles, tiles);
  llvm::append_range(level.order, llvm::reverse(parallel));
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
std::optional<unsigned> laneLoop(linalg::LinalgOp op, ArrayRef<int64_t> tiles) {
  for (AffineMap map : op.getIndexingMapsArray())
    if (auto row = tonno::rowLoop(map);
        row && tiles[*row] > 1 && tonno::canSumByLanes(op, *row))
      return row;
  return std::nullopt;
}

/// Takes the loop that is summed up in lanes out of the level of registers.
Level lanesOf(Level &registers, unsigned loop) {
  Level lanes;
  lanes.tiles.assign(registers.tiles.size(), 0);
  std::swap(lanes.tiles[loop], registers.tiles[loop]);
  lanes.vectorLoop = lanes.laneLoop = loop;
  return lanes;
}

/// What register tiles leave over is split off outside the loop over the parts
/// of a reduction: inside, both pieces of the result would be carried by that
/// loop, and bufferisation can't see that they don't overlap.
Level restsOf(const Level &registers, linalg::LinalgOp op) {
  Level rests = registers;
  rests.splitOnly = rests.padsRests = true;
  for (auto [tile, kind] :
       llvm::zip_equal(rests.tiles, op.getIteratorTypesArray()))
    if (linalg::isReductionIterator(kind))
      tile = 0;
  return rests;
}

/// A block is a whole number of register tiles.
SmallVector<int64_t> blocksOf(ArrayRef<int64_t> blocks,
                              ArrayRef<int64_t> tiles) {
  SmallVector<int64_t> rounded(blocks);
  for (auto [block, tile] : llvm::zip_equal(rounded, tiles))
    if (tile != 0)
      block = static_cast<int64_t>(llvm::alignTo(block, tile));
  return rounded;
}

SmallVector<Level> levelsOf(linalg::LinalgOp op,
                            const tonno::TileSizes &sizes) {
  Level registers = registerLevel(op, sizes.subgroup);
  Level rests = restsOf(registers, op);
  bool isPacked = llvm::is_contained(sizes.pack, 1);
  if (!isPacked && sizes.interchange.empty()) {
    // Caches: the loops in the op's order, then the parts of a reduction, so
    // that a tile of the result stays where it is while they are summed up.
    Level workgroup, reduction;
    workgroup.tiles = blocksOf(sizes.workgroup, sizes.subgroup);
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
  if (isPacked)
    for (int64_t pack : sizes.pack)
      registers.packedLoops.push_back(pack != 0);
  return {rests, caches, registers};
}

/// The tile sizes of a level for an op of these extents.
SmallVector<int64_t> fitTiles(const Level &level, ArrayRef<int64_t> extents) {
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

/// The inputs along packed loops that are read for more than one register tile:
/// a copy pays only by being read again.
SmallVector<bool, 8> packedInputs(linalg::LinalgOp op, const Level &level) {
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

/// What the vector loop is best made as long as: a power of two, where it is
/// shorter than a vector tile and none.
std::optional<int64_t> paddedExtent(const Level &level,
                                    ArrayRef<int64_t> extents) {
  if (!level.vectorLoop)
    return std::nullopt;
  int64_t extent = extents[*level.vectorLoop];
  auto padded = static_cast<int64_t>(llvm::bit_ceil<uint64_t>(extent));
  if (padded == extent || padded > level.tiles[*level.vectorLoop])
    return std::nullopt;
  return padded;
}

/// Loops over the tiles of panels and over what is summed up, around one tile.
Level levelOfPanels(const tonno::PanelOp &panels, ArrayRef<int64_t> tiles) {
  SmallVector<int64_t> steps(tiles);
  for (unsigned loop : panels.inner)
    steps[loop] = 1;
  steps.append(panels.inner.size(), 0);
  Level level = registerLevel(panels.op, steps);
  level.vectorLoop.reset();
  return level;
}

/// The tiles that panels are made of.
SmallVector<int64_t> panelTiles(linalg::LinalgOp op, ArrayRef<int64_t> tiles) {
  SmallVector<int64_t> panels(tiles);
  for (auto [tile, kind] : llvm::zip_equal(panels, op.getIteratorTypesArray()))
    if (tile == 1 || linalg::isReductionIterator(kind))
      tile = 0;
  return panels;
}

/// Takes `op` apart by the first of `levels`, and what comes out of that by the
/// others. Its result begins with `start`, if that is not null.
LogicalResult tile(RewriterBase &rewriter, linalg::LinalgOp op,
                   ArrayRef<Level> levels, Value start = nullptr) {
  if (levels.empty()) {
    tonno::writeStart(rewriter, op, start);
    return tonno::hasWindows(op) ? tonno::flattenWindows(rewriter, op)
                                 : tonno::dropSteps(rewriter, op);
  }
  const Level &level = levels.front();
  SmallVector<int64_t> extents = op.getStaticLoopRanges();
  SmallVector<int64_t> tiles = fitTiles(level, extents);
  rewriter.setInsertionPoint(op);
  if (level.padsRests)
    if (auto extent = paddedExtent(level, extents)) {
      auto padded = tonno::padLoop(rewriter, op, *level.vectorLoop, *extent);
      if (succeeded(padded)) {
        if (start)
          tonno::forgetInit(rewriter, *padded);
        return tile(rewriter, *padded, levels, start);
      }
    }
  auto tilingOp = cast<TilingInterface>(op.getOperation());

  if (llvm::is_contained(level.packedInputs, true)) {
    auto panels = tonno::makePanels(rewriter, op, panelTiles(op, tiles),
                                    level.packedInputs);
    if (succeeded(panels))
      return tile(rewriter, panels->op, levelOfPanels(*panels, tiles), start);
  }

  for (auto [loop, tileSize, extent] : llvm::enumerate(tiles, extents)) {
    int64_t rest = tileSize == 0 ? 0 : extent % tileSize;
    if (rest == 0)
      continue;
    // A second part of a reduction adds to what the first has left.
    bool goesOn = linalg::isReductionIterator(op.getIteratorTypesArray()[loop]);
    auto [whole, tail] = linalg::splitOp(rewriter, tilingOp, loop,
                                         rewriter.getIndexAttr(extent - rest));
    if (failed(tile(rewriter, cast<linalg::LinalgOp>(*whole), levels, start)))
      return failure();
    return tile(rewriter, cast<linalg::LinalgOp>(*tail), levels,
                goesOn ? nullptr : start);
  }

  // A tile that is the whole loop needs no loop.
  for (auto [tileSize, extent] : llvm::zip_equal(tiles, extents))
    if (tileSize == extent)
      tileSize = 0;
  bool isWhole =
      llvm::all_of(tiles, [](int64_t tileSize) { return tileSize == 0; });
  if (isWhole || level.splitOnly) {
    SmallVector<Level> inner(levels.drop_front());
    if (level.splitOnly && !inner.back().packedLoops.empty())
      inner.back().packedInputs = packedInputs(op, inner.back());
    return tile(rewriter, op, inner, start);
  }

  auto outside = tonno::tilesOutsideReductions(op, tiles, level.order);
  if (start && outside) {
    SmallVector<Level> apart(1);
    apart.front().tiles = *outside;
    apart.front().order = level.order;
    llvm::append_range(apart, levels);
    if (llvm::any_of(*outside, [](int64_t tileSize) { return tileSize != 0; }))
      return tile(rewriter, op, apart, start);
    tonno::writeStart(rewriter, op, std::exchange(start, nullptr));
  }

  if (level.laneLoop) {
    auto step = tonno::sumByLanes(rewriter, op, *level.laneLoop,
                                  tiles[*level.laneLoop]);
    return failed(step) ? failure()
                        : tile(rewriter, *step, levels.drop_front());
  }

  scf::SCFTilingOptions options;
  options.setTileSizes(getAsIndexOpFoldResult(rewriter.getContext(), tiles));
  options.setInterchange(level.order);
  FailureOr<scf::SCFTilingResult> tiled =
      scf::tileUsingSCF(rewriter, tilingOp, options);
  if (failed(tiled))
    return op.emitOpError() << "can't be tiled by [" << tiles << "]";
  rewriter.replaceOp(op, tiled->replacements);
  return tile(rewriter, cast<linalg::LinalgOp>(tiled->tiledOps.front()),
              levels.drop_front(), start);
}

/// The elements of a cache line.
int64_t lineElements(Type element) {
  return std::max<int64_t>(512 / element.getIntOrFloatBitWidth(), 1);
}

/// The loop along the rows of what is transposed.
unsigned rowLoopOfInput(linalg::TransposeOp op) {
  int64_t last = static_cast<int64_t>(op.getPermutation().size()) - 1;
  return static_cast<unsigned>(llvm::find(op.getPermutation(), last) -
                               op.getPermutation().begin());
}

/// Moves packing out of the loops that it does not depend on, and takes it
/// apart into copies of a cache line of each of a panel's rows.
LogicalResult lowerPacks(RewriterBase &rewriter, func::FuncOp function) {
  SmallVector<linalg::PackOp> packs;
  function.walk([&](linalg::PackOp pack) { packs.push_back(pack); });
  if (packs.empty())
    return success();
  function.walk([](LoopLikeOpInterface loop) { moveLoopInvariantCode(loop); });
  for (linalg::PackOp pack : packs) {
    rewriter.setInsertionPoint(pack);
    int64_t line = lineElements(pack.getSourceType().getElementType());
    auto lowered = linalg::lowerPack(rewriter, pack,
                                     /*lowerPadLikeWithInsertSlice=*/false);
    if (failed(lowered))
      return pack.emitOpError() << "can't be lowered";
    linalg::TransposeOp copy = lowered->transposeOp;
    Level level;
    level.tiles.assign(copy.getNumLoops(), 1);
    level.tiles[copy.getPermutation().size() - 1] = 0;
    level.tiles[rowLoopOfInput(copy)] = line;
    if (failed(tile(rewriter, copy, level)))
      return failure();
  }
  return success();
}

struct Tile : tonno::impl::TilePassBase<Tile> {
  /// A configuration that nothing reads is a mistake.
  LogicalResult collect(SmallVectorImpl<linalg::LinalgOp> &ops) {
    WalkResult result = getOperation().walk([&](Operation *op) {
      if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op)) {
        ops.push_back(linalgOp);
      } else if (op->hasAttr(tonno::TonnoDialect::kLoweringConfig)) {
        op->emitOpError() << "has '" << tonno::TonnoDialect::kLoweringConfig
                          << "', which only linalg ops are lowered by";
        return WalkResult::interrupt();
      }
      return WalkResult::advance();
    });
    return failure(result.wasInterrupted());
  }

  void runOnOperation() override {
    if (tonno::hasOwnLowering(getOperation()))
      return;
    if (failed(tonno::verifyKnobsResolved(getOperation())))
      return signalPassFailure();
    SmallVector<linalg::LinalgOp> ops;
    if (failed(collect(ops)))
      return signalPassFailure();
    IRRewriter rewriter(&getContext());
    for (linalg::LinalgOp op : ops) {
      auto sizes = tonno::TileSizes::get(op);
      if (failed(sizes))
        return signalPassFailure();
      // Read, it must not come along to what the op is taken apart into.
      op->removeDiscardableAttr(tonno::TonnoDialect::kLoweringConfig);
      if (op.hasDynamicShape()) {
        if (!*sizes)
          continue;
        op.emitOpError() << "has tile sizes, but a dynamic shape";
        return signalPassFailure();
      }
      if (!*sizes)
        *sizes = tonno::TileSizes::getDefault(op);
      if (*sizes && failed(tile(rewriter, op, levelsOf(op, **sizes),
                                tonno::takeStart(rewriter, op))))
        return signalPassFailure();
    }
    if (failed(lowerPacks(rewriter, getOperation())))
      return signalPassFailure();
  }
};

} // namespace

//===- Tile linalg ops by their configuration -----------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Dialect/LoweringConfig.h"
#include "tonno/Dialect/TonnoDialect.h"
#include "tonno/Transforms/Schedule/LaneSums.h"
#include "tonno/Transforms/Schedule/PackCopies.h"
#include "tonno/Transforms/Schedule/PadLoop.h"
#include "tonno/Transforms/Schedule/Panels.h"
#include "tonno/Transforms/Schedule/Passes.h"
#include "tonno/Transforms/Schedule/Rests.h"
#include "tonno/Transforms/Schedule/SharedLoop.h"
#include "tonno/Transforms/Schedule/Starts.h"
#include "tonno/Transforms/Schedule/TileLevels.h"
#include "tonno/Transforms/Schedule/TileSizes.h"
#include "tonno/Transforms/Schedule/UnitLoops.h"
#include "tonno/Transforms/Schedule/Updates.h"
#include "tonno/Transforms/Schedule/Windows.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/SCF/Transforms/TileUsingInterface.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace tonno {
#define GEN_PASS_DEF_TILEPASS
#include "tonno/Transforms/Schedule/Passes.h.inc"
} // namespace tonno

using namespace mlir;
using tonno::Level;

namespace {

LogicalResult tile(RewriterBase &rewriter, linalg::LinalgOp op,
                   ArrayRef<Level> levels, Value start = nullptr);

/// Gives each thread an equal part of a loop. What is left over, less than one
/// iteration a thread, the caller's thread computes.
LogicalResult share(RewriterBase &rewriter, linalg::LinalgOp op,
                    ArrayRef<Level> levels, Value start) {
  const Level &level = levels.front();
  auto loop = tonno::sharedLoop(op, level.order, level.tiles, level.threads);
  if (failed(loop))
    return failure();
  auto tilingOp = cast<TilingInterface>(op.getOperation());
  int64_t extent = op.getStaticLoopRanges()[*loop];
  int64_t rest = extent % level.threads;
  if (rest != 0) {
    auto [whole, tail] = linalg::splitOp(rewriter, tilingOp, *loop,
                                         rewriter.getIndexAttr(extent - rest));
    return success(succeeded(tile(rewriter, cast<linalg::LinalgOp>(*whole),
                                  levels, start)) &&
                   succeeded(tile(rewriter, cast<linalg::LinalgOp>(*tail),
                                  levels.drop_front(), start)));
  }
  SmallVector<int64_t> parts(op.getNumLoops(), 0);
  parts[*loop] = extent / level.threads;
  scf::SCFTilingOptions options;
  options.setTileSizes(getAsIndexOpFoldResult(rewriter.getContext(), parts));
  options.setLoopType(scf::SCFTilingOptions::LoopType::ForallOp);
  FailureOr<scf::SCFTilingResult> shared =
      scf::tileUsingSCF(rewriter, tilingOp, options);
  if (failed(shared))
    return op.emitOpError() << "can't be shared by threads";
  tonno::markShared(cast<scf::ForallOp>(shared->loops.front().getOperation()),
                    level.threads);
  rewriter.replaceOp(op, shared->replacements);
  return tile(rewriter, cast<linalg::LinalgOp>(shared->tiledOps.front()),
              levels.drop_front(), start);
}

/// Takes `op` apart by the first of `levels`, and what comes out of that by the
/// others. Its result begins with `start`, if that is not null.
LogicalResult tile(RewriterBase &rewriter, linalg::LinalgOp op,
                   ArrayRef<Level> levels, Value start) {
  if (levels.empty()) {
    tonno::writeStart(rewriter, op, start);
    return tonno::hasWindows(op) ? tonno::flattenWindows(rewriter, op)
                                 : tonno::dropSteps(rewriter, op);
  }
  const Level &level = levels.front();
  rewriter.setInsertionPoint(op);
  if (level.threads > 1)
    return share(rewriter, op, levels, start);
  SmallVector<int64_t> extents = op.getStaticLoopRanges();
  SmallVector<int64_t> tiles = fitTiles(level, extents);
  if (unsigned loop = level.vectorLoop.value_or(0);
      level.padsRests && level.vectorLoop)
    if (auto extent = tonno::paddedExtent(extents[loop], level.tiles[loop])) {
      auto padded = tonno::padLoop(rewriter, op, loop, *extent);
      if (succeeded(padded)) {
        if (start)
          tonno::forgetInit(rewriter, *padded);
        return tile(rewriter, *padded, levels, start);
      }
    }
  auto tilingOp = cast<TilingInterface>(op.getOperation());

  // Sums have a level for what is left over.
  if (!level.splitOnly && op.getNumReductionLoops() == 0)
    if (auto around = tonno::tilesAroundRest(tiles, extents, level.order))
      return tile(rewriter, op, goFirst(*around, levels));

  for (auto [loop, tileSize, extent] : llvm::enumerate(tiles, extents)) {
    int64_t divisor =
        isGrouped(level, extents, loop) ? level.groups[loop] : tileSize;
    int64_t rest = divisor == 0 ? 0 : extent % divisor;
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

  if (llvm::is_contained(level.packedInputs, true)) {
    auto panels = tonno::makePanels(rewriter, op, panelTiles(op, level, tiles),
                                    level.packedInputs);
    if (succeeded(panels))
      return tile(rewriter, panels->op, levelOfPanels(*panels, tiles), start);
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
    if (llvm::any_of(*outside, [](int64_t tileSize) { return tileSize != 0; }))
      return tile(rewriter, op, goFirst(*outside, levels), start);
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
    IRRewriter rewriter(&getContext());
    SmallVector<linalg::LinalgOp> ops;
    if (failed(tonno::readThroughOutputs(rewriter, getOperation())) ||
        failed(collect(ops)))
      return signalPassFailure();
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
    auto copyByTiles = [&](linalg::LinalgOp copy, ArrayRef<int64_t> tiles) {
      Level level;
      llvm::append_range(level.tiles, tiles);
      return tile(rewriter, copy, level);
    };
    if (failed(tonno::lowerPacks(rewriter, getOperation(), copyByTiles)))
      return signalPassFailure();
  }
};

} // namespace

//===- Tile.cpp - Tile linalg ops by their configuration ------------------===//
//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tonno/Dialect/LoweringConfig.h"
#include "tonno/Dialect/TonnoDialect.h"
#include "tonno/Transforms/Schedule/Passes.h"
#include "tonno/Transforms/Schedule/TileSizes.h"

#include "llvm/ADT/bit.h"
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

namespace {

/// One step of taking an op apart.
struct Level {
  SmallVector<int64_t> tiles;
  /// The loops' order, outermost first; empty for the op's own.
  SmallVector<int64_t> order;
  /// The loop whose tiles become vectors.
  std::optional<unsigned> vectorLoop;
  /// Split off what the tiles don't divide, but leave the loops to come.
  bool splitOnly = false;
};

SmallVector<Level> levelsOf(linalg::LinalgOp op,
                            const tonno::TileSizes &sizes) {
  SmallVector<unsigned> parallel, reductions;
  op.getParallelDims(parallel);
  op.getReductionDims(reductions);

  // Caches: the loops in the op's order, then the parts of a reduction, so
  // that a tile of the result stays where it is while they are summed up.
  Level workgroup, rests, reduction, subgroup;
  workgroup.tiles = sizes.workgroup;
  reduction.tiles = sizes.reduction;
  // Registers: the last parallel loop outermost, so that a panel of the last
  // operand (B of a matrix product) stays in the nearest cache; reductions
  // innermost, for the accumulators.
  subgroup.tiles = sizes.subgroup;
  llvm::append_range(subgroup.order, llvm::reverse(parallel));
  llvm::append_range(subgroup.order, reductions);
  if (llvm::any_of(sizes.subgroup, [](int64_t tile) { return tile != 0; })) {
    for (unsigned loop : reductions)
      if (subgroup.tiles[loop] == 0)
        subgroup.tiles[loop] = 1;
    if (!parallel.empty())
      subgroup.vectorLoop = parallel.back();
  }
  // What register tiles leave over is split off outside the loop over the parts
  // of a reduction: inside, both pieces of the result would be carried by that
  // loop, and bufferisation can't see that they don't overlap.
  rests = subgroup;
  rests.splitOnly = true;
  for (unsigned loop : reductions)
    rests.tiles[loop] = 0;
  return {workgroup, rests, reduction, subgroup};
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

/// Takes `op` apart by the first of `levels`, and what comes out of that by the
/// others.
LogicalResult tile(RewriterBase &rewriter, linalg::LinalgOp op,
                   ArrayRef<Level> levels) {
  if (levels.empty())
    return success();
  const Level &level = levels.front();
  SmallVector<int64_t> extents = op.getStaticLoopRanges();
  SmallVector<int64_t> tiles = fitTiles(level, extents);
  rewriter.setInsertionPoint(op);
  auto tilingOp = cast<TilingInterface>(op.getOperation());

  for (auto [loop, tileSize, extent] : llvm::enumerate(tiles, extents)) {
    int64_t rest = tileSize == 0 ? 0 : extent % tileSize;
    if (rest == 0)
      continue;
    auto [whole, tail] = linalg::splitOp(rewriter, tilingOp, loop,
                                         rewriter.getIndexAttr(extent - rest));
    if (failed(tile(rewriter, cast<linalg::LinalgOp>(*whole), levels)))
      return failure();
    return tile(rewriter, cast<linalg::LinalgOp>(*tail), levels);
  }

  // A tile that is the whole loop needs no loop.
  for (auto [tileSize, extent] : llvm::zip_equal(tiles, extents))
    if (tileSize == extent)
      tileSize = 0;
  bool isWhole =
      llvm::all_of(tiles, [](int64_t tileSize) { return tileSize == 0; });
  if (isWhole || level.splitOnly)
    return tile(rewriter, op, levels.drop_front());

  scf::SCFTilingOptions options;
  options.setTileSizes(getAsIndexOpFoldResult(rewriter.getContext(), tiles));
  options.setInterchange(level.order);
  FailureOr<scf::SCFTilingResult> tiled =
      scf::tileUsingSCF(rewriter, tilingOp, options);
  if (failed(tiled))
    return op.emitOpError() << "can't be tiled by [" << tiles << "]";
  rewriter.replaceOp(op, tiled->replacements);
  return tile(rewriter, cast<linalg::LinalgOp>(tiled->tiledOps.front()),
              levels.drop_front());
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
      if (*sizes && failed(tile(rewriter, op, levelsOf(op, **sizes))))
        return signalPassFailure();
    }
  }
};

} // namespace

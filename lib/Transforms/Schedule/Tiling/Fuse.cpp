//===- Tile an op and fuse its producers ----------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Dialect/LoweringConfig.h"
#include "tonno/Dialect/TonnoDialect.h"
#include "tonno/Dialect/Walks.h"
#include "tonno/Transforms/Schedule/Passes.h"
#include "tonno/Transforms/Schedule/Tiling/TileSizes.h"
#include "Schedule/Threads/ShareLoops.h"
#include "Schedule/Tiling/DynamicLoops.h"
#include "Schedule/Tiling/LinalgForms.h"
#include "Schedule/Tiling/LoopExtents.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/Transforms/TileUsingInterface.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tensor/Transforms/Transforms.h"
#include "mlir/IR/Dominance.h"
#include "mlir/Transforms/CSE.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace tonno {
#define GEN_PASS_DEF_FUSEPASS
#include "tonno/Transforms/Schedule/Passes.h.inc"
} // namespace tonno

using namespace mlir;
using namespace tonno;

namespace {
struct Fused {
  linalg::LinalgOp root; ///< the op that computes a tile
  Operation *loop;       ///< the outermost
};
} // namespace

/// Returns the ops of the root's fusion group, without the root: splitting it
/// erases it, after which a new op may have its address.
static FusionGroup getFusedProducers(linalg::LinalgOp root,
                                     ArrayRef<int64_t> tiles) {
  FusionGroup group = fusionGroup(root, tiles);
  group.erase(root);
  return group;
}

/// Tiles `root` by sizes that divide it, with `producers`.
static FailureOr<Fused> fuseTiles(RewriterBase &rewriter, linalg::LinalgOp root,
                                  ArrayRef<int64_t> tiles,
                                  scf::SCFTilingOptions tiling,
                                  const FusionGroup &producers) {
  scf::SCFTileAndFuseOptions options;
  tiling.setTileSizes(getAsIndexOpFoldResult(rewriter.getContext(), tiles));
  options.setTilingOptions(std::move(tiling));
  options.setFusionControlFn(
      [&](tensor::ExtractSliceOp, OpResult producer,
          bool) -> std::optional<scf::SCFTileAndFuseOptions::ControlFnResult> {
        if (!producers.contains(producer.getOwner()))
          return std::nullopt;
        return scf::SCFTileAndFuseOptions::ControlFnResult{};
      });
  // The peeled part is a slice, whose tiles are slices too; merge them.
  RewritePatternSet merging(rewriter.getContext());
  tensor::populateMergeConsecutiveInsertExtractSlicePatterns(merging);
  options.cleanupPatterns = std::move(merging);
  rewriter.setInsertionPoint(root);
  auto fused = scf::tileConsumerAndFuseProducersUsingSCF(
      rewriter, cast<TilingInterface>(root.getOperation()), options);
  if (failed(fused))
    return root.emitOpError() << "cannot be tiled by [" << tiles
                              << "] and fused with its producers";
  for (OpResult result : root->getResults())
    if (Value replacement = fused->replacements.lookup(result))
      rewriter.replaceAllUsesWith(result, replacement);
  return Fused{cast<linalg::LinalgOp>(fused->tiledAndFusedOps.front()),
               fused->loops.front()};
}

/// Creates loops over whole tiles of `root`, in which it is computed with
/// `producers`. The remainder of the only dynamic loop is one tile of dynamic
/// size, which each op tiles later. With several dynamic loops, remainders have
/// static tiles, each of a quarter of the last: slices whose sizes are all
/// dynamic take long to compile.
static LogicalResult fuse(RewriterBase &rewriter, linalg::LinalgOp root,
                          ArrayRef<int64_t> sizes,
                          const FusionGroup &producers) {
  SmallVector<int64_t> tiles(sizes);
  LoopExtents extents(rewriter, root);
  bool hasPartialTile = false;
  for (auto [loop, tile] : llvm::enumerate(tiles)) {
    std::optional<int64_t> extent = extents.getStatic(loop),
                           bound = extents.getBound(loop);
    // A single tile needs a loop, too: it makes the slices to compute.
    if (bound && *bound < tile) {
      if (!extent && hasOneDynamicLoop(root)) {
        hasPartialTile = true;
        continue;
      }
      tile = extent ? *extent : fitTileToBound(*bound);
    }
    if (extents.isMultiple(loop, tile))
      continue;
    auto [whole, tail] =
        extent
            ? splitLoop(rewriter, root, loop, *extent / tile * tile)
            : splitDynamicLoop(rewriter, root, loop, extents.get(loop), tile);
    return success(succeeded(fuse(rewriter, whole, sizes, producers)) &&
                   succeeded(fuse(rewriter, tail, sizes, producers)));
  }
  scf::SCFTilingOptions loops;
  if (root.hasDynamicShape() && !hasPartialTile)
    setExactLoops(loops);
  return fuseTiles(rewriter, root, tiles, std::move(loops), producers);
}

/// Removes keys from the op's configuration, so that the op's tiles do not
/// inherit them.
static void eraseKeys(linalg::LinalgOp op, ArrayRef<StringRef> keys) {
  DictionaryAttr given = getLoweringConfig(op);
  if (!given)
    return;
  NamedAttrList config(given);
  for (StringRef key : keys)
    config.erase(key);
  setLoweringConfig(op, config);
}

/// Returns the loop of the group's root that the threads share.
static FailureOr<unsigned> chooseSharedLoop(linalg::LinalgOp root,
                                            ArrayRef<int64_t> sizes,
                                            int64_t threads,
                                            double iterations) {
  auto dividedShare = [&](unsigned loop) {
    SmallVector<int64_t> tiles(root.getNumLoops(), 0);
    tiles[loop] = 1;
    return std::min(countIterations(fusionGroup(root, tiles)) / iterations, 1.);
  };
  return sharedLoop(root, /*order=*/{}, sizes, threads, dividedShare);
}

/// Computes `root`, with the producers that go along with the loop, in equal
/// parts by the threads; those of a dynamic loop consist of whole tiles.
/// Returns the part.
static FailureOr<Fused> shareLoop(RewriterBase &rewriter, linalg::LinalgOp root,
                                  unsigned loop, int64_t tile, int64_t threads,
                                  const FusionGroup &producers) {
  SmallVector<int64_t> parts(root.getNumLoops(), 0);
  int64_t extent = root.getStaticLoopRanges()[loop];
  scf::SCFTilingOptions loops;
  if (ShapedType::isDynamic(extent)) {
    parts[loop] = std::max<int64_t>(tile, 1);
    setSharedParts(loops, threads);
  } else {
    parts[loop] = extent / threads;
    loops.setLoopType(scf::SCFTilingOptions::LoopType::ForallOp);
  }
  // Producers are computed by the threads of the root.
  for (Operation *producer : llvm::make_first_range(producers))
    if (auto op = dyn_cast<linalg::LinalgOp>(producer))
      eraseKeys(op, lowering_config::kThreads);
  auto shared = fuseTiles(rewriter, root, parts, std::move(loops), producers);
  if (failed(shared))
    return failure();
  markShared(cast<scf::ForallOp>(shared->loop), threads);
  DominanceInfo dominance(shared->loop);
  eliminateCommonSubExpressions(rewriter, dominance, shared->loop);
  return shared;
}

/// Shares those of `producers`, from the last to the first, that are not
/// `divided` with their root: each with what goes along with a loop of its own.
static LogicalResult shareOthers(RewriterBase &rewriter, FusionGroup producers,
                                 const FusionGroup &divided, int64_t threads) {
  producers.remove_if(
      [&](const auto &producer) { return divided.contains(producer.first); });
  while (!producers.empty()) {
    auto last = cast<linalg::LinalgOp>(producers.front().first);
    double all = countIterations(producers);
    producers.erase(last);
    if (!isWorthSharing(all) || !canBeShared(last, threads))
      continue;
    SmallVector<int64_t> tiles(last.getNumLoops(), 0);
    auto loop = chooseSharedLoop(last, tiles, threads, all);
    if (failed(loop))
      return failure();
    int64_t extent = last.getStaticLoopRanges()[*loop];
    bool isDynamic = ShapedType::isDynamic(extent);
    tiles[*loop] = isDynamic ? 1 : extent / threads;
    FusionGroup group = fusionGroup(last, tiles);
    bool isEven = isDynamic || extent % threads == 0;
    if (!isEven || !isWorthSharing(countIterations(group)))
      continue;
    for (Operation *op : llvm::make_first_range(group))
      producers.erase(op);
    group.erase(last);
    eraseKeys(last, lowering_config::kThreads);
    if (failed(shareLoop(rewriter, last, *loop, /*tile=*/1, threads, group)))
      return failure();
  }
  return success();
}

/// Distributes a loop of the group over the threads in equal parts; the calling
/// thread also computes the peeled tail.
static LogicalResult share(RewriterBase &rewriter, linalg::LinalgOp root,
                           ArrayRef<int64_t> sizes, int64_t threads) {
  auto loop = chooseSharedLoop(root, sizes, threads,
                               countIterations(fusionGroup(root, sizes)));
  if (failed(loop))
    return failure();
  int64_t extent = root.getStaticLoopRanges()[*loop];
  bool isDynamic = ShapedType::isDynamic(extent);
  SmallVector<int64_t> parts(root.getNumLoops(), 0);
  parts[*loop] = isDynamic ? 1 : extent / threads;
  // Ops fused into the peeled part have two users.
  auto withPart = getFusedProducers(root, parts);
  auto withTile = getFusedProducers(root, sizes);
  if (int64_t rest = isDynamic ? 0 : extent % threads) {
    auto [whole, tail] = splitLoop(rewriter, root, *loop, extent - rest);
    root = whole;
    if (failed(fuse(rewriter, tail, sizes, withTile)))
      return failure();
  } else if (failed(shareOthers(rewriter, withTile, withPart, threads))) {
    return failure();
  }
  auto shared =
      shareLoop(rewriter, root, *loop, sizes[*loop], threads, withPart);
  if (failed(shared))
    return failure();
  return fuse(rewriter, shared->root, sizes,
              getFusedProducers(shared->root, sizes));
}

namespace {

struct Fuse : tonno::impl::FusePassBase<Fuse> {
  void runOnOperation() override {
    if (hasOwnLowering(getOperation()))
      return;
    IRRewriter rewriter(&getContext());
    if (failed(readThroughOutputs(rewriter, getOperation())))
      return signalPassFailure();
    bool hasFused = false;
    for (auto root : collectOps<linalg::LinalgOp>(getOperation())) {
      auto sizes = TileSizes::get(root);
      if (failed(sizes))
        return signalPassFailure();
      if (!*sizes || (*sizes)->fuse.empty())
        continue;
      if (!root.hasPureTensorSemantics()) {
        root.emitOpError() << "must have tensors to be fused with its "
                              "producers";
        return signalPassFailure();
      }
      eraseKeys(root, {lowering_config::kFuse, lowering_config::kThreads});
      int64_t threads = (*sizes)->threads;
      if (failed(threads == 1 ? fuse(rewriter, root, (*sizes)->fuse,
                                     getFusedProducers(root, (*sizes)->fuse))
                              : share(rewriter, root, (*sizes)->fuse, threads)))
        return signalPassFailure();
      hasFused = true;
    }
    if (!hasFused)
      return;
    // Two users of a producer each got a copy of it.
    DominanceInfo dominance(getOperation());
    eliminateCommonSubExpressions(rewriter, dominance, getOperation());
    // Intermediates need only the memory of a tile.
    RewritePatternSet shrinking(&getContext());
    tensor::populateFoldTensorEmptyPatterns(shrinking);
    if (failed(applyPatternsGreedily(getOperation(), std::move(shrinking))))
      signalPassFailure();
  }
};

} // namespace

//===- Fuse.cpp - Compute what an op uses tile by tile with it ------------===//
//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tonno/Dialect/LoweringConfig.h"
#include "tonno/Dialect/TonnoDialect.h"
#include "tonno/Transforms/Schedule/FusionGroup.h"
#include "tonno/Transforms/Schedule/Passes.h"
#include "tonno/Transforms/Schedule/TileSizes.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
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

/// Loops over whole tiles of `root`, in which all of its group is computed.
static LogicalResult fuse(RewriterBase &rewriter, linalg::LinalgOp root,
                          ArrayRef<int64_t> sizes,
                          const llvm::SetVector<Operation *> &group) {
  SmallVector<int64_t> tiles(sizes);
  SmallVector<int64_t> extents = root.getStaticLoopRanges();
  rewriter.setInsertionPoint(root);
  auto tilingRoot = cast<TilingInterface>(root.getOperation());
  for (auto [loop, tile, extent] : llvm::enumerate(tiles, extents)) {
    // A single tile needs a loop, too: it makes the slices to compute.
    tile = std::min(tile, extent);
    int64_t rest = tile == 0 ? 0 : extent % tile;
    if (rest == 0)
      continue;
    auto [whole, tail] = linalg::splitOp(rewriter, tilingRoot, loop,
                                         rewriter.getIndexAttr(extent - rest));
    return success(
        succeeded(
            fuse(rewriter, cast<linalg::LinalgOp>(*whole), sizes, group)) &&
        succeeded(fuse(rewriter, cast<linalg::LinalgOp>(*tail), sizes, group)));
  }
  scf::SCFTileAndFuseOptions options;
  options.tilingOptions.setTileSizes(
      getAsIndexOpFoldResult(rewriter.getContext(), tiles));
  options.setFusionControlFn(
      [&](tensor::ExtractSliceOp, OpResult producer,
          bool) -> std::optional<scf::SCFTileAndFuseOptions::ControlFnResult> {
        if (!group.contains(producer.getOwner()))
          return std::nullopt;
        return scf::SCFTileAndFuseOptions::ControlFnResult{};
      });
  // What was split off is a slice, of which tiles are slices.
  RewritePatternSet merging(rewriter.getContext());
  tensor::populateMergeConsecutiveInsertExtractSlicePatterns(merging);
  options.cleanupPatterns = std::move(merging);
  auto fused =
      scf::tileConsumerAndFuseProducersUsingSCF(rewriter, tilingRoot, options);
  if (failed(fused))
    return root.emitOpError()
           << "can't be tiled by [" << tiles << "] with what it uses";
  for (OpResult result : root->getResults())
    if (Value replacement = fused->replacements.lookup(result))
      rewriter.replaceAllUsesWith(result, replacement);
  return success();
}

namespace {

struct Fuse : tonno::impl::FusePassBase<Fuse> {
  void runOnOperation() override {
    if (tonno::hasOwnLowering(getOperation()))
      return;
    SmallVector<linalg::LinalgOp> roots;
    getOperation().walk([&](linalg::LinalgOp op) { roots.push_back(op); });
    IRRewriter rewriter(&getContext());
    bool hasFused = false;
    for (linalg::LinalgOp root : roots) {
      auto sizes = tonno::TileSizes::get(root);
      if (failed(sizes))
        return signalPassFailure();
      if (!*sizes || (*sizes)->fuse.empty())
        continue;
      if (!root.hasPureTensorSemantics() || root.hasDynamicShape()) {
        root.emitOpError() << "is to be computed with what it uses, for which "
                              "it must have tensors of static shape";
        return signalPassFailure();
      }
      takeKey(root);
      if (failed(fuse(rewriter, root, (*sizes)->fuse,
                      tonno::fusionGroup(root, (*sizes)->fuse))))
        return signalPassFailure();
      hasFused = true;
    }
    if (!hasFused)
      return;
    // Two users of a producer each got a copy of it.
    DominanceInfo dominance(getOperation());
    eliminateCommonSubExpressions(rewriter, dominance, getOperation());
    // What lies between needs the memory of a tile.
    RewritePatternSet shrinking(&getContext());
    tensor::populateFoldTensorEmptyPatterns(shrinking);
    if (failed(applyPatternsGreedily(getOperation(), std::move(shrinking))))
      signalPassFailure();
  }

  /// Read, it must not come along to the op's tiles.
  static void takeKey(linalg::LinalgOp op) {
    StringRef name = tonno::TonnoDialect::kLoweringConfig;
    NamedAttrList config(op->getAttrOfType<DictionaryAttr>(name));
    config.erase(tonno::lowering_config::kFuse);
    op->setAttr(name, config.getDictionary(op->getContext()));
  }
};

} // namespace

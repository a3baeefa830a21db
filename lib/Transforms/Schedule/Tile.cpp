//===- Tile.cpp - Tile linalg ops by their configuration ----------------===//
//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

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

/// Tile sizes of one level and the order of its loops, outermost first.
struct Level {
  SmallVector<int64_t> tiles;
  SmallVector<int64_t> order;
  /// The loop whose tiles become vectors.
  std::optional<unsigned> vectorLoop;
};

SmallVector<Level> levelsOf(linalg::LinalgOp op,
                            const tonno::TileSizes &sizes) {
  SmallVector<unsigned> parallel, reductions;
  op.getParallelDims(parallel);
  op.getReductionDims(reductions);

  // Caches: the loops in the op's order, then the parts of a reduction, so
  // that a tile of the result stays where it is while they are summed up.
  Level workgroup{sizes.workgroup, {}, {}};
  Level reduction{sizes.reduction, {}, {}};
  // Registers: the last parallel loop outermost, so that a panel of the last
  // operand (B of a matrix product) stays in the nearest cache; reductions
  // innermost, for the accumulators.
  Level subgroup{sizes.subgroup, {}, {}};
  llvm::append_range(subgroup.order, llvm::reverse(parallel));
  llvm::append_range(subgroup.order, reductions);
  if (llvm::any_of(sizes.subgroup, [](int64_t tile) { return tile != 0; })) {
    for (unsigned loop : reductions)
      if (subgroup.tiles[loop] == 0)
        subgroup.tiles[loop] = 1;
    if (!parallel.empty())
      subgroup.vectorLoop = parallel.back();
  }
  return {workgroup, reduction, subgroup};
}

/// Tiles `op` by the first of `levels`, and what comes out of that by the rest.
LogicalResult tile(RewriterBase &rewriter, linalg::LinalgOp op,
                   ArrayRef<Level> levels) {
  if (levels.empty())
    return success();
  const Level &level = levels.front();
  SmallVector<int64_t> extents = op.getStaticLoopRanges();
  SmallVector<int64_t> tiles = level.tiles;
  for (auto [loop, tileSize, extent] : llvm::enumerate(tiles, extents)) {
    if (tileSize == 0)
      continue;
    tileSize = std::min(tileSize, extent);
    if (loop == level.vectorLoop && extent < level.tiles[loop])
      tileSize = llvm::bit_floor(uint64_t(extent));
    int64_t rest = extent % tileSize;
    if (rest == 0)
      continue;
    rewriter.setInsertionPoint(op);
    auto [whole, tail] =
        linalg::splitOp(rewriter, cast<TilingInterface>(op.getOperation()),
                        loop, rewriter.getIndexAttr(extent - rest));
    if (failed(tile(rewriter, cast<linalg::LinalgOp>(*whole), levels)))
      return failure();
    return tile(rewriter, cast<linalg::LinalgOp>(*tail), levels);
  }

  // A tile that is the whole loop needs no loop.
  for (auto [tileSize, extent] : llvm::zip_equal(tiles, extents))
    if (tileSize == extent)
      tileSize = 0;
  if (llvm::all_of(tiles, [](int64_t tileSize) { return tileSize == 0; }))
    return tile(rewriter, op, levels.drop_front());

  scf::SCFTilingOptions options;
  options.setTileSizes(getAsIndexOpFoldResult(rewriter.getContext(), tiles));
  options.setInterchange(level.order);
  rewriter.setInsertionPoint(op);
  FailureOr<scf::SCFTilingResult> tiled = scf::tileUsingSCF(
      rewriter, cast<TilingInterface>(op.getOperation()), options);
  if (failed(tiled))
    return op.emitOpError() << "can't be tiled by [" << tiles << "]";
  rewriter.replaceOp(op, tiled->replacements);
  return tile(rewriter, cast<linalg::LinalgOp>(tiled->tiledOps.front()),
              levels.drop_front());
}

struct Tile : tonno::impl::TilePassBase<Tile> {
  void runOnOperation() override {
    if (failed(tonno::verifyKnobsResolved(getOperation())))
      return signalPassFailure();
    SmallVector<linalg::LinalgOp> ops;
    getOperation().walk([&](linalg::LinalgOp op) { ops.push_back(op); });
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

//===- Packing of constant arguments --------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Schedule/Tiling/PackConstants.h"
#include "tonno/Dialect/Walks.h"
#include "tonno/Transforms/Schedule/Bufferization/KernelBuffers.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Utils/Utils.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/LoopLikeInterface.h"

using namespace mlir;
using namespace tonno;

namespace {

/// A part of a tensor, of its rank and with steps of one.
struct Part {
  Value whole;
  SmallVector<SmallVector<OpFoldResult>> offsets; ///< of each dimension, to add
};

} // namespace

/// Returns which part of a constant argument a value is; none for other values.
static std::optional<Part> findPart(Value value) {
  Part part;
  part.offsets.resize(cast<RankedTensorType>(value.getType()).getRank());
  while (auto slice = value.getDefiningOp<tensor::ExtractSliceOp>()) {
    if (slice.getSourceType().getRank() != slice.getType().getRank() ||
        !slice.hasUnitStride())
      return std::nullopt;
    for (auto [all, offset] :
         llvm::zip_equal(part.offsets, slice.getMixedOffsets()))
      if (!isZeroInteger(offset))
        all.push_back(offset);
    value = slice.getSource();
  }
  part.whole = value;
  return findConstantArgument(value) ? std::optional(part) : std::nullopt;
}

bool tonno::isPartOfConstant(Value tensor) {
  return isa<RankedTensorType>(tensor.getType()) && findPart(tensor);
}

/// Returns true if the index is known to be a multiple of `divisor`.
static bool isDivisible(OpFoldResult index, int64_t divisor) {
  if (auto constant = getConstantIntValue(index))
    return *constant % divisor == 0;
  auto value = cast<Value>(index);
  if (auto apply = value.getDefiningOp<affine::AffineApplyOp>())
    return apply.getAffineMap().getResult(0).isMultipleOf(divisor);
  auto variable = dyn_cast<BlockArgument>(value);
  auto loop =
      variable
          ? dyn_cast<LoopLikeOpInterface>(variable.getOwner()->getParentOp())
          : LoopLikeOpInterface();
  if (!loop)
    return false;
  auto variables = loop.getLoopInductionVars();
  auto begins = loop.getLoopLowerBounds(), steps = loop.getLoopSteps();
  if (!variables || !begins || !steps)
    return false;
  for (auto [own, begin, step] : llvm::zip_equal(*variables, *begins, *steps))
    if (own == variable)
      return isDivisible(begin, divisor) && isDivisible(step, divisor);
  return false;
}

/// Returns the tile of each dimension of the pack's source; 1 if it has none.
static SmallVector<int64_t> getTiles(linalg::PackOp pack) {
  SmallVector<int64_t> tiles(pack.getSourceType().getRank(), 1);
  for (auto [dimension, tile] :
       llvm::zip_equal(pack.getInnerDimsPos(), pack.getStaticInnerTiles()))
    tiles[dimension] = tile;
  return tiles;
}

/// Returns true if the copied elements are converted, which is done with the
/// copying.
static bool isConverted(linalg::PackOp pack) {
  return llvm::any_of(pack->getUsers(), [](Operation *user) {
    auto generic = dyn_cast<linalg::GenericOp>(user);
    return generic && linalg::isElementwise(generic);
  });
}

/// Returns true if the part begins and ends with whole tiles of its whole.
static bool hasWholeTiles(const Part &part, ArrayRef<int64_t> tiles) {
  auto type = cast<RankedTensorType>(part.whole.getType());
  return type.hasStaticShape() &&
         llvm::all_of(llvm::zip_equal(type.getShape(), tiles, part.offsets),
                      [](auto dimension) {
                        auto [extent, tile, offsets] = dimension;
                        return tile > 0 && extent % tile == 0 &&
                               llvm::all_of(offsets, [&](OpFoldResult offset) {
                                 return isDivisible(offset, tile);
                               });
                      });
}

namespace {

/// Creates packs of whole arguments, and reuses equal ones.
class WholePacks {
public:
  explicit WholePacks(RewriterBase &rewriter) : rewriter(rewriter) {}

  /// Returns the whole packed as the part is by `pack`.
  Value get(Value whole, linalg::PackOp pack) {
    for (linalg::PackOp known : packs)
      if (known.getSource() == whole &&
          known.getInnerDimsPos() == pack.getInnerDimsPos() &&
          known.getOuterDimsPerm() == pack.getOuterDimsPerm() &&
          known.getStaticInnerTiles() == pack.getStaticInnerTiles())
        return known.getResult();
    OpBuilder::InsertionGuard guard(rewriter);
    rewriter.setInsertionPointAfterValue(whole);
    Location loc = pack.getLoc();
    SmallVector<OpFoldResult> tiles = pack.getMixedTiles();
    Value destination = linalg::PackOp::createDestinationTensor(
        rewriter, loc, whole, tiles, pack.getInnerDimsPos(),
        pack.getOuterDimsPerm());
    packs.push_back(linalg::PackOp::create(
        rewriter, loc, whole, destination, pack.getInnerDimsPos(), tiles,
        /*paddingValue=*/{}, pack.getOuterDimsPerm()));
    return packs.back().getResult();
  }

private:
  RewriterBase &rewriter;
  SmallVector<linalg::PackOp> packs;
};

} // namespace

/// Returns the sum of the offsets, in tiles.
static OpFoldResult addOffsets(RewriterBase &rewriter, Location loc,
                               ArrayRef<OpFoldResult> offsets, int64_t tile) {
  AffineExpr sum = rewriter.getAffineConstantExpr(0);
  for (unsigned i = 0; i < offsets.size(); ++i)
    sum = sum + rewriter.getAffineDimExpr(i);
  AffineMap map = AffineMap::get(offsets.size(), 0, sum.floorDiv(tile));
  return affine::makeComposedFoldedAffineApply(rewriter, loc, map, offsets);
}

void tonno::packConstants(RewriterBase &rewriter, func::FuncOp function) {
  WholePacks wholes(rewriter);
  for (linalg::PackOp pack : collectOps<linalg::PackOp>(function)) {
    std::optional<Part> part = findPart(pack.getSource());
    SmallVector<int64_t> tiles = getTiles(pack);
    if (!part || !hasWholeTiles(*part, tiles) || pack.getPaddingValue() ||
        isConverted(pack))
      continue;
    rewriter.setInsertionPoint(pack);
    SmallVector<OpFoldResult> offsets;
    for (auto [own, tile] : llvm::zip_equal(part->offsets, tiles))
      offsets.push_back(addOffsets(rewriter, pack.getLoc(), own, tile));
    applyPermutationToVector(offsets, pack.getOuterDimsPerm());
    RankedTensorType type = pack.getDestType();
    offsets.resize(type.getRank(), rewriter.getIndexAttr(0));
    SmallVector<OpFoldResult> steps(type.getRank(), rewriter.getIndexAttr(1));
    rewriter.replaceOpWithNewOp<tensor::ExtractSliceOp>(
        pack, type, wholes.get(part->whole, pack), offsets,
        getAsIndexOpFoldResult(rewriter.getContext(), type.getShape()), steps);
  }
}

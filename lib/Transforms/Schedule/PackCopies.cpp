//===- Packing as copies of lines -----------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Transforms/Schedule/PackCopies.h"
#include "tonno/Transforms/Schedule/TileSizes.h"

#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Linalg/Utils/Utils.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/Interfaces/DataLayoutInterfaces.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Transforms/LoopInvariantCodeMotionUtils.h"

using namespace mlir;

/// The op that converts each element of a copy, if it is all that reads it.
static linalg::GenericOp conversionOf(Value copy) {
  if (!copy.hasOneUse())
    return nullptr;
  auto user = dyn_cast<linalg::GenericOp>(*copy.user_begin());
  return user && linalg::isElementwise(user) && user.getNumDpsInputs() == 1 &&
                 user.getDpsInputOperand(0)->get() == copy
             ? user
             : nullptr;
}

/// Makes both one op.
static linalg::LinalgOp convertInCopy(RewriterBase &rewriter,
                                      linalg::TransposeOp copy,
                                      linalg::GenericOp conversion) {
  rewriter.setInsertionPoint(conversion);
  // Dimension i of the copy is dimension permutation[i] of what is copied.
  AffineMap read = inversePermutation(AffineMap::getPermutationMap(
      copy.getPermutation(), rewriter.getContext()));
  AffineMap written = rewriter.getMultiDimIdentityMap(read.getNumDims());
  auto merged = linalg::GenericOp::create(
      rewriter, conversion.getLoc(), conversion->getResultTypes(),
      copy.getInput(), conversion.getOutputs(), {read, written},
      conversion.getIteratorTypesArray());
  rewriter.inlineRegionBefore(conversion.getRegion(), merged.getRegion(),
                              merged.getRegion().begin());
  rewriter.replaceOp(conversion, merged);
  rewriter.eraseOp(copy);
  return merged;
}

/// The loop along the rows of what is copied.
static unsigned rowLoopOfInput(ArrayRef<int64_t> permutation) {
  int64_t last = static_cast<int64_t>(permutation.size()) - 1;
  return static_cast<unsigned>(llvm::find(permutation, last) -
                               permutation.begin());
}

/// Tiles for the loops of what copies an operand into panels, 0 for a whole
/// loop: a cache line of each of a panel's rows, as much at a time as registers
/// can turn.
static SmallVector<int64_t> tilesOfCopy(linalg::TransposeOp copy) {
  Type element = getElementTypeOrSelf(copy.getInput().getType());
  auto bits = static_cast<int64_t>(
      DataLayout::closest(copy).getTypeSizeInBits(element));
  int64_t line = std::max<int64_t>(512 / bits, 1);
  SmallVector<int64_t> tiles(copy.getPermutation().size(), 1);
  // Wide panels are turned in parts: LLVM takes a shuffle of so many elements
  // apart one by one. 768^3 with panels of 64 f32 took 4.7 ms whole or in
  // halves and 4.3 by 16, and a quarter of the time to compile; panels of 32
  // took 4.7 whole and 4.8 in halves. What the vectoriser does not take becomes
  // loops.
  constexpr int64_t mostTurned = 512, part = 256;
  int64_t width = cast<linalg::LinalgOp>(*copy).getStaticLoopRanges().back();
  int64_t narrow = std::max<int64_t>(part / line, 1);
  unsigned rows = rowLoopOfInput(copy.getPermutation());
  bool isTurned = rows != tiles.size() - 1;
  bool isWide =
      width * line > mostTurned && width * line <= tonno::mostVectorised;
  tiles.back() = isTurned && isWide && width % narrow == 0 ? narrow : 0;
  tiles[rows] = line;
  return tiles;
}

LogicalResult tonno::lowerPacks(RewriterBase &rewriter, func::FuncOp function,
                                TileFunction tile) {
  SmallVector<linalg::PackOp> packs;
  function.walk([&](linalg::PackOp pack) { packs.push_back(pack); });
  if (packs.empty())
    return success();
  function.walk([](LoopLikeOpInterface loop) { moveLoopInvariantCode(loop); });
  for (linalg::PackOp pack : packs) {
    rewriter.setInsertionPoint(pack);
    auto lowered = linalg::lowerPack(rewriter, pack,
                                     /*lowerPadLikeWithInsertSlice=*/false);
    if (failed(lowered))
      return pack.emitOpError() << "can't be lowered";
    linalg::TransposeOp transposition = lowered->transposeOp;
    SmallVector<int64_t> tiles = tilesOfCopy(transposition);
    linalg::LinalgOp copy = transposition;
    if (auto conversion = conversionOf(transposition->getResult(0)))
      copy = convertInCopy(rewriter, transposition, conversion);
    if (failed(tile(copy, tiles)))
      return failure();
  }
  return success();
}

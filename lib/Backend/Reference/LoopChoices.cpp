//===- How the reference's loops are cut ----------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "LoopChoices.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using linalg::LinalgOp;

// Found on an AMD EPYC with 1 MiB of second-level cache for each core, by
// tonno-benchmark-reference; sizes in elements of 8 bytes.

/// Of the innermost loop of a part, where it is parallel and there is a
/// reduction: a row of results stays in the nearest cache.
constexpr int64_t rowLength = 512;
/// Of the innermost loop of a part, where it jumps from row to row of
/// something.
constexpr int64_t crosswiseLength = 64;
/// Of the rows that are used again with each of others.
constexpr int64_t rowsOfPart = 128;
/// Terms of a sum that are added before the next results' turn: with rows of
/// that length they fit the second-level cache.
constexpr int64_t termsInCache = 128;
/// Results of a part, and how many parts there should be for threads to share.
constexpr int64_t resultsOfPart = 32768;
constexpr int64_t wantedParts = 64;
/// Iterations that become one.
constexpr int64_t jammed = 4;
/// Operations in the body of the largest op of which that is done.
constexpr size_t largestJammedBody = 8;

/// The tile of at most `limit`, and no less than half of it, that leaves the
/// least of the extent over.
static int64_t tileOf(int64_t extent, int64_t limit, int64_t multiple) {
  if (extent <= limit)
    return extent;
  if (limit < 2 * multiple)
    return limit;
  int64_t best = llvm::alignDown(limit, multiple);
  for (int64_t tile = best; tile >= limit / 2; tile -= multiple)
    if (extent % tile < extent % best)
      best = tile;
  return best;
}

bool tonno::isParallel(LinalgOp op, unsigned loop) {
  return op.getIteratorTypesArray()[loop] == utils::IteratorType::parallel;
}

/// By how many elements an iteration of the loop moves on in the operand's
/// memory; 0 if not at all, none if that varies.
static std::optional<int64_t> strideOf(linalg::LinalgOp op, OpOperand &operand,
                                       unsigned loop) {
  auto type = dyn_cast<MemRefType>(operand.get().getType());
  if (!type)
    return 0;
  int64_t offset;
  SmallVector<int64_t> strides;
  if (failed(type.getStridesAndOffset(strides, offset)))
    return std::nullopt;
  AffineExpr dimension = getAffineDimExpr(loop, op.getContext());
  int64_t moved = 0;
  AffineMap map = op.getMatchingIndexingMap(&operand);
  for (auto [index, stride] : llvm::zip_equal(map.getResults(), strides)) {
    auto step = dyn_cast<AffineConstantExpr>(simplifyAffineExpr(
        index.replace(dimension, dimension + 1) - index, map.getNumDims(), 0));
    if (!step || (step.getValue() != 0 && ShapedType::isDynamic(stride)))
      return std::nullopt;
    moved += step.getValue() == 0 ? 0 : step.getValue() * stride;
  }
  return moved;
}

/// Whether the loop walks along a row of the operand, or stays where it is.
static bool walksAlongRows(LinalgOp op, OpOperand &operand, unsigned loop) {
  auto stride = strideOf(op, operand, loop);
  return stride && (*stride == 0 || *stride == 1);
}

unsigned tonno::chooseInnermost(LinalgOp op) {
  SmallVector<int64_t> extents = op.getStaticLoopRanges();
  constexpr int64_t shortRow = 8;
  auto cost = [&](unsigned loop) {
    unsigned operands = 0;
    for (OpOperand &operand : op->getOpOperands())
      if (!walksAlongRows(op, operand, loop))
        operands += op.isDpsInit(&operand) ? 2 : 1;
    return operands + (extents[loop] < shortRow ? 2 : 0);
  };
  unsigned best = op.getNumLoops() - 1;
  for (unsigned loop = op.getNumLoops(); loop-- > 0;)
    if (std::pair(cost(loop), !tonno::isParallel(op, loop)) <
        std::pair(cost(best), !tonno::isParallel(op, best)))
      best = loop;
  return best;
}

/// Whether iterations of the loop write different elements.
static bool writesApart(LinalgOp op, unsigned loop) {
  AffineExpr dimension = getAffineDimExpr(loop, op.getContext());
  return tonno::isParallel(op, loop) &&
         llvm::all_of(op.getDpsInitsMutable(), [&](OpOperand &init) {
           return llvm::is_contained(
               op.getMatchingIndexingMap(&init).getResults(), dimension);
         });
}

/// Whether the innermost loop does not walk along the rows of all operands.
static bool liesCrosswise(LinalgOp op) {
  return llvm::any_of(op->getOpOperands(), [&](OpOperand &operand) {
    return !walksAlongRows(op, operand, op.getNumLoops() - 1);
  });
}

/// Whether an input is used for more than one result.
static bool hasReuse(LinalgOp op) {
  return llvm::none_of(op.getDpsInputOperands(), [&](OpOperand *input) {
    AffineMap map = op.getMatchingIndexingMap(input);
    for (unsigned loop = 0; loop < op.getNumLoops(); ++loop)
      if (!map.isFunctionOfDim(loop))
        return false;
    return true;
  });
}

SmallVector<int64_t> tonno::partTiles(LinalgOp op) {
  SmallVector<int64_t> extents = op.getStaticLoopRanges();
  SmallVector<int64_t> tiles(extents.size(), 0);
  int64_t results = 1;
  for (auto [loop, extent] : llvm::enumerate(extents))
    results *= writesApart(op, loop) ? extent : 1;
  int64_t room = std::clamp<int64_t>(results / wantedParts, 1, resultsOfPart);
  unsigned innermost = extents.size() - 1;
  for (unsigned loop = extents.size(); loop-- > 0;) {
    if (!writesApart(op, loop))
      continue;
    int64_t limit = room;
    if (hasReuse(op) && !tonno::isParallel(op, innermost))
      limit = std::min(limit, rowsOfPart);
    if (loop == innermost && op.getNumReductionLoops() != 0)
      limit = std::clamp<int64_t>(room / jammed, 64, rowLength);
    if (loop == innermost && liesCrosswise(op))
      limit = crosswiseLength;
    tiles[loop] = tileOf(extents[loop], std::max<int64_t>(limit, 1),
                         loop == innermost ? 8 : jammed);
    room = std::max<int64_t>(room / tiles[loop], 1);
  }
  return tiles;
}

SmallVector<int64_t> tonno::reductionTiles(LinalgOp op) {
  SmallVector<int64_t> extents = op.getStaticLoopRanges();
  SmallVector<int64_t> tiles(extents.size(), 0);
  if (!hasReuse(op))
    return tiles;
  int64_t room = termsInCache;
  for (unsigned loop = extents.size(); loop-- > 0;)
    if (!tonno::isParallel(op, loop)) {
      tiles[loop] = tileOf(extents[loop], room, 8);
      room = std::max<int64_t>(room / tiles[loop], 1);
    }
  return tiles;
}

SmallVector<unsigned> tonno::loopsToJam(LinalgOp op) {
  SmallVector<unsigned> parallel, reductions, loops;
  if (op.getNumReductionLoops() == 0 ||
      op.getBlock()->getOperations().size() > largestJammedBody)
    return loops;
  op.getParallelDims(parallel);
  op.getReductionDims(reductions);
  unsigned innermost = op.getNumLoops() - 1;
  llvm::erase(parallel, innermost);
  llvm::erase(reductions, innermost);
  if (hasReuse(op)) {
    // Several sums along rows, or several terms of several sums.
    size_t sums = tonno::isParallel(op, innermost) ? 1 : 2;
    llvm::append_range(
        loops, ArrayRef(parallel).take_back(std::min(sums, parallel.size())));
  }
  if (tonno::isParallel(op, innermost) && !reductions.empty())
    loops.push_back(reductions.back());
  return loops;
}

uint64_t tonno::jamFactor(int64_t extent) {
  for (int64_t factor : {4, 3, 2})
    if (extent % factor == 0)
      return factor;
  return std::min(extent, jammed);
}

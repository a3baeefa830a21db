//===- The CPU's space of convolutions ------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "HostWindows.h"
#include "tonno/Transforms/Schedule/Windows.h"
#include "HostLoops.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace tonno;

/// The most rows of a register tile that are tried.
static constexpr int64_t maxRows = 16;

/// Powers of two, and what leaves no rest of the rows.
static SmallVector<int64_t> tileRows(int64_t extent) {
  SmallVector<int64_t> rows;
  for (int64_t size = 1; size <= std::min(extent, maxRows); ++size)
    if (llvm::isPowerOf2_64(size) || extent % size == 0)
      rows.push_back(size);
  return rows;
}

/// Of these at most so many: without a rest, unless that takes twice the tiles.
static int64_t wholeTileRows(int64_t extent, int64_t most) {
  most = std::min({most, extent, maxRows});
  for (int64_t size = most; 2 * size > most; --size)
    if (extent % size == 0)
      return size;
  return powerOfTwoBelow(most);
}

namespace {

/// A loop over rows of results.
struct Rows {
  unsigned loop;
  /// Whether the rows share what is read along them.
  bool isShared;
};

} // namespace

/// The rows that are computed together: by preference such as share something.
static std::optional<Rows> rowsOf(linalg::LinalgOp op,
                                  ArrayRef<unsigned> parallel) {
  unsigned n = parallel.back();
  std::optional<Rows> nearest;
  for (unsigned loop : llvm::reverse(parallel.drop_back())) {
    if (op.getStaticLoopRanges()[loop] == 1)
      continue;
    bool isShared = llvm::any_of(op.getDpsInputOperands(), [&](OpOperand *in) {
      AffineMap map = op.getMatchingIndexingMap(in);
      return map.isFunctionOfDim(n) && !map.isFunctionOfDim(loop);
    });
    if (isShared)
      return Rows{loop, true};
    if (!nearest)
      nearest = Rows{loop, false};
  }
  return nearest;
}

/// Whether windows move along the loop.
static bool movesWindows(linalg::LinalgOp op, unsigned loop) {
  return llvm::any_of(op.getIndexingMapsArray(), [&](AffineMap map) {
    return llvm::any_of(map.getResults(), [&](AffineExpr index) {
      return !isa<AffineDimExpr>(index) && index.isFunctionOfDim(loop);
    });
  });
}

/// Whether the op has factors, as a convolution has and a pooling has not:
/// these are then read for each row by itself, or once for some.
static bool hasFactors(linalg::LinalgOp op) {
  return llvm::count_if(op.getDpsInputOperands(), [&](OpOperand *in) {
           return op.payloadUsesValueFromOperand(in);
         }) > 1;
}

HostWindows tonno::hostWindows(linalg::LinalgOp op, const HostTraits &host,
                               int64_t elementBytes, KnobSizes &knobs) {
  Builder builder(op.getContext());
  SmallVector<int64_t> extents = op.getStaticLoopRanges();
  Attribute zero = builder.getI64IntegerAttr(0);
  Attribute one = builder.getI64IntegerAttr(1);
  HostWindows space;
  space.workgroup.assign(extents.size(), zero);
  space.subgroup.assign(extents.size(), one);
  SmallVector<unsigned> parallel = loopsOfResult(op);
  for (unsigned loop : parallel)
    space.workgroup[loop] = one;
  if (parallel.empty())
    return space;
  int64_t lanes = host.lanes(elementBytes);
  int64_t accumulators = mostAccumulators(host, elementBytes);
  unsigned n = parallel.back();
  auto rows = rowsOf(op, parallel);
  // Such vectors lie across two lines of the cache: each is best read for many
  // rows at a time; and where rows share none, memory is best read in order.
  bool isMoved = movesWindows(op, n);
  bool isInOrder = isMoved && rows && !rows->isShared;
  // Each column by itself: memory is best read in its order.
  int64_t most = mainRowLoop(op) == n ? 8 * lanes : 4 * lanes;
  int64_t columns = isMoved && !isInOrder ? lanes : 2 * lanes;
  // Integers are multiplied into a register, and then added: sums that leave
  // none for that are kept in memory.
  int64_t sums = accumulators;
  if (hasFactors(op) &&
      getElementTypeOrSelf(op.getDpsInits().back()).isInteger()) {
    sums = std::min(sums, host.vectorRegisters / 2 * lanes);
    columns = 4 * lanes;
  }
  KnobSize nr = knobs.size("NR", lanes, std::min(extents[n], most), columns);
  space.workgroup[n] = zero;
  space.subgroup[n] = nr.attribute;
  if (!rows)
    return space;
  unsigned m = rows->loop;
  int64_t height = wholeTileRows(extents[m], sums / nr.standard);
  KnobSize mr = knobs.choice(
      "MR", tileRows(extents[m]),
      isInOrder ? std::min<int64_t>(hasFactors(op) ? 2 : 1, extents[m])
                : height);
  KnobSize bm = knobs.size("BM", 1, extents[m], isInOrder ? 4 : extents[m]);
  space.workgroup[m] = bm.attribute;
  space.subgroup[m] = mr.attribute;
  knobs.constrain({mr, nr},
                  mr.text + " * " + nr.text + " <= " + Twine(accumulators));
  knobs.constrain({mr, bm}, mr.text + " <= " + bm.text);
  return space;
}

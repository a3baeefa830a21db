//===- The CPU's space of a product ---------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "HostContraction.h"
#include "tonno/Dialect/LoopRoles.h"
#include "HostLoops.h"

#include "llvm/ADT/STLExtras.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/Utils/Utils.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace tonno;

namespace {

/// One-letter names are the usual ones of matrix products: m and n are loops
/// over rows and columns of the result, k over what is summed up; a runs along
/// m, b along n, and vectors lie along n.
class ContractionSpace {
public:
  ContractionSpace(linalg::LinalgOp op, const ProductLoops &loops,
                   ProductRole role, const HostTraits &host, int64_t bytes,
                   KnobSizes &knobs)
      : op(op), loops(loops), role(role), host(host), bytes(bytes),
        knobs(knobs), builder(op.getContext()),
        extents(op.getStaticLoopRanges()), lanes(host.lanes(bytes)) {}

  HostContraction make();

private:
  SmallVector<Attribute> zeros() {
    return SmallVector<Attribute>(extents.size(), builder.getI64IntegerAttr(0));
  }
  OpOperand *inputAlong(unsigned loop, unsigned other);
  Type elementOf(OpOperand *operand) {
    return getElementTypeOrSelf(operand->get().getType());
  }
  bool addsPairs();
  bool widensPairs();
  int64_t bytesOf(OpOperand *input);
  bool isWorthCopying(OpOperand *input);
  bool isCopiedByDefault();
  void choosePacks(HostContraction &space);

  linalg::LinalgOp op;
  ProductLoops loops;
  ProductRole role;
  const HostTraits &host;
  int64_t bytes;
  KnobSizes &knobs;
  Builder builder;
  SmallVector<int64_t> extents;
  int64_t lanes;
};

} // namespace

/// The input along `loop`, but not along `other`.
OpOperand *ContractionSpace::inputAlong(unsigned loop, unsigned other) {
  for (OpOperand *input : op.getDpsInputOperands()) {
    AffineMap map = op.getMatchingIndexingMap(input);
    if (map.isFunctionOfDim(loop) && !map.isFunctionOfDim(other))
      return input;
  }
  return nullptr;
}

/// Whether two products become one instruction for each lane, where those lie
/// side by side in the copy of an input.
bool ContractionSpace::addsPairs() {
  Type sum = sumsNarrowProducts(op) ? builder.getF32Type()
                                    : elementOf(op.getDpsInitOperand(0));
  if (extents[loops.k] < 2)
    return false;
  if (host.addsPairsOfBf16 && sum.isF32())
    return llvm::all_of(op.getDpsInputOperands(), [&](OpOperand *input) {
      return elementOf(input).isBF16();
    });
  auto isUnsigned = [](Operation &extension) {
    return isa<arith::ExtUIOp>(extension) &&
           extension.getOperand(0).getType().isInteger(16);
  };
  return host.addsPairsOfI16 && sum.isInteger(32) &&
         llvm::all_of(op.getDpsInputOperands(),
                      [&](OpOperand *input) {
                        Type type = elementOf(input);
                        return type.isInteger(8) || type.isInteger(16);
                      }) &&
         llvm::none_of(*op.getBlock(), isUnsigned);
}

/// Whether elements are to be widened before they are multiplied in pairs.
bool ContractionSpace::widensPairs() {
  return addsPairs() && elementOf(inputAlong(loops.m, loops.n)).isInteger(8);
}

int64_t ContractionSpace::bytesOf(OpOperand *input) {
  int64_t size = bytes;
  for (unsigned loop : {loops.m, loops.n, loops.k})
    if (op.getMatchingIndexingMap(input).isFunctionOfDim(loop))
      size *= extents[loop];
  return size;
}

/// What the nearest cache holds anyway needs no copy, but for its order.
bool ContractionSpace::isWorthCopying(OpOperand *input) {
  return input && (addsPairs() || bytesOf(input) > host.l1Bytes);
}

/// Rows of b so far apart fall into few sets of the nearest cache, and what is
/// larger than half of the second is not left there; and a copy must be read
/// again often enough. Where b lies the other way round, its vectors are
/// gathered from as many rows as they have lanes. Pairs take half of the time,
/// and so pay for the copy much sooner.
bool ContractionSpace::isCopiedByDefault() {
  OpOperand *b = inputAlong(loops.n, loops.m);
  bool isCrosswise = rowLoop(op.getMatchingIndexingMap(b)) != loops.n;
  bool isReadOften =
      role != ProductRole::Last && extents[loops.m] >= (addsPairs() ? 16 : 128);
  bool isFarApart = extents[loops.n] * bytes >= 2048;
  bool isLarge = bytesOf(b) > host.l2Bytes / 2;
  return isReadOften && (addsPairs() || isCrosswise || isFarApart || isLarge);
}

void ContractionSpace::choosePacks(HostContraction &space) {
  OpOperand *a = inputAlong(loops.m, loops.n);
  OpOperand *b = inputAlong(loops.n, loops.m);
  // Of a single elements are read: copies help only where those of a column lie
  // side by side, and those that are summed up in turn do not.
  // But of i8, whose copy is as wide as pairs are of.
  bool isOfI8 = addsPairs() && elementOf(a).isInteger(8);
  bool canCopyA = isWorthCopying(a) &&
                  (isOfI8 || rowLoop(op.getMatchingIndexingMap(a)) != loops.k);
  bool canCopyB = isWorthCopying(b);
  if (!canCopyA && !canCopyB)
    return;
  space.pack = zeros();
  if (canCopyA)
    space.pack[loops.m] =
        knobs.choice("PA", {0, 1}, widensPairs() && isCopiedByDefault())
            .attribute;
  if (canCopyB)
    space.pack[loops.n] =
        knobs.choice("PB", {0, 1}, isCopiedByDefault()).attribute;
  if (addsPairs())
    space.pack[loops.k] = builder.getI64IntegerAttr(2);
  // A copy of a block of b then serves all blocks of a.
  for (unsigned loop = 0; loop < extents.size(); ++loop)
    if (!llvm::is_contained({loops.m, loops.n, loops.k}, loop))
      space.interchange.push_back(builder.getI64IntegerAttr(loop));
  for (unsigned loop : {loops.n, loops.k, loops.m})
    space.interchange.push_back(builder.getI64IntegerAttr(loop));
}

HostContraction ContractionSpace::make() {
  HostContraction space{zeros(), zeros(), zeros(), {}, {}};
  for (auto [loop, kind] : llvm::enumerate(op.getIteratorTypesArray())) {
    bool isParallel = linalg::isParallelIterator(kind);
    Attribute one = builder.getI64IntegerAttr(1);
    (isParallel ? space.workgroup : space.reduction)[loop] = one;
    if (isParallel)
      space.subgroup[loop] = one;
  }
  choosePacks(space);
  bool isCopied = !space.pack.empty() && isCopiedByDefault();
  auto [m, n, k] = loops;
  // Registers hold the tile of the result, a row of b and an element of a.
  int64_t accumulators = mostAccumulators(host, bytes);
  // Where b lies, its rows are best read whole, but not longer than they are.
  bool isWide = !isCopied && role != ProductRole::Last &&
                extents[n] > 3 * lanes && extents[n] <= 4 * lanes;
  int64_t vectors = isWide && accumulators >= 4 * 4 * lanes ? 4 : 2;
  KnobSize nr =
      knobs.size("NR", lanes, std::min(extents[n], 4 * lanes), vectors * lanes);
  SmallVector<int64_t> heights;
  for (int64_t height : {2, 4, 6, 8, 12})
    if (height <= powerOfTwoAbove(extents[m]) &&
        height * nr.least <= accumulators)
      heights.push_back(height);
  int64_t height = heights.front();
  for (int64_t other : heights)
    if (other <= 8 && other * nr.standard <= accumulators)
      height = other;
  // Of few rows, those left over by a tile are many.
  if (height > 4 && extents[m] < 128 && extents[m] % height != 0 &&
      extents[m] % (height - 2) == 0)
    height -= 2;
  KnobSize mr = knobs.choice("MR", heights, height);
  // The second cache holds a block of each; of b one that is as long as it can
  // be, so that the result is seldom read and written again.
  // Of a a block is copied for each block of b, which is then wide instead.
  bool copiesBoth = isCopied && widensPairs();
  int64_t quarter = host.l2Bytes / 4 / (copiesBoth ? 2 : bytes);
  int64_t depth = isCopied ? std::min<int64_t>(quarter / (4 * lanes),
                                               copiesBoth ? 512 : 1024)
                           : 256;
  KnobSize bk = knobs.size("BK", 128, std::min<int64_t>(extents[k], 2048),
                           powerOfTwoBelow(depth));
  int64_t rows = 64, mostRows = 512;
  // Each block has a copy of its own: it has all rows, as long as the second
  // cache holds what follows, too.
  if (isCopied && role == ProductRole::Followed)
    rows = mostRows = std::max<int64_t>(2 * bk.standard, 512);
  else if (isCopied)
    rows = std::max<int64_t>(quarter / 2 / bk.standard, 32);
  KnobSize bm = knobs.size("BM", 16, std::min(extents[m], mostRows),
                           powerOfTwoBelow(rows));
  int64_t columns = isCopied ? quarter / bk.standard : 256;
  KnobSize bn = knobs.size("BN", 4 * lanes, std::min<int64_t>(extents[n], 1024),
                           powerOfTwoBelow(columns));
  space.workgroup[m] = bm.attribute;
  space.workgroup[n] = bn.attribute;
  space.reduction[k] = bk.attribute;
  space.subgroup[m] = mr.attribute;
  space.subgroup[n] = nr.attribute;
  knobs.constrain({mr, nr},
                  mr.text + " * " + nr.text + " <= " + Twine(accumulators));
  if (role != ProductRole::Followed && bm.most * bk.most * bytes > host.l2Bytes)
    knobs.constrain({bm, bk}, bm.text + " * " + bk.text + " * " + Twine(bytes) +
                                  " <= " + Twine(host.l2Bytes));
  return space;
}

HostContraction tonno::hostContraction(linalg::LinalgOp op,
                                       const ProductLoops &loops,
                                       ProductRole role, const HostTraits &host,
                                       int64_t elementBytes, KnobSizes &knobs) {
  return ContractionSpace(op, loops, role, host, elementBytes, knobs).make();
}

//===- Blocking of loops for caches and vectors ---------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Backend/Pipelines.h"
#include "llvm/Support/MathExtras.h"
#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Affine/LoopUtils.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/Transforms/TileUsingInterface.h"
#include "mlir/Interfaces/TilingInterface.h"
#include <cstdint>

namespace tonno {
#define GEN_PASS_DEF_BLOCKLOOPSPASS
#include "tonno/Backend/ReferencePasses.h.inc"
} // namespace tonno

using namespace mlir;
using namespace tonno;
using linalg::LinalgOp;

// Found on an AMD EPYC with 1 MiB of second-level cache for each core, by
// tonno-benchmark-reference; sizes in elements of 8 bytes.

/// Tile size of the innermost loop if it is parallel and there is a reduction:
/// a row of results stays in the L1 cache.
static constexpr int64_t rowLength = 512;
/// Tile size of the innermost loop if it accesses an operand across its rows.
static constexpr int64_t crosswiseLength = 64;
/// Tile size of rows that are reused with each other row.
static constexpr int64_t rowsOfPart = 128;
/// Terms of a sum that are added before the next results' turn: with rows of
/// that length they fit the second-level cache.
static constexpr int64_t termsInCache = 128;
/// Results of a part, and how many parts there should be for threads to share.
static constexpr int64_t resultsOfPart = 32768;
static constexpr int64_t wantedParts = 64;
/// Iterations that become one.
static constexpr int64_t jammed = 4;
/// Operations in the body of the largest op of which that is done.
constexpr size_t largestJammedBody = 8;

/// Returns the tile with the least remainder of the extent, at most `limit` and
/// at least half of it. A small tile divides the extent if one near the limit
/// does: the remainder would take a large part of the work.
static int64_t chooseTile(int64_t extent, int64_t limit, int64_t multiple) {
  if (extent <= limit)
    return extent;
  if (limit < 2 * multiple) {
    for (int64_t tile = limit; tile > limit / 2; --tile)
      if (extent % tile == 0)
        return tile;
    for (int64_t tile = limit + 1; tile < 2 * limit; ++tile)
      if (extent % tile == 0)
        return tile;
    return limit;
  }
  int64_t best = llvm::alignDown(limit, multiple);
  for (int64_t tile = best; tile >= limit / 2; tile -= multiple)
    if (extent % tile < extent % best)
      best = tile;
  return best;
}

static bool isParallel(LinalgOp op, unsigned loop) {
  return op.getIteratorTypesArray()[loop] == utils::IteratorType::parallel;
}

/// Returns the stride, in elements, of the operand's accesses along the loop: 0
/// if the loop does not index the operand, none if the stride varies.
static std::optional<int64_t>
computeStrideAlongLoop(linalg::LinalgOp op, OpOperand &operand, unsigned loop) {
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

/// Returns true if the loop accesses the operand along a row, or does not index
/// it.
static bool isContiguousAlongLoop(LinalgOp op, OpOperand &operand,
                                  unsigned loop) {
  auto stride = computeStrideAlongLoop(op, operand, loop);
  return stride && (*stride == 0 || *stride == 1);
}

/// Returns the loop to vectorise: it accesses most operands along rows.
static unsigned chooseInnermost(LinalgOp op) {
  SmallVector<int64_t> extents = op.getStaticLoopRanges();
  constexpr int64_t shortRow = 8;
  auto cost = [&](unsigned loop) {
    unsigned operands = 0;
    for (OpOperand &operand : op->getOpOperands())
      if (!isContiguousAlongLoop(op, operand, loop))
        operands += op.isDpsInit(&operand) ? 2 : 1;
    return operands + (extents[loop] < shortRow ? 2 : 0);
  };
  unsigned best = op.getNumLoops() - 1;
  for (unsigned loop = op.getNumLoops(); loop-- > 0;)
    if (std::pair(cost(loop), !isParallel(op, loop)) <
        std::pair(cost(best), !isParallel(op, best)))
      best = loop;
  return best;
}

/// Returns true if iterations of the loop write distinct elements.
static bool hasDisjointWrites(LinalgOp op, unsigned loop) {
  AffineExpr dimension = getAffineDimExpr(loop, op.getContext());
  return isParallel(op, loop) &&
         llvm::all_of(op.getDpsInitsMutable(), [&](OpOperand &init) {
           return llvm::is_contained(
               op.getMatchingIndexingMap(&init).getResults(), dimension);
         });
}

/// Returns true if the innermost loop accesses an operand across its rows.
static bool isAccessedAcrossRows(LinalgOp op) {
  return llvm::any_of(op->getOpOperands(), [&](OpOperand &operand) {
    return !isContiguousAlongLoop(op, operand, op.getNumLoops() - 1);
  });
}

/// Returns true if each input is invariant in some loop, and so is reused.
static bool hasReuse(LinalgOp op) {
  return llvm::none_of(op.getDpsInputOperands(), [&](OpOperand *input) {
    AffineMap map = op.getMatchingIndexingMap(input);
    for (unsigned loop = 0; loop < op.getNumLoops(); ++loop)
      if (!map.isFunctionOfDim(loop))
        return false;
    return true;
  });
}

/// Returns the tile sizes of a parallel part, for loops whose iterations write
/// distinct elements; 0 for other loops.
static SmallVector<int64_t> computeForallTiles(LinalgOp op) {
  SmallVector<int64_t> extents = op.getStaticLoopRanges();
  SmallVector<int64_t> tiles(extents.size(), 0);
  int64_t results = 1;
  for (auto [loop, extent] : llvm::enumerate(extents))
    results *= hasDisjointWrites(op, loop) ? extent : 1;
  int64_t room = std::clamp<int64_t>(results / wantedParts, 1, resultsOfPart);
  unsigned innermost = extents.size() - 1;
  for (unsigned loop = extents.size(); loop-- > 0;) {
    if (!hasDisjointWrites(op, loop))
      continue;
    int64_t limit = room;
    if (hasReuse(op) && !isParallel(op, innermost))
      limit = std::min(limit, rowsOfPart);
    if (loop == innermost && op.getNumReductionLoops() != 0)
      limit = std::clamp<int64_t>(room / jammed, 64, rowLength);
    if (loop == innermost && isAccessedAcrossRows(op))
      limit = crosswiseLength;
    tiles[loop] = chooseTile(extents[loop], std::max<int64_t>(limit, 1),
                             loop == innermost ? 8 : jammed);
    room = std::max<int64_t>(room / tiles[loop], 1);
  }
  return tiles;
}

/// Returns the tile sizes of reductions that profit from blocking; 0 for other
/// loops.
static SmallVector<int64_t> reductionTiles(LinalgOp op) {
  SmallVector<int64_t> extents = op.getStaticLoopRanges();
  SmallVector<int64_t> tiles(extents.size(), 0);
  if (!hasReuse(op))
    return tiles;
  int64_t room = termsInCache;
  for (unsigned loop = extents.size(); loop-- > 0;)
    if (!isParallel(op, loop)) {
      tiles[loop] = chooseTile(extents[loop], room, 8);
      room = std::max<int64_t>(room / tiles[loop], 1);
    }
  return tiles;
}

/// Returns the loops outside of the innermost one across whose iterations
/// loaded elements are reused, outermost first.
static SmallVector<unsigned> loopsToJam(LinalgOp op) {
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
    size_t sums = isParallel(op, innermost) ? 1 : 2;
    llvm::append_range(
        loops, ArrayRef(parallel).take_back(std::min(sums, parallel.size())));
  }
  if (isParallel(op, innermost) && !reductions.empty())
    loops.push_back(reductions.back());
  return loops;
}

/// Returns the factor of unroll-and-jam for a loop.
static uint64_t chooseJamFactor(int64_t extent) {
  for (int64_t factor : {4, 3, 2})
    if (extent % factor == 0)
      return factor;
  // The remainder of 5 or 7 would take most of the time.
  return extent < 2 * jammed ? extent : jammed;
}

/// Lets LLVM fuse products with sums, and add the terms of the innermost loop
/// in any order.
static void relaxSums(linalg::GenericOp op) {
  bool isReordered = !isParallel(op, op.getNumLoops() - 1);
  using arith::FastMathFlags;
  for (unsigned i = 0; i < op.getNumDpsInits(); ++i) {
    SmallVector<Operation *> combiners;
    if (!matchReduction(op.getRegionOutputArgs(), i, combiners) ||
        combiners.size() != 1)
      continue;
    auto sum = dyn_cast<arith::AddFOp>(combiners.front());
    if (!sum)
      continue;
    sum.setFastmath(isReordered
                        ? FastMathFlags::contract | FastMathFlags::reassoc
                        : FastMathFlags::contract);
    for (Value term : sum->getOperands())
      if (auto factor = term.getDefiningOp<arith::MulFOp>())
        factor.setFastmath(FastMathFlags::contract);
  }
}

/// Returns the memory that a buffer is a view of: an argument, or a part of the
/// workspace.
static Value getUnderlyingBuffer(Value buffer) {
  while (auto view = buffer.getDefiningOp<ViewLikeOpInterface>()) {
    if (isa<memref::ViewOp>(view))
      break;
    buffer = view.getViewSource();
  }
  return buffer;
}

/// Returns true if the order of iterations matters: an iteration may read
/// elements that another iteration writes.
static bool mayReadWrittenElements(LinalgOp op) {
  auto isWritten = [&](Value memory) {
    return llvm::any_of(op.getDpsInits(), [&](Value init) {
      return getUnderlyingBuffer(init) == getUnderlyingBuffer(memory);
    });
  };
  for (OpOperand &init : op.getDpsInitsMutable())
    for (OpOperand &other : op->getOpOperands()) {
      bool isSame =
          other.get() == init.get() &&
          op.getMatchingIndexingMap(&other) == op.getMatchingIndexingMap(&init);
      if (!isSame &&
          getUnderlyingBuffer(other.get()) == getUnderlyingBuffer(init.get()))
        return true;
    }
  return op
      ->walk([&](Operation *inner) {
        bool isHarmless = inner == op || isMemoryEffectFree(inner) ||
                          (hasSingleEffect<MemoryEffects::Read>(inner) &&
                           llvm::none_of(inner->getOperands(), isWritten));
        return isHarmless ? WalkResult::advance() : WalkResult::interrupt();
      })
      .wasInterrupted();
}

/// Moves loads and computations that do not depend on the innermost loop in
/// front of it:
///
///   affine.for %j = 0 to 64 {
///     %x = affine.load %a[%i, %k]
///     %y = affine.load %b[%k, %j]
///
/// becomes
///
///   %x = affine.load %a[%i, %k]
///   affine.for %j = 0 to 64 {
///     %y = affine.load %b[%k, %j]
///
/// LLVM does not know that the loop writes no element of %a if both are parts
/// of the workspace, and would not vectorize the loop.
static void hoistInvariants(affine::AffineForOp innermost,
                            ArrayRef<Value> written) {
  for (Operation &op :
       llvm::make_early_inc_range(innermost.getBody()->without_terminator())) {
    auto load = dyn_cast<affine::AffineLoadOp>(op);
    bool isFixed = load ? !llvm::is_contained(written, load.getMemRef())
                        : isMemoryEffectFree(&op) && op.getNumRegions() == 0;
    if (isFixed && llvm::all_of(op.getOperands(), [&](Value operand) {
          return innermost.isDefinedOutsideOfLoop(operand);
        }))
      op.moveBefore(innermost);
  }
}

namespace {

/// Blocks most linalg ops; leaves the others to later passes.
class LoopBlocker {
public:
  LoopBlocker(MLIRContext *context, int64_t leastWork)
      : rewriter(context), leastWork(leastWork) {}

  void block(LinalgOp op) {
    if (!op.hasPureBufferSemantics() || op.hasDynamicShape() ||
        op.getNumLoops() == 0 || mayReadWrittenElements(op))
      return;
    linalg::GenericOp ordered = orderLoops(op);
    if (!ordered)
      return;
    relaxSums(ordered);
    int64_t work = ShapedType::getNumElements(ordered.getStaticLoopRanges());
    if (work < leastWork)
      makeLoops(ordered, /*jam=*/false);
    else if (isa<func::FuncOp>(ordered->getParentOp()))
      splitIntoForall(ordered);
    else
      blockReductions(ordered, /*jam=*/true);
  }

private:
  /// Makes the order of the op's loops: parallel ones, reductions, and the one
  /// that becomes vectors. Null if the op can't be changed.
  linalg::GenericOp orderLoops(LinalgOp op) {
    rewriter.setInsertionPoint(op);
    auto generic = dyn_cast<linalg::GenericOp>(op.getOperation());
    if (!generic) {
      auto generalized = linalg::generalizeNamedOp(rewriter, op);
      if (failed(generalized))
        return nullptr;
      generic = *generalized;
    }
    unsigned innermost = chooseInnermost(generic);
    SmallVector<unsigned> order;
    for (bool parallel : {true, false})
      for (unsigned loop = 0; loop < generic.getNumLoops(); ++loop)
        if (loop != innermost && isParallel(generic, loop) == parallel)
          order.push_back(loop);
    order.push_back(innermost);
    auto ordered = linalg::interchangeGenericOp(rewriter, generic, order);
    return failed(ordered) ? generic : *ordered;
  }

  void splitIntoForall(LinalgOp op) {
    SmallVector<int64_t> tiles = computeForallTiles(op);
    // The innermost loop's parts follow each other last: those that use the
    // same rows run at the same time.
    scf::SCFTilingOptions options;
    options.setLoopType(scf::SCFTilingOptions::LoopType::ForallOp);
    auto order = llvm::to_vector(llvm::seq<int64_t>(0, tiles.size()));
    std::rotate(order.begin(), order.end() - 1, order.end());
    options.setInterchange(order);
    // Rests are small, and each form of an op takes time to compile.
    for (auto [i, piece] : llvm::enumerate(splitRemainders(op, tiles)))
      if (LinalgOp part = tile(piece, tiles, options))
        blockReductions(part, /*jam=*/i == 0);
  }

  void blockReductions(LinalgOp op, bool jam) {
    SmallVector<int64_t> tiles = reductionTiles(op);
    for (LinalgOp piece : splitRemainders(op, tiles))
      if (LinalgOp block = tile(piece, tiles, scf::SCFTilingOptions()))
        makeLoops(block, std::exchange(jam, false));
  }

  /// Returns the op of one tile, in loops in place of the op; the op itself if
  /// there is nothing to tile, null if it can't be tiled.
  LinalgOp tile(LinalgOp op, ArrayRef<int64_t> tiles,
                scf::SCFTilingOptions options) {
    // A tile as long as its loop would be a loop of one iteration.
    SmallVector<int64_t> sizes(tiles);
    for (auto [size, extent] : llvm::zip_equal(sizes, op.getStaticLoopRanges()))
      size = size < extent ? size : 0;
    if (llvm::all_of(sizes, [](int64_t size) { return size == 0; }))
      return op;
    options.setTileSizes(getAsIndexOpFoldResult(rewriter.getContext(), sizes));
    rewriter.setInsertionPoint(op);
    auto tiled = scf::tileUsingSCF(
        rewriter, cast<TilingInterface>(op.getOperation()), options);
    if (failed(tiled))
      return nullptr;
    rewriter.eraseOp(op);
    return cast<LinalgOp>(tiled->tiledOps.front());
  }

  void makeLoops(LinalgOp op, bool jam) {
    SmallVector<unsigned> jamming;
    if (jam)
      jamming = loopsToJam(op);
    SmallVector<int64_t> extents = op.getStaticLoopRanges();
    rewriter.setInsertionPoint(op);
    auto loops = linalg::linalgOpToAffineLoops(rewriter, op);
    if (failed(loops))
      return;
    SmallVector<Value> written(op.getDpsInits());
    rewriter.eraseOp(op);
    if (!llvm::is_contained(extents, 0))
      hoistInvariants(cast<affine::AffineForOp>(loops->back()), written);
    for (unsigned loop : llvm::reverse(jamming)) {
      auto around = cast<affine::AffineForOp>((*loops)[loop]);
      // A loop that can't be jammed is slower, not wrong.
      (void)affine::loopUnrollJamByFactor(around,
                                          chooseJamFactor(extents[loop]));
    }
  }

  /// Returns pieces whose extents the tiles divide, in place of the op; the
  /// first is the one with most of it. A tile of 0 leaves a loop whole.
  SmallVector<LinalgOp> splitRemainders(LinalgOp op, ArrayRef<int64_t> tiles) {
    SmallVector<int64_t> extents = op.getStaticLoopRanges();
    for (auto [loop, tile, extent] : llvm::enumerate(tiles, extents)) {
      int64_t rest = tile == 0 || tile > extent ? 0 : extent % tile;
      if (rest == 0)
        continue;
      rewriter.setInsertionPoint(op);
      auto [whole, tail] =
          linalg::splitOp(rewriter, cast<TilingInterface>(op.getOperation()),
                          loop, rewriter.getIndexAttr(extent - rest));
      SmallVector<LinalgOp> pieces =
          splitRemainders(cast<LinalgOp>(whole.getOperation()), tiles);
      llvm::append_range(
          pieces, splitRemainders(cast<LinalgOp>(tail.getOperation()), tiles));
      return pieces;
    }
    return {op};
  }

  IRRewriter rewriter;
  int64_t leastWork;
};

struct BlockLoops : tonno::impl::BlockLoopsPassBase<BlockLoops> {
  using BlockLoopsPassBase::BlockLoopsPassBase;

  void runOnOperation() override {
    SmallVector<LinalgOp> ops;
    getOperation().walk([&](LinalgOp op) { ops.push_back(op); });
    LoopBlocker blocker(&getContext(), leastWork);
    for (LinalgOp op : ops)
      blocker.block(op);
  }
};

} // namespace

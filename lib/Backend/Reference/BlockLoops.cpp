//===- Loops that suit caches and vectors ---------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Backend/ReferencePasses.h"
#include "LoopChoices.h"

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
#include "mlir/Interfaces/TilingInterface.h"

namespace tonno {
#define GEN_PASS_DEF_BLOCKLOOPSPASS
#include "tonno/Backend/ReferencePasses.h.inc"
} // namespace tonno

using namespace mlir;
using linalg::LinalgOp;

namespace {

/// Blocks most ops; what is not blocked is left for others to lower.
class LoopBlocker {
public:
  LoopBlocker(MLIRContext *context, int64_t leastWork)
      : rewriter(context), leastWork(leastWork) {}

  void block(LinalgOp op);

private:
  linalg::GenericOp orderLoops(LinalgOp op);
  void cutIntoParts(LinalgOp op);
  void blockReductions(LinalgOp op, bool jam);
  void makeLoops(LinalgOp op, bool jam);
  LinalgOp slice(LinalgOp op, ArrayRef<OpFoldResult> offsets,
                 ArrayRef<int64_t> sizes);
  SmallVector<LinalgOp> splitRests(LinalgOp op, ArrayRef<int64_t> tiles);

  IRRewriter rewriter;
  int64_t leastWork;
};

} // namespace

/// Makes the order of the op's loops: parallel ones, reductions, and the one
/// that becomes vectors. Null if the op can't be changed.
linalg::GenericOp LoopBlocker::orderLoops(LinalgOp op) {
  rewriter.setInsertionPoint(op);
  auto generic = dyn_cast<linalg::GenericOp>(op.getOperation());
  if (!generic) {
    auto generalized = linalg::generalizeNamedOp(rewriter, op);
    if (failed(generalized))
      return nullptr;
    generic = *generalized;
  }
  unsigned innermost = tonno::chooseInnermost(generic);
  SmallVector<unsigned> order;
  for (bool parallel : {true, false})
    for (unsigned loop = 0; loop < generic.getNumLoops(); ++loop)
      if (loop != innermost && tonno::isParallel(generic, loop) == parallel)
        order.push_back(loop);
  order.push_back(innermost);
  auto ordered = linalg::interchangeGenericOp(rewriter, generic, order);
  return failed(ordered) ? generic : *ordered;
}

/// Lets LLVM fuse products with sums, and add the terms of the innermost loop
/// in any order.
static void relaxSums(linalg::GenericOp op) {
  bool isReordered = !tonno::isParallel(op, op.getNumLoops() - 1);
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

/// The part of the op with these offsets and sizes, before the insertion point.
LinalgOp LoopBlocker::slice(LinalgOp op, ArrayRef<OpFoldResult> offsets,
                            ArrayRef<int64_t> sizes) {
  auto tiled = cast<TilingInterface>(op.getOperation())
                   .getTiledImplementation(
                       rewriter, offsets,
                       getAsIndexOpFoldResult(rewriter.getContext(), sizes));
  return succeeded(tiled) ? cast<LinalgOp>(tiled->tiledOps.front()) : nullptr;
}

/// Pieces whose extents the tiles divide, in place of the op; the first is the
/// one with most of it. A tile of 0 leaves a loop whole.
SmallVector<LinalgOp> LoopBlocker::splitRests(LinalgOp op,
                                              ArrayRef<int64_t> tiles) {
  SmallVector<int64_t> extents = op.getStaticLoopRanges();
  for (auto [loop, tile, extent] : llvm::enumerate(tiles, extents)) {
    int64_t rest = tile == 0 || tile > extent ? 0 : extent % tile;
    if (rest == 0)
      continue;
    SmallVector<OpFoldResult> offsets(extents.size(), rewriter.getIndexAttr(0));
    SmallVector<int64_t> sizes = extents;
    rewriter.setInsertionPoint(op);
    sizes[loop] = extent - rest;
    LinalgOp whole = slice(op, offsets, sizes);
    offsets[loop] = rewriter.getIndexAttr(extent - rest);
    sizes[loop] = rest;
    LinalgOp tail = slice(op, offsets, sizes);
    rewriter.eraseOp(op);
    SmallVector<LinalgOp> pieces = splitRests(whole, tiles);
    llvm::append_range(pieces, splitRests(tail, tiles));
    return pieces;
  }
  return {op};
}

void LoopBlocker::cutIntoParts(LinalgOp op) {
  SmallVector<int64_t> tiles = tonno::partTiles(op);
  for (auto [i, piece] : llvm::enumerate(splitRests(op, tiles))) {
    SmallVector<int64_t> extents = piece.getStaticLoopRanges(), sizes = extents;
    // The innermost loop's parts follow each other last: those that use the
    // same rows run at the same time.
    SmallVector<unsigned> cut;
    for (unsigned i = 0, last = extents.size() - 1; i <= last; ++i) {
      unsigned loop = i == 0 ? last : i - 1;
      if (tiles[loop] != 0 && tiles[loop] < extents[loop])
        cut.push_back(loop);
    }
    // Rests are small, and each form of an op takes time to compile.
    bool jam = i == 0;
    if (cut.empty()) {
      blockReductions(piece, jam);
      continue;
    }
    Location loc = piece.getLoc();
    rewriter.setInsertionPoint(piece);
    SmallVector<OpFoldResult> begins, ends, steps;
    for (unsigned loop : cut) {
      sizes[loop] = tiles[loop];
      begins.push_back(rewriter.getIndexAttr(0));
      ends.push_back(rewriter.getIndexAttr(extents[loop]));
      steps.push_back(rewriter.getIndexAttr(sizes[loop]));
    }
    auto parts = scf::ForallOp::create(rewriter, loc, begins, ends, steps,
                                       ValueRange(), std::nullopt);
    rewriter.setInsertionPointToStart(parts.getBody());
    SmallVector<OpFoldResult> offsets(extents.size(), rewriter.getIndexAttr(0));
    for (auto [loop, value] : llvm::zip_equal(cut, parts.getInductionVars()))
      offsets[loop] = value;
    LinalgOp part = slice(piece, offsets, sizes);
    rewriter.eraseOp(piece);
    blockReductions(part, jam);
  }
}

void LoopBlocker::blockReductions(LinalgOp op, bool jam) {
  SmallVector<int64_t> extents = op.getStaticLoopRanges();
  SmallVector<int64_t> tiles = tonno::reductionTiles(op);
  for (LinalgOp piece : splitRests(op, tiles)) {
    extents = piece.getStaticLoopRanges();
    SmallVector<int64_t> sizes = extents;
    SmallVector<OpFoldResult> offsets(extents.size(), rewriter.getIndexAttr(0));
    Location loc = piece.getLoc();
    rewriter.setInsertionPoint(piece);
    for (auto [loop, tile, extent] : llvm::enumerate(tiles, extents)) {
      if (tile == 0 || tile >= extent)
        continue;
      Value begin = arith::ConstantIndexOp::create(rewriter, loc, 0);
      Value end = arith::ConstantIndexOp::create(rewriter, loc, extent);
      Value step = arith::ConstantIndexOp::create(rewriter, loc, tile);
      auto blocks = scf::ForOp::create(rewriter, loc, begin, end, step);
      rewriter.setInsertionPointToStart(blocks.getBody());
      offsets[loop] = blocks.getInductionVar();
      sizes[loop] = tile;
    }
    if (sizes != extents) {
      LinalgOp blocked = slice(piece, offsets, sizes);
      rewriter.eraseOp(piece);
      piece = blocked;
    }
    makeLoops(piece, std::exchange(jam, false));
  }
}

void LoopBlocker::makeLoops(LinalgOp op, bool jam) {
  SmallVector<unsigned> jamming;
  if (jam)
    jamming = tonno::loopsToJam(op);
  SmallVector<int64_t> extents = op.getStaticLoopRanges();
  rewriter.setInsertionPoint(op);
  auto loops = linalg::linalgOpToAffineLoops(rewriter, op);
  if (failed(loops))
    return;
  rewriter.eraseOp(op);
  for (unsigned loop : llvm::reverse(jamming)) {
    auto around = cast<affine::AffineForOp>((*loops)[loop]);
    // A loop that can't be jammed is slower, not wrong.
    (void)affine::loopUnrollJamByFactor(around,
                                        tonno::jamFactor(extents[loop]));
  }
}

/// The memory that a buffer is a view of: an argument, or a place of its own in
/// the workspace.
static Value memoryOf(Value buffer) {
  while (auto view = buffer.getDefiningOp<ViewLikeOpInterface>()) {
    if (isa<memref::ViewOp>(view))
      break;
    buffer = view.getViewSource();
  }
  return buffer;
}

/// Whether the order of the iterations shows: something is read where another
/// iteration writes.
static bool readsWhatItWrites(LinalgOp op) {
  auto isWritten = [&](Value memory) {
    return llvm::any_of(op.getDpsInits(), [&](Value init) {
      return memoryOf(init) == memoryOf(memory);
    });
  };
  for (OpOperand &init : op.getDpsInitsMutable())
    for (OpOperand &other : op->getOpOperands()) {
      bool isSame =
          other.get() == init.get() &&
          op.getMatchingIndexingMap(&other) == op.getMatchingIndexingMap(&init);
      if (!isSame && memoryOf(other.get()) == memoryOf(init.get()))
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

void LoopBlocker::block(LinalgOp op) {
  if (!op.hasPureBufferSemantics() || op.hasDynamicShape() ||
      op.getNumLoops() == 0 || readsWhatItWrites(op))
    return;
  linalg::GenericOp ordered = orderLoops(op);
  if (!ordered)
    return;
  relaxSums(ordered);
  int64_t work = ShapedType::getNumElements(ordered.getStaticLoopRanges());
  if (work < leastWork)
    makeLoops(ordered, /*jam=*/false);
  else if (isa<func::FuncOp>(ordered->getParentOp()))
    cutIntoParts(ordered);
  else
    blockReductions(ordered, /*jam=*/true);
}

namespace {

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

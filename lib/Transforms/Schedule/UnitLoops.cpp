//===- Loops of one step --------------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Transforms/Schedule/UnitLoops.h"
#include "tonno/Dialect/LoopRoles.h"

#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Linalg/Utils/Utils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace tonno;

using Strategy = linalg::ControlDropUnitDims::RankReductionStrategy;

/// A view without these dimensions: upstream's needs rows side by side.
static FailureOr<Value> collapse(RewriterBase &rewriter, Location loc,
                                 Value operand, ArrayRef<int64_t> shape) {
  auto type = cast<MemRefType>(operand.getType());
  SmallVector<OpFoldResult> offsets(type.getRank(), rewriter.getIndexAttr(0));
  SmallVector<OpFoldResult> strides(type.getRank(), rewriter.getIndexAttr(1));
  auto sizes = getAsIndexOpFoldResult(rewriter.getContext(), type.getShape());
  auto reduced = memref::SubViewOp::inferRankReducedResultType(
      shape, type, offsets, sizes, strides);
  return memref::SubViewOp::create(rewriter, loc, reduced, operand, offsets,
                                   sizes, strides)
      .getResult();
}

/// Returns the op without these loops if they have one step, and without
/// dimensions of one element that no loop goes along; null if it has neither.
static linalg::LinalgOp dropLoops(RewriterBase &rewriter, linalg::GenericOp op,
                                  ArrayRef<unsigned> loops) {
  linalg::ControlDropUnitDims control;
  control.rankReductionStrategy = Strategy::ExtractInsertSlice;
  control.controlFn = [&](Operation *) { return llvm::to_vector(loops); };
  auto usual = control.collapseFn;
  control.collapseFn = [&](RewriterBase &rewriter, Location loc, Value operand,
                           ArrayRef<int64_t> shape,
                           ArrayRef<ReassociationIndices> groups,
                           const linalg::ControlDropUnitDims &control) {
    return isa<MemRefType>(operand.getType())
               ? collapse(rewriter, loc, operand, shape)
               : usual(rewriter, loc, operand, shape, groups, control);
  };
  rewriter.setInsertionPoint(op);
  auto dropped = linalg::dropUnitDims(rewriter, op, control);
  if (failed(dropped))
    return nullptr;
  rewriter.replaceOp(op, dropped->replacements);
  return cast<linalg::LinalgOp>(dropped->resultOp.getOperation());
}

static FailureOr<linalg::GenericOp> generalize(RewriterBase &rewriter,
                                               linalg::LinalgOp op) {
  if (auto generic = dyn_cast<linalg::GenericOp>(op.getOperation()))
    return generic;
  rewriter.setInsertionPoint(op);
  auto made = linalg::generalizeNamedOp(rewriter, op);
  if (failed(made))
    return op.emitOpError() << "can't be made a generic op";
  return *made;
}

FailureOr<linalg::LinalgOp> tonno::dropUnitResults(RewriterBase &rewriter,
                                                   linalg::LinalgOp op) {
  auto isPlain = [&](OpOperand &init) {
    return op.getMatchingIndexingMap(&init).isProjectedPermutation();
  };
  if (op.getNumReductionLoops() == 0 ||
      llvm::all_of(op.getDpsInitsMutable(), isPlain))
    return op;
  // Upstream drops nothing where it may drop no loop.
  SmallVector<unsigned> longer;
  for (auto [loop, extent] : llvm::enumerate(op.getStaticLoopRanges()))
    if (extent != 1)
      longer.push_back(loop);
  auto generic = generalize(rewriter, op);
  if (failed(generic))
    return failure();
  linalg::LinalgOp dropped = dropLoops(rewriter, *generic, longer);
  return dropped ? dropped : cast<linalg::LinalgOp>(generic->getOperation());
}

/// All but the last over what is summed up, of a product of matrices.
static SmallVector<unsigned> droppedLoops(linalg::LinalgOp op) {
  auto loops = llvm::to_vector(llvm::seq<unsigned>(0, op.getNumLoops()));
  auto dims = linalg::inferContractionDims(op);
  if (succeeded(dims) && !dims->m.empty() && !dims->n.empty() &&
      !dims->k.empty())
    loops.erase(loops.begin() + dims->k.back());
  return loops;
}

void tonno::dropUnitLoops(RewriterBase &rewriter, linalg::GenericOp op) {
  dropLoops(rewriter, op, droppedLoops(op));
}

/// The loops that keep the op from becoming vectors.
static SmallVector<unsigned> steps(linalg::LinalgOp op) {
  SmallVector<int64_t> extents = op.getStaticLoopRanges();
  auto isStep = [&](unsigned loop) { return extents[loop] == 1; };
  SmallVector<unsigned> reductions;
  op.getReductionDims(reductions);
  if (linalg::isaContractionOpInterface(op)) {
    auto loops = droppedLoops(op);
    bool isDropped = reductions.size() > 1 && loops.size() < op.getNumLoops() &&
                     llvm::any_of(loops, isStep);
    return isDropped ? loops : SmallVector<unsigned>();
  }
  if (!combinesAll(op) && llvm::all_of(reductions, isStep))
    return reductions;
  return {};
}

LogicalResult tonno::dropSteps(RewriterBase &rewriter, linalg::LinalgOp op) {
  auto plain = dropUnitResults(rewriter, op);
  if (failed(plain))
    return failure();
  SmallVector<unsigned> loops = steps(*plain);
  if (loops.empty())
    return success();
  auto generic = generalize(rewriter, *plain);
  if (failed(generic))
    return failure();
  dropLoops(rewriter, *generic, loops);
  return success();
}

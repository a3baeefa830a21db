//===- Drop dimensions that reductions keep with extent 1 -----------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Dialect/TonnoDialect.h"
#include "tonno/Dialect/Walks.h"
#include "Schedule/Decomposition/Decomposition.h"
#include "Schedule/Tiling/LinalgForms.h"

#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tensor/Transforms/Transforms.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;
using namespace tonno;

/// Returns true for each dimension of the value that a reshape has added.
static SmallVector<bool> findAddedDims(Value value) {
  SmallVector<bool> isAdded(cast<ShapedType>(value.getType()).getRank());
  auto reshape = value.getDefiningOp<tensor::ExpandShapeOp>();
  if (!reshape)
    return isAdded;
  ArrayRef<int64_t> shape = reshape.getResultType().getShape();
  for (const ReassociationIndices &dims : reshape.getReassociationIndices()) {
    // One of them is the dimension of the source.
    int64_t others =
        llvm::count_if(dims, [&](int64_t dim) { return shape[dim] != 1; });
    if (others != 1)
      continue;
    for (int64_t dim : dims)
      isAdded[dim] = shape[dim] == 1;
  }
  return isAdded;
}

/// Returns the loops of extent 1 along which no input has elements of its own:
/// they lack the dimension, or a reshape has added it.
static SmallVector<unsigned> findKeptLoops(linalg::LinalgOp op) {
  SmallVector<OpOperand *> inputs =
      llvm::filter_to_vector(op.getDpsInputOperands(), [](OpOperand *input) {
        return isa<RankedTensorType>(input->get().getType());
      });
  bool hasInput = llvm::any_of(inputs, [&](OpOperand *input) {
    return op.getMatchingIndexingMap(input).getNumResults() != 0;
  });
  SmallVector<unsigned> loops;
  if (!hasInput)
    return loops;
  for (auto [loop, extent] : llvm::enumerate(op.getStaticLoopRanges())) {
    auto isKept = [&, loop = loop](OpOperand *input) {
      AffineMap map = op.getMatchingIndexingMap(input);
      SmallVector<bool> isAdded = findAddedDims(input->get());
      return llvm::all_of(
          llvm::zip_equal(map.getResults(), isAdded), [&](auto dim) {
            return std::get<1>(dim) || !std::get<0>(dim).isFunctionOfDim(loop);
          });
    };
    if (extent == 1 && llvm::all_of(inputs, isKept))
      loops.push_back(loop);
  }
  return loops;
}

/// Lets the op read the source of reshapes that add dimensions which it reads
/// at index 0. Returns true if it changed.
static bool readSources(RewriterBase &rewriter, linalg::GenericOp op) {
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  bool isChanged = false;
  for (OpOperand *input : op.getDpsInputOperands()) {
    auto reshape = input->get().getDefiningOp<tensor::ExpandShapeOp>();
    if (!reshape)
      continue;
    AffineMap &map = maps[input->getOperandNumber()];
    SmallVector<bool> isAdded = findAddedDims(input->get());
    SmallVector<AffineExpr> results;
    for (auto [result, added] : llvm::zip_equal(map.getResults(), isAdded))
      if (!added || result != getAffineConstantExpr(0, op.getContext()))
        results.push_back(result);
    if (int64_t(results.size()) != reshape.getSrcType().getRank())
      continue;
    map = AffineMap::get(map.getNumDims(), 0, results, op.getContext());
    rewriter.modifyOpInPlace(op, [&] { input->set(reshape.getSrc()); });
    isChanged = true;
  }
  if (isChanged)
    rewriter.modifyOpInPlace(op, [&] {
      op.setIndexingMapsAttr(rewriter.getAffineMapArrayAttr(maps));
    });
  return isChanged;
}

/// Drops the loops of one op. Returns true if it had some.
static bool dropLoops(RewriterBase &rewriter, linalg::LinalgOp op) {
  SmallVector<unsigned> loops = findKeptLoops(op);
  if (loops.empty())
    return false;
  auto generic = makeGeneric(rewriter, op);
  if (failed(generic))
    return false;
  linalg::ControlDropUnitDims control;
  control.controlFn = [&](Operation *) { return loops; };
  rewriter.setInsertionPoint(*generic);
  auto dropped = linalg::dropUnitDims(rewriter, *generic, control);
  if (failed(dropped))
    return false;
  dropped->resultOp->setDiscardableAttrs(
      (*generic)->getDiscardableAttrDictionary());
  rewriter.replaceOp(*generic, dropped->replacements);
  return true;
}

bool tonno::dropKeptDims(func::FuncOp function) {
  IRRewriter rewriter(function.getContext());
  bool isChanged = false;
  // Users follow, whose operands are reshapes then.
  for (linalg::LinalgOp op : collectOps<linalg::LinalgOp>(function)) {
    if (!isPerElement(op))
      continue;
    if (auto generic = dyn_cast<linalg::GenericOp>(op.getOperation()))
      isChanged |= readSources(rewriter, generic);
    // A configuration has a size for each loop.
    if (!op->hasAttr(TonnoDialect::kLoweringConfig))
      isChanged |= dropLoops(rewriter, op);
  }
  if (!isChanged)
    return false;
  RewritePatternSet patterns(function.getContext());
  tensor::ExpandShapeOp::getCanonicalizationPatterns(patterns,
                                                     function.getContext());
  tensor::CollapseShapeOp::getCanonicalizationPatterns(patterns,
                                                       function.getContext());
  tensor::populateFoldTensorEmptyPatterns(patterns);
  GreedyRewriteConfig config;
  config.setRegionSimplificationLevel(GreedySimplifyRegionLevel::Disabled);
  (void)applyPatternsGreedily(function, std::move(patterns), config);
  return true;
}

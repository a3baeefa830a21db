//===- Init operands of linalg ops ----------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Schedule/Tiling/InitOperands.h"
#include "Schedule/Tiling/LoopSimplification.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Linalg/Utils/Utils.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace tonno;

Value tonno::takeStart(RewriterBase &rewriter, linalg::LinalgOp op) {
  if (op.getNumReductionLoops() == 0 || op.getNumDpsInits() != 1 ||
      !op.hasPureTensorSemantics())
    return nullptr;
  OpOperand &init = *op.getDpsInitOperand(0);
  auto fill = init.get().getDefiningOp<linalg::FillOp>();
  if (!fill)
    return nullptr;
  Value start = fill.value();
  rewriter.modifyOpInPlace(op, [&] { init.set(fill.output()); });
  if (fill->use_empty())
    rewriter.eraseOp(fill);
  return start;
}

void tonno::forgetInit(RewriterBase &rewriter, linalg::LinalgOp op) {
  OpOperand &init = *op.getDpsInitOperand(0);
  auto type = cast<RankedTensorType>(init.get().getType());
  rewriter.setInsertionPoint(op);
  Value empty = tensor::EmptyOp::create(rewriter, op.getLoc(), type.getShape(),
                                        type.getElementType());
  rewriter.modifyOpInPlace(op, [&] { init.set(empty); });
}

/// Whether loops of one step are dropped before the op becomes vectors.
static bool isFlattened(linalg::LinalgOp op) {
  return hasWindows(op) || op.getNumReductionLoops() > 1;
}

/// Without the dimensions of one element, as such an op has it in the end: the
/// vector that is written is then the one that is read.
static Value fillSlice(RewriterBase &rewriter, Location loc, Value start,
                       Value tensor) {
  auto type = cast<RankedTensorType>(tensor.getType());
  SmallVector<int64_t> shape(type.getShape());
  llvm::erase(shape, 1);
  Value slice = tensor::createCanonicalRankReducingExtractSliceOp(
      rewriter, loc, tensor, type.clone(shape));
  auto fill = linalg::FillOp::create(rewriter, loc, start, slice);
  return tensor::createCanonicalRankReducingInsertSliceOp(
      rewriter, loc, fill.getResult(0), tensor);
}

void tonno::writeStart(RewriterBase &rewriter, linalg::LinalgOp op,
                       Value start) {
  if (!start)
    return;
  OpOperand &init = *op.getDpsInitOperand(0);
  rewriter.setInsertionPoint(op);
  Location loc = op.getLoc();
  Value filled = isFlattened(op)
                     ? fillSlice(rewriter, loc, start, init.get())
                     : linalg::FillOp::create(rewriter, loc, start, init.get())
                           .getResult(0);
  rewriter.modifyOpInPlace(op, [&] { init.set(filled); });
}

std::optional<SmallVector<int64_t>>
tonno::tilesOutsideReductions(linalg::LinalgOp op, ArrayRef<int64_t> tiles,
                              ArrayRef<int64_t> order) {
  SmallVector<utils::IteratorType> kinds = op.getIteratorTypesArray();
  SmallVector<int64_t> outside(tiles.size(), 0);
  for (size_t i = 0; i < tiles.size(); ++i) {
    size_t loop = order.empty() ? i : static_cast<size_t>(order[i]);
    if (tiles[loop] != 0 && linalg::isReductionIterator(kinds[loop]))
      return outside;
    outside[loop] = tiles[loop];
  }
  return std::nullopt;
}

/// The output that is written where `input` is read, each element by the
/// iteration that reads it; null if there is none.
static OpOperand *outputOver(linalg::LinalgOp op, OpOperand &input) {
  AffineMap read = op.getMatchingIndexingMap(&input);
  if (!read.isPermutation())
    return nullptr;
  for (OpOperand &init : op.getDpsInitsMutable())
    if (init.get() == input.get() && op.getMatchingIndexingMap(&init) == read)
      return &init;
  return nullptr;
}

static bool isUpdate(linalg::LinalgOp op) {
  return op.hasPureTensorSemantics() && op.getNumReductionLoops() == 0 &&
         llvm::any_of(op.getDpsInputOperands(), [&](OpOperand *input) {
           return outputOver(op, *input) != nullptr;
         });
}

/// Drops the inputs that are outputs, too.
static void dropInputs(RewriterBase &rewriter, linalg::GenericOp op) {
  SmallVector<Value> inputs;
  SmallVector<AffineMap> maps;
  llvm::BitVector dropped(op.getBody()->getNumArguments());
  for (OpOperand *input : op.getDpsInputOperands()) {
    OpOperand *output = outputOver(op, *input);
    if (!output) {
      inputs.push_back(input->get());
      maps.push_back(op.getMatchingIndexingMap(input));
      continue;
    }
    BlockArgument element = op.getMatchingBlockArgument(input);
    rewriter.replaceAllUsesWith(element, op.getMatchingBlockArgument(output));
    dropped.set(element.getArgNumber());
  }
  for (OpOperand &init : op.getDpsInitsMutable())
    maps.push_back(op.getMatchingIndexingMap(&init));
  rewriter.modifyOpInPlace(op, [&] {
    op.getBody()->eraseArguments(dropped);
    op.getInputsMutable().assign(inputs);
    op.setIndexingMapsAttr(rewriter.getAffineMapArrayAttr(maps));
  });
}

LogicalResult tonno::readThroughOutputs(RewriterBase &rewriter,
                                        Operation *root) {
  SmallVector<linalg::LinalgOp> updates;
  root->walk([&](linalg::LinalgOp op) {
    if (isUpdate(op))
      updates.push_back(op);
  });
  for (linalg::LinalgOp op : updates) {
    auto generic = dyn_cast<linalg::GenericOp>(op.getOperation());
    if (!generic) {
      DictionaryAttr attributes = op->getDiscardableAttrDictionary();
      rewriter.setInsertionPoint(op);
      auto generalized = linalg::generalizeNamedOp(rewriter, op);
      if (failed(generalized))
        return op.emitOpError()
               << "writes what it reads, but can't be made a linalg.generic";
      generic = *generalized;
      generic->setDiscardableAttrs(attributes);
    }
    dropInputs(rewriter, generic);
  }
  return success();
}

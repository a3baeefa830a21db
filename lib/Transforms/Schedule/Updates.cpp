//===- Ops that write what they read --------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Transforms/Schedule/Updates.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"

using namespace mlir;

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

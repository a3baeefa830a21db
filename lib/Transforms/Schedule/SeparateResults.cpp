//===- SeparateResults.cpp - Memory for each result -----------------------===//
//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tonno/Transforms/Schedule/SeparateResults.h"

#include "tonno/Transforms/Schedule/Destinations.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "mlir/Interfaces/LoopLikeInterface.h"

using namespace mlir;

/// The tensor that is begun with, behind a fill of it; null for other values.
static Operation *emptyOf(Value value) {
  Operation *op = value.getDefiningOp();
  if (auto fill = dyn_cast_if_present<linalg::FillOp>(op))
    op = fill.getOutputs().front().getDefiningOp();
  return dyn_cast_if_present<tensor::EmptyOp>(op);
}

/// Begins with a tensor like `empty` before the use's owner.
static void beginAnew(OpBuilder &builder, OpOperand &use, Operation *empty) {
  builder.setInsertionPoint(use.getOwner());
  IRMapping mapping;
  builder.clone(*empty, mapping);
  if (Operation *begun = use.get().getDefiningOp(); begun != empty)
    builder.clone(*begun, mapping);
  use.set(mapping.lookup(use.get()));
}

static void separateResultsOfOp(OpBuilder &builder,
                                DestinationStyleOpInterface op) {
  llvm::SmallPtrSet<Operation *, 4> taken;
  for (OpOperand &init : op.getDpsInitsMutable()) {
    Operation *empty = emptyOf(init.get());
    if (empty && !taken.insert(empty).second)
      beginAnew(builder, init, empty);
  }
}

/// The operands in whose memory `value` may lie.
static SmallVector<OpOperand *> placesOf(Value value) {
  if (OpOperand *destination = tonno::destinationOf(value))
    return {destination};
  Operation *op = value.getDefiningOp();
  if (tonno::sourceOfView(value))
    return {&op->getOpOperand(0)};
  if (auto select = dyn_cast_if_present<arith::SelectOp>(op))
    return {&select.getTrueValueMutable(), &select.getFalseValueMutable()};
  SmallVector<OpOperand *> yielded;
  if (op && !isa<LoopLikeOpInterface>(op) && isa<RegionBranchOpInterface>(op))
    for (Region &region : op->getRegions())
      if (!region.empty())
        yielded.push_back(&region.back().getTerminator()->getOpOperand(
            cast<OpResult>(value).getResultNumber()));
  return yielded;
}

/// Gives `use` a copy of what it uses.
static void copyUsed(OpBuilder &builder, OpOperand &use) {
  Value value = use.get();
  // Where what is returned is written over later, it has to be copied first.
  if (isa<func::ReturnOp>(use.getOwner()))
    builder.setInsertionPointAfterValue(value);
  else
    builder.setInsertionPoint(use.getOwner());
  Location loc = value.getLoc();
  auto type = cast<RankedTensorType>(value.getType());
  Value empty = tensor::EmptyOp::create(
      builder, loc, tensor::getMixedSizes(builder, loc, value),
      type.getElementType());
  use.set(bufferization::MaterializeInDestinationOp::create(builder, loc, value,
                                                            empty)
              .getResult());
}

namespace {

/// The values in whose memory results of a kernel may lie.
class ResultMemory {
public:
  explicit ResultMemory(MLIRContext *context) : builder(context) {}

  /// Makes the memory of `result`, which is returned, its own.
  void separate(OpOperand &result) {
    own.clear();
    // The same result twice is copied when it is written.
    if (!results.insert(result.get()).second)
      return;
    follow(result);
    others.insert(own.begin(), own.end());
  }

private:
  llvm::DenseSet<Value> results, own, others;
  OpBuilder builder;

  void follow(OpOperand &use) {
    Value value = use.get();
    if (others.contains(value)) {
      if (Operation *empty = emptyOf(value))
        return beginAnew(builder, use, empty);
      return copyUsed(builder, use);
    }
    if (!own.insert(value).second)
      return;
    for (OpOperand *place : placesOf(value)) {
      bool isView = tonno::sourceOfView(value) == place->get();
      // A part is copied rather than the whole.
      if (isView && others.contains(place->get()))
        return copyUsed(builder, use);
      follow(*place);
    }
  }
};

} // namespace

/// One result's buffer may become that of what another is computed over, and
/// bufferisation doesn't see that this is gone once the result is written.
static void separateResultsOfKernel(func::FuncOp kernel) {
  ResultMemory memory(kernel.getContext());
  // First those that others may be computed over.
  SmallVector<OpOperand *> results;
  kernel.walk<WalkOrder::PreOrder>([&](Operation *op) {
    for (OpOperand &use : op->getUses())
      if (isa<func::ReturnOp>(use.getOwner()) &&
          isa<RankedTensorType>(use.get().getType()))
        results.push_back(&use);
  });
  for (OpOperand *result : results)
    memory.separate(*result);
}

void tonno::separateResults(func::FuncOp kernel) {
  OpBuilder builder(kernel.getContext());
  kernel.walk([&](DestinationStyleOpInterface op) {
    separateResultsOfOp(builder, op);
  });
  separateResultsOfKernel(kernel);
}

//===- Destinations.cpp - Where results are computed ----------------------===//
//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tonno/Transforms/Schedule/Destinations.h"

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "mlir/Interfaces/LoopLikeInterface.h"

using namespace mlir;

bool tonno::isDestination(OpOperand &use) {
  Operation *user = use.getOwner();
  if (auto destinationStyle = dyn_cast<DestinationStyleOpInterface>(user))
    return destinationStyle.isDpsInit(&use);
  auto loop = dyn_cast<LoopLikeOpInterface>(user);
  return loop && llvm::any_of(loop.getInitsMutable(),
                              [&](OpOperand &init) { return &init == &use; });
}

/// The tensor that is begun with, behind a fill of it; null for other values.
static Operation *emptyOf(Value value) {
  Operation *op = value.getDefiningOp();
  if (auto fill = dyn_cast_if_present<linalg::FillOp>(op))
    op = fill.getOutputs().front().getDefiningOp();
  return dyn_cast_if_present<tensor::EmptyOp>(op);
}

void tonno::separateResults(func::FuncOp kernel) {
  OpBuilder builder(kernel.getContext());
  kernel.walk([&](DestinationStyleOpInterface op) {
    llvm::SmallPtrSet<Operation *, 4> taken;
    for (OpOperand &init : op.getDpsInitsMutable()) {
      Operation *empty = emptyOf(init.get());
      if (!empty || taken.insert(empty).second)
        continue;
      builder.setInsertionPoint(op);
      IRMapping mapping;
      builder.clone(*empty, mapping);
      if (Operation *begun = init.get().getDefiningOp(); begun != empty)
        builder.clone(*begun, mapping);
      init.set(mapping.lookup(init.get()));
    }
  });
}

/// The value in whose memory `value` is computed; null where that is new.
static Value destinationOf(Value value) {
  auto result = dyn_cast<OpResult>(value);
  if (!result)
    return {};
  Operation *op = result.getOwner();
  if (auto destinationStyle = dyn_cast<DestinationStyleOpInterface>(op))
    return destinationStyle.getTiedOpOperand(result)->get();
  if (auto insertion = dyn_cast<tensor::InsertSliceOp>(op))
    return insertion.getDest();
  if (auto insertion = dyn_cast<tensor::InsertOp>(op))
    return insertion.getDest();
  if (auto loop = dyn_cast<LoopLikeOpInterface>(op))
    if (OpOperand *init = loop.getTiedLoopInit(result))
      return init->get();
  return {};
}

/// The op that is the first to write what becomes `value` into the memory of
/// `place`; null where that has another.
static Operation *firstWriter(Value value, Value place) {
  Operation *writer = nullptr;
  while (value && value != place) {
    writer = value.getDefiningOp();
    value = destinationOf(value);
  }
  return value ? writer : nullptr;
}

void tonno::keepCarried(func::FuncOp kernel) {
  kernel.walk([](scf::ForOp loop) {
    auto yield = cast<scf::YieldOp>(loop.getBody()->getTerminator());
    OpBuilder builder(yield);
    for (auto [carried, handedOn] :
         llvm::zip_equal(loop.getRegionIterArgs(), yield->getOpOperands())) {
      if (!isa<RankedTensorType>(carried.getType()))
        continue;
      if (handedOn.get() != carried && !firstWriter(handedOn.get(), carried))
        handedOn.set(bufferization::MaterializeInDestinationOp::create(
                         builder, yield.getLoc(), handedOn.get(), carried)
                         .getResult());
    }
  });
}

/// Whether nothing reads what was in `place` once `writer` has begun: its value
/// can then be computed there.
static bool isOverwritten(Value place, Operation *writer, Operation *kept) {
  return llvm::all_of(place.getUsers(), [&](Operation *user) {
    Operation *beside = writer->getBlock()->findAncestorOpInBlock(*user);
    return user == writer || user == kept ||
           (beside && beside->isBeforeInBlock(writer));
  });
}

void tonno::dropKept(func::FuncOp kernel) {
  kernel.walk([](bufferization::MaterializeInDestinationOp kept) {
    if (kept->getNumResults() == 0)
      return;
    Value place = kept.getDest();
    Operation *writer = firstWriter(kept.getSource(), place);
    if (!writer || !isOverwritten(place, writer, kept))
      return;
    kept.getResult().replaceAllUsesWith(kept.getSource());
    kept.erase();
  });
}

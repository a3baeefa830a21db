//===- Memory for each result ---------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Transforms/Schedule/SeparateResults.h"

#include "tonno/Transforms/Schedule/Destinations.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"

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

void tonno::separateInits(func::FuncOp kernel) {
  OpBuilder builder(kernel.getContext());
  kernel.walk([&](DestinationStyleOpInterface op) {
    llvm::SmallPtrSet<Operation *, 4> taken;
    for (OpOperand &init : op.getDpsInitsMutable()) {
      Operation *empty = emptyOf(init.get());
      if (empty && !taken.insert(empty).second)
        beginAnew(builder, init, empty);
    }
  });
}

void tonno::separateCopies(func::FuncOp kernel) {
  OpBuilder builder(kernel.getContext());
  kernel.walk([&](bufferization::MaterializeInDestinationOp copy) {
    auto empty = copy.getDest().getDefiningOp<tensor::EmptyOp>();
    if (empty && !empty->hasOneUse())
      beginAnew(builder, copy.getDestMutable(), empty);
  });
}

/// Whether nothing is ever written to it: ops that would get copies.
static bool isConstant(Value value) {
  return isa_and_present<arith::ConstantOp, bufferization::ToTensorOp>(
      value.getDefiningOp());
}

/// Gives `use` a copy of what it uses, in memory that becomes nothing else's.
static void copyUsed(OpBuilder &builder, OpOperand &use) {
  Value value = use.get();
  // Where what is returned is written over later, it has to be copied first.
  if (isa<func::ReturnOp>(use.getOwner()))
    builder.setInsertionPointAfterValue(value);
  else
    builder.setInsertionPoint(use.getOwner());
  use.set(bufferization::AllocTensorOp::create(
      builder, value.getLoc(), cast<RankedTensorType>(value.getType()),
      ValueRange(), value));
}

/// The same in an empty tensor, which may become a result's buffer.
static void copyIntoEmpty(OpBuilder &builder, OpOperand &use) {
  Value value = use.get();
  Location loc = value.getLoc();
  builder.setInsertionPoint(use.getOwner());
  Value empty = tensor::EmptyOp::create(
      builder, loc, tensor::getMixedSizes(builder, loc, value),
      cast<RankedTensorType>(value.getType()).getElementType());
  use.set(bufferization::MaterializeInDestinationOp::create(builder, loc, value,
                                                            empty)
              .getResult());
}

namespace {

/// The values in whose memory results of a kernel may lie. One result's buffer
/// may become that of what another is computed over, and bufferisation doesn't
/// see that this is gone once the result is written.
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
    if (isConstant(value))
      return;
    if (others.contains(value)) {
      if (Operation *empty = emptyOf(value))
        return beginAnew(builder, use, empty);
      if (tonno::isDestination(use))
        return copyIntoEmpty(builder, use);
      return copyUsed(builder, use);
    }
    if (!own.insert(value).second)
      return;
    for (OpOperand *place : tonno::placesOf(value)) {
      bool isView = tonno::sourceOfView(value) == place->get();
      // A part is copied rather than the whole.
      if (isView && others.contains(place->get()))
        return copyUsed(builder, use);
      follow(*place);
    }
  }
};

} // namespace

namespace {

/// The tensors in whose memory values may lie.
struct Roots {
  llvm::SmallSetVector<Value, 4> all;

  void add(Value value) {
    SmallVector<OpOperand *> places = tonno::placesOf(value);
    if (places.empty())
      all.insert(value);
    for (OpOperand *place : places)
      add(place->get());
  }

  bool hasOutside(Operation *op) const {
    return llvm::any_of(all, [&](Value root) {
      return !op->isAncestor(root.getParentRegion()->getParentOp());
    });
  }

  bool areConstant() const { return llvm::all_of(all, isConstant); }
};

} // namespace

void tonno::separateBranches(func::FuncOp kernel) {
  OpBuilder builder(kernel.getContext());
  kernel.walk([&](Operation *op) {
    if (!isa<scf::IfOp, scf::IndexSwitchOp>(op))
      return;
    for (OpResult result : op->getResults()) {
      if (!isa<RankedTensorType>(result.getType()))
        continue;
      Roots roots;
      roots.add(result);
      if (roots.all.size() < 2 || roots.areConstant())
        continue;
      for (OpOperand *yielded : placesOf(result)) {
        Roots own;
        own.add(yielded->get());
        if (own.hasOutside(op))
          copyUsed(builder, *yielded);
      }
    }
  });
}

void tonno::separateResults(func::FuncOp kernel) {
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

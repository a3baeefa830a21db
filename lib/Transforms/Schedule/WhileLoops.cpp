//===- What an scf.while carries ------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Transforms/Schedule/WhileLoops.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

static bool isTensor(Value value) { return isa<TensorType>(value.getType()); }

static bool isAligned(scf::WhileOp loop) {
  auto before = loop.getBeforeArguments(), after = loop.getAfterArguments();
  for (size_t i = 0, e = std::max(before.size(), after.size()); i < e; ++i) {
    bool isInBoth = i < before.size() && i < after.size() &&
                    before[i].getType() == after[i].getType();
    bool holdsTensor = (i < before.size() && isTensor(before[i])) ||
                       (i < after.size() && isTensor(after[i]));
    if (holdsTensor && !isInBoth)
      return false;
  }
  return true;
}

namespace {

/// What the first block hands on, in its new order.
struct Order {
  /// For each position what was there; none where the first block's own
  /// argument is passed through.
  SmallVector<std::optional<size_t>> positions;
  size_t numInits; ///< of the loop, with those that are to be added
};

} // namespace

/// What has the type of an argument takes its position, that argument itself
/// first; tensors that are left over come next, then what else is.
static Order orderOf(scf::WhileOp loop) {
  OperandRange handedOn = loop.getConditionOp().getArgs();
  auto before = loop.getBeforeArguments();
  Order order;
  order.positions.resize(before.size());
  llvm::BitVector placed(handedOn.size());
  auto place = [&](function_ref<bool(Value, Value)> suits) {
    for (auto [argument, position] : llvm::zip_equal(before, order.positions))
      for (auto [i, value] : llvm::enumerate(handedOn))
        if (!position && !placed[i] && suits(argument, value)) {
          position = i;
          placed.set(i);
        }
  };
  place([](Value argument, Value value) { return argument == value; });
  place([](Value argument, Value value) {
    return isTensor(value) && argument.getType() == value.getType();
  });
  place([](Value argument, Value value) {
    return !isTensor(argument) && !isTensor(value);
  });
  auto append = [&](bool tensors) {
    for (auto [i, value] : llvm::enumerate(handedOn))
      if (!placed[i] && isTensor(value) == tensors)
        order.positions.push_back(i);
  };
  append(/*tensors=*/true);
  order.numInits = order.positions.size();
  append(/*tensors=*/false);
  return order;
}

static void align(scf::WhileOp loop) {
  OpBuilder builder(loop);
  Location loc = loop.getLoc();
  Order order = orderOf(loop);
  scf::ConditionOp condition = loop.getConditionOp();
  scf::YieldOp yield = loop.getYieldOp();
  size_t numArguments = loop.getBeforeArguments().size();

  // What is new to the loop has a place from the start, which nothing reads.
  SmallVector<Value> inits(loop.getInits());
  for (std::optional<size_t> from : ArrayRef(order.positions)
                                        .take_front(order.numInits)
                                        .drop_front(numArguments)) {
    auto type = cast<RankedTensorType>(condition.getArgs()[*from].getType());
    inits.push_back(tensor::EmptyOp::create(builder, loc, type.getShape(),
                                            type.getElementType(),
                                            type.getEncoding()));
    loop.getBefore().addArgument(type, loc);
  }
  SmallVector<Value> handedOn;
  for (auto [i, from] : llvm::enumerate(order.positions))
    handedOn.push_back(from ? condition.getArgs()[*from]
                            : Value(loop.getBeforeArguments()[i]));
  condition.getArgsMutable().assign(handedOn);

  Block &after = loop.getAfter().front();
  unsigned numBefore = after.getNumArguments();
  for (Value value : handedOn)
    after.addArgument(value.getType(), loc);
  auto arguments = after.getArguments().drop_front(numBefore);
  for (auto [i, from] : llvm::enumerate(order.positions))
    if (from)
      after.getArgument(*from).replaceAllUsesWith(arguments[i]);
  yield.getResultsMutable().append(SmallVector<Value>(
      arguments.take_front(order.numInits).drop_front(numArguments)));
  after.eraseArguments(0, numBefore);

  auto aligned = scf::WhileOp::create(builder, loc,
                                      TypeRange(ValueRange(handedOn)), inits);
  aligned->setDiscardableAttrs(loop->getDiscardableAttrDictionary());
  aligned.getBefore().takeBody(loop.getBefore());
  aligned.getAfter().takeBody(loop.getAfter());
  for (auto [i, from] : llvm::enumerate(order.positions))
    if (from)
      loop.getResult(*from).replaceAllUsesWith(aligned.getResult(i));
  loop.erase();
}

void tonno::alignCarried(func::FuncOp kernel) {
  kernel.walk([](scf::WhileOp loop) {
    auto isPlaced = [](Value value) {
      auto tensor = dyn_cast<RankedTensorType>(value.getType());
      return !isTensor(value) || (tensor && tensor.hasStaticShape());
    };
    if (!isAligned(loop) && llvm::all_of(loop.getAfterArguments(), isPlaced))
      align(loop);
  });
}

//===- The inputs of a model's kernels ------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Transforms/KernelInputs.h"
#include "tonno/Dialect/TonnoDialect.h"
#include "DefaultSpace/DefaultSpaces.h"
#include "Kernels/KernelGroups.h"

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;
using namespace tonno;

static bool isStaticTensor(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type && type.hasStaticShape();
}

/// Returns true if the op is in the function's body, or in loops there, each of
/// which has an iteration.
static bool isExecuted(Operation *op, func::FuncOp function) {
  for (Operation *above = op->getParentOp(); above != function;
       above = above->getParentOp()) {
    auto loop = dyn_cast<scf::ForOp>(above);
    auto iterations = loop ? loop.getStaticTripCount() : std::nullopt;
    if (!iterations || iterations->isZero())
      return false;
  }
  return true;
}

/// Copies a value where it is read. The ops that are returned stay valid when
/// loops around them are replaced.
static Value copyBefore(Operation *reader, Value value) {
  OpBuilder builder(reader);
  return bufferization::AllocTensorOp::create(
      builder, reader->getLoc(), cast<RankedTensorType>(value.getType()),
      /*dynamicSizes=*/ValueRange(), value);
}

/// Lets a loop yield the values of its body, and returns its results for them.
static FailureOr<SmallVector<Value>>
yieldFromLoop(scf::ForOp loop, ArrayRef<Value> values, RewriterBase &rewriter) {
  rewriter.setInsertionPoint(loop);
  SmallVector<Value> first;
  for (Value value : values) {
    auto type = cast<RankedTensorType>(value.getType());
    first.push_back(tensor::EmptyOp::create(
        rewriter, loop.getLoc(), type.getShape(), type.getElementType()));
  }
  auto replaced = cast<LoopLikeOpInterface>(loop.getOperation())
                      .replaceWithAdditionalYields(
                          rewriter, first,
                          /*replaceInitOperandUsesInLoop=*/false,
                          [&](OpBuilder &, Location, ArrayRef<BlockArgument>) {
                            return SmallVector<Value>(values);
                          });
  if (failed(replaced))
    return failure();
  return SmallVector<Value>((*replaced)->getResults().take_back(values.size()));
}

static unsigned countLoopsAround(Value value) {
  unsigned count = 0;
  for (Operation *above = value.getParentBlock()->getParentOp();
       isa<scf::ForOp>(above); above = above->getParentOp())
    ++count;
  return count;
}

/// Returns the copies as values of the function's body. Inner loops come first:
/// results of a loop are lost when it is replaced again.
static FailureOr<SmallVector<Value>> hoistFromLoops(SmallVector<Value> values,
                                                    RewriterBase &rewriter) {
  while (true) {
    auto inmost = llvm::max_element(values, [](Value one, Value other) {
      return countLoopsAround(one) < countLoopsAround(other);
    });
    if (inmost == values.end() || countLoopsAround(*inmost) == 0)
      return values;
    auto loop = cast<scf::ForOp>(inmost->getParentBlock()->getParentOp());
    SmallVector<Value> inside;
    for (Value value : values)
      if (value.getParentBlock() == loop.getBody())
        inside.push_back(value);
    auto yielded = yieldFromLoop(loop, inside, rewriter);
    if (failed(yielded))
      return failure();
    for (auto [before, after] : llvm::zip_equal(inside, *yielded))
      llvm::replace(values, before, after);
  }
}

KernelInputs tonno::returnKernelInputs(func::FuncOp model,
                                       ArrayRef<const ModelKernel *> kernels,
                                       const DefaultSchedule &schedule) {
  // A target's schedule may not have loaded them.
  model.getContext()
      ->loadDialect<bufferization::BufferizationDialect,
                    tensor::TensorDialect>();
  KernelInputs made;
  made.module = ModuleOp::create(model.getLoc());
  (*made.module)
      ->setDiscardableAttrs(
          model->getParentOfType<ModuleOp>()->getDiscardableAttrDictionary());
  IRMapping copies;
  made.function = cast<func::FuncOp>(model->clone(copies));
  made.module->push_back(made.function);
  made.function->removeAttr(TonnoDialect::kKernels);
  dropDefaultSpace(made.function);

  SmallVector<Value> returned;
  for (const ModelKernel *kernel : kernels) {
    SmallVector<unsigned> &numbers = made.results.emplace_back();
    ArrayRef<Operation *> group = kernel->groups.back();
    SmallVector<Value> inputs = findKernelInputs(group);
    Operation *root = copies.lookup(group.back());
    if (!isExecuted(root, made.function) ||
        !llvm::all_of(inputs, isStaticTensor))
      continue;
    for (Value input : inputs) {
      numbers.push_back(returned.size());
      returned.push_back(copyBefore(root, copies.lookup(input)));
    }
  }

  IRRewriter rewriter(model.getContext());
  auto values = hoistFromLoops(returned, rewriter);
  if (failed(values)) {
    for (auto &numbers : made.results)
      numbers.clear();
    return made;
  }
  Operation *end = made.function.getBody().front().getTerminator();
  rewriter.modifyOpInPlace(end, [&] { end->setOperands(*values); });
  made.function.setFunctionType(rewriter.getFunctionType(
      made.function.getArgumentTypes(), ValueRange(*values).getTypes()));
  made.function.removeResAttrsAttr();
  (void)runRegionDCE(rewriter, made.function->getRegions());
  schedule.annotate(made.function);
  return made;
}

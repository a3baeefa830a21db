//===- How far roundings move results -------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "RoundingNudge.h"

#include "tonno/Core/Problem.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace tonno;

/// Whether a candidate's result differs from this one by a rounding.
static bool isRounded(Operation *op) {
  if (op->getNumResults() != 1 || !op->getResult(0).getType().isF64() ||
      !isa<arith::ArithDialect, math::MathDialect>(op->getDialect()))
    return false;
  return !isa<arith::ConstantOp, arith::ExtFOp, arith::NegFOp, arith::SelectOp,
              arith::MaximumFOp, arith::MinimumFOp, arith::MaxNumFOp,
              arith::MinNumFOp, math::AbsFOp, math::CopySignOp, math::FloorOp,
              math::CeilOp, math::RoundOp, math::RoundEvenOp, math::TruncOp>(
      op);
}

/// The ops with bodies to change.
static SmallVector<linalg::LinalgOp> structuredOps(ModuleOp module) {
  SmallVector<linalg::LinalgOp> found, named;
  module.walk([&](linalg::LinalgOp op) {
    (isa<linalg::GenericOp, linalg::MapOp, linalg::ReduceOp>(op.getOperation())
         ? found
         : named)
        .push_back(op);
  });
  IRRewriter rewriter(module.getContext());
  for (linalg::LinalgOp op : named) {
    rewriter.setInsertionPoint(op);
    // One that stays as it is is not nudged.
    if (auto generic = linalg::generalizeNamedOp(rewriter, op);
        succeeded(generic))
      found.push_back(cast<linalg::LinalgOp>(generic->getOperation()));
  }
  return found;
}

namespace {

/// Collects what is rounded, with the uses where it is nudged.
class RoundedValues {
public:
  /// What is added up is nudged before it is: a sum would be as often as there
  /// are turns.
  void add(Operation *op, function_ref<bool(Value)> isCarried) {
    if (!isRounded(op))
      return;
    if (llvm::none_of(op->getOperands(), isCarried)) {
      values.insert(op->getResult(0));
      return;
    }
    for (Value operand : op->getOperands())
      if (operand.getType().isF64() && !isCarried(operand))
        values.insert(operand);
  }

  ArrayRef<Value> all() const { return values.getArrayRef(); }

private:
  SetVector<Value> values;
};

} // namespace

/// Adds what is rounded in loops that were written out. What such a loop
/// carries is in its arguments, or in buffers that are stored to.
static void addLoops(ModuleOp module, RoundedValues &rounded) {
  DenseSet<Value> stored;
  module.walk([&](Operation *op) {
    if (hasSingleEffect<MemoryEffects::Write>(op))
      stored.insert(op->operand_begin(), op->operand_end());
  });
  auto isCarried = [&](Value value) {
    if (auto argument = dyn_cast<BlockArgument>(value))
      return isa<LoopLikeOpInterface>(argument.getOwner()->getParentOp());
    Operation *load = value.getDefiningOp();
    return load->getNumOperands() > 0 &&
           hasSingleEffect<MemoryEffects::Read>(load) &&
           stored.contains(load->getOperand(0));
  };
  module.walk([&](Operation *op) {
    if (!op->getParentOfType<linalg::LinalgOp>())
      rounded.add(op, isCarried);
  });
}

static void addBody(linalg::LinalgOp op, RoundedValues &rounded) {
  bool reduces = op.getNumReductionLoops() > 0;
  auto isCarried = [&](Value value) {
    auto argument = dyn_cast<BlockArgument>(value);
    return reduces && argument && argument.getOwner() == op.getBlock() &&
           argument.getArgNumber() >= op.getNumDpsInputs();
  };
  op->walk([&](Operation *inner) { rounded.add(inner, isCarried); });
}

unsigned tonno::nudgeRoundings(ModuleOp reference,
                               function_ref<double(unsigned)> shareOf) {
  RoundedValues rounded;
  for (linalg::LinalgOp op : structuredOps(reference))
    addBody(op, rounded);
  addLoops(reference, rounded);
  OpBuilder builder(reference.getContext());
  unsigned count = 0;
  for (Value value : rounded.all()) {
    builder.setInsertionPointAfterValue(value);
    Location loc = value.getLoc();
    Value factor = arith::ConstantOp::create(
        builder, loc, builder.getF64FloatAttr(1 + shareOf(count++)));
    Value nudged = arith::MulFOp::create(builder, loc, value, factor);
    value.replaceAllUsesExcept(nudged, nudged.getDefiningOp());
  }
  return count;
}

//===- RoundingNudge.cpp - How far roundings move results -----------------===//
//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

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
  return !isa<arith::ConstantOp, arith::NegFOp, arith::SelectOp,
              arith::MaximumFOp, arith::MinimumFOp, arith::MaxNumFOp,
              arith::MinNumFOp, math::AbsFOp, math::CopySignOp, math::FloorOp,
              math::CeilOp, math::RoundOp, math::RoundEvenOp, math::TruncOp>(
      op);
}

/// The ops that have nothing but elementwise code, with bodies to change.
static SmallVector<linalg::LinalgOp> elementwiseOps(ModuleOp module) {
  SmallVector<linalg::LinalgOp> found, named;
  module.walk([&](linalg::LinalgOp op) {
    if (op.getNumReductionLoops() == 0)
      (isa<linalg::GenericOp, linalg::MapOp>(op.getOperation()) ? found : named)
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

/// Whether a value comes from the loop's last turn: what is added up there, and
/// would be nudged as often as there are turns.
static bool isCarried(Value value, const DenseSet<Value> &stored) {
  if (auto argument = dyn_cast<BlockArgument>(value))
    return isa<LoopLikeOpInterface>(argument.getOwner()->getParentOp());
  Operation *load = value.getDefiningOp();
  return load->getNumOperands() > 0 &&
         hasSingleEffect<MemoryEffects::Read>(load) &&
         stored.contains(load->getOperand(0));
}

/// What is rounded in loops that were written out.
static SmallVector<Operation *> roundedInLoops(ModuleOp module) {
  DenseSet<Value> stored;
  module.walk([&](Operation *op) {
    if (hasSingleEffect<MemoryEffects::Write>(op))
      stored.insert(op->operand_begin(), op->operand_end());
  });
  SmallVector<Operation *> rounded;
  module.walk([&](Operation *op) {
    if (isRounded(op) && !op->getParentOfType<linalg::LinalgOp>() &&
        llvm::none_of(op->getOperands(),
                      [&](Value value) { return isCarried(value, stored); }))
      rounded.push_back(op);
  });
  return rounded;
}

bool tonno::nudgeRoundings(ModuleOp reference) {
  SmallVector<Operation *> rounded = roundedInLoops(reference);
  for (linalg::LinalgOp op : elementwiseOps(reference))
    op->walk([&](Operation *inner) {
      if (isRounded(inner))
        rounded.push_back(inner);
    });
  unsigned count = 0;
  for (Operation *op : rounded) {
    OpBuilder builder(op->getContext());
    builder.setInsertionPointAfter(op);
    Location loc = op->getLoc();
    Value factor = arith::ConstantOp::create(
        builder, loc, builder.getF64FloatAttr(1 + roundingNudgeOf(count++)));
    auto nudged = arith::MulFOp::create(builder, loc, op->getResult(0), factor);
    op->getResult(0).replaceAllUsesExcept(nudged, nudged);
  }
  return count != 0;
}

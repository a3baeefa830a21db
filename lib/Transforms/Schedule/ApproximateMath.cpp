//===- Functions without calls --------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Transforms/Schedule/Exponential.h"
#include "tonno/Transforms/Schedule/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

#include <cmath>
#include <numbers>

namespace tonno {
#define GEN_PASS_DEF_APPROXIMATEMATHPASS
#include "tonno/Transforms/Schedule/Passes.h.inc"
} // namespace tonno

using namespace mlir;

namespace {

/// Upstream's logarithms take what is subnormal for the least normal number:
/// they get it 2^23 times as large.
class SubnormalLogarithms {
public:
  static void scale(Operation *root) {
    SmallVector<Operation *> logarithms;
    root->walk([&](Operation *op) {
      if (isa<math::LogOp, math::Log2Op>(op) &&
          getElementTypeOrSelf(op->getResult(0)).isF32())
        logarithms.push_back(op);
    });
    for (Operation *op : logarithms)
      scaleOne(op);
  }

private:
  static constexpr double bits = 23;

  static void scaleOne(Operation *op) {
    OpBuilder builder(op);
    Location loc = op->getLoc();
    Value number = op->getOperand(0);
    auto constant = [&](double value) {
      return constantOf(builder, loc, number.getType(), value);
    };
    double least =
        llvm::APFloat::getSmallestNormalized(llvm::APFloat::IEEEsingle())
            .convertToDouble();
    Value isSubnormal = arith::CmpFOp::create(
        builder, loc, arith::CmpFPredicate::OLT, number, constant(least));
    Value larger = arith::MulFOp::create(builder, loc, number,
                                         constant(std::ldexp(1, int(bits))));
    op->setOperand(
        0, arith::SelectOp::create(builder, loc, isSubnormal, larger, number));
    builder.setInsertionPointAfter(op);
    Value result = op->getResult(0);
    double logarithm = isa<math::Log2Op>(op) ? bits : bits * std::numbers::ln2;
    Value less =
        arith::SubFOp::create(builder, loc, result, constant(logarithm));
    Value chosen =
        arith::SelectOp::create(builder, loc, isSubnormal, less, result);
    result.replaceUsesWithIf(chosen, [&](OpOperand &use) {
      return use.getOwner() != less.getDefiningOp() &&
             use.getOwner() != chosen.getDefiningOp();
    });
  }

  static Value constantOf(OpBuilder &builder, Location loc, Type type,
                          double value) {
    FloatAttr number = builder.getFloatAttr(getElementTypeOrSelf(type), value);
    return createScalarOrSplatConstant(builder, loc, type, number.getValue());
  }
};

struct ApproximateMath : tonno::impl::ApproximateMathPassBase<ApproximateMath> {
  void runOnOperation() override {
    SubnormalLogarithms::scale(getOperation());
    RewritePatternSet patterns(&getContext());
    tonno::populateExponentialPatterns(patterns);
    // Not sin and cos: their arguments are not reduced well enough.
    populateMathPolynomialApproximationPatterns(patterns, [](StringRef name) {
      return llvm::is_contained(
          {math::ExpM1Op::getOperationName(), math::LogOp::getOperationName(),
           math::Log2Op::getOperationName(), math::Log1pOp::getOperationName(),
           math::TanhOp::getOperationName(), math::ErfOp::getOperationName()},
          name);
    });
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};

} // namespace

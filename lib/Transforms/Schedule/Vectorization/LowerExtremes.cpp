//===- Largest and smallest, with NaN -------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Transforms/Schedule/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace tonno {
#define GEN_PASS_DEF_LOWEREXTREMESPASS
#include "tonno/Transforms/Schedule/Passes.h.inc"
} // namespace tonno

using namespace mlir;
using namespace tonno;

static bool isNative(Type type) {
  Type element = getElementTypeOrSelf(type);
  return element.isF32() || element.isF64();
}

namespace {

/// x86 gives the second operand where one is NaN or both are equal, so this is
/// one instruction if `second` is never NaN: `first` beats it, or not.
template <typename Op>
constexpr arith::CmpFPredicate beats =
    std::is_same_v<Op, arith::MaximumFOp> ? arith::CmpFPredicate::OGT
                                          : arith::CmpFPredicate::OLT;

template <typename Op> struct LowerExtreme : OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;

  LogicalResult matchAndRewrite(Op op,
                                PatternRewriter &rewriter) const override {
    if (!isNative(op.getType()))
      return failure();
    Location loc = op.getLoc();
    auto better = [&](Value first, Value second) -> Value {
      Value isFirst =
          arith::CmpFOp::create(rewriter, loc, beats<Op>, first, second);
      return arith::SelectOp::create(rewriter, loc, isFirst, first, second);
    };
    bool ignoresSigns =
        bitEnumContainsAll(op.getFastmath(), arith::FastMathFlags::nsz);
    Value first = op.getLhs(), second = op.getRhs();
    APFloat constant(0.0);
    if (matchPattern(first, m_ConstantFloat(&constant)))
      std::swap(first, second);
    if (matchPattern(second, m_ConstantFloat(&constant)) && !constant.isNaN() &&
        (ignoresSigns || !constant.isZero())) {
      rewriter.replaceOp(op, better(second, first));
      return success();
    }
    if (!ignoresSigns)
      return failure();
    // What the loop has found so far comes second: it is waited for.
    if (isa<BlockArgument>(first))
      std::swap(first, second);
    Value isNaN = arith::CmpFOp::create(
        rewriter, loc, arith::CmpFPredicate::UNO, first, first);
    rewriter.replaceOpWithNewOp<arith::SelectOp>(op, isNaN, first,
                                                 better(first, second));
    return success();
  }
};

/// A NaN in one of a vector's elements is looked for at once, not in each step.
struct LowerReduction : OpRewritePattern<vector::ReductionOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(vector::ReductionOp op,
                                PatternRewriter &rewriter) const override {
    bool isMaximum = op.getKind() == vector::CombiningKind::MAXIMUMF;
    if (!isMaximum && op.getKind() != vector::CombiningKind::MINIMUMF)
      return failure();
    auto type = dyn_cast<FloatType>(op.getDest().getType());
    arith::FastMathFlags flags = op.getFastmath();
    if (!type || !isNative(type) ||
        bitEnumContainsAll(flags, arith::FastMathFlags::nnan))
      return failure();
    Location loc = op.getLoc();
    Value numbers = op.getVector();
    Value areNaN = arith::CmpFOp::create(
        rewriter, loc, arith::CmpFPredicate::UNO, numbers, numbers);
    Value isNaN = vector::ReductionOp::create(
        rewriter, loc, vector::CombiningKind::OR, areNaN);
    Value best =
        vector::ReductionOp::create(rewriter, loc, op.getKind(), numbers,
                                    flags | arith::FastMathFlags::nnan);
    Value nan = arith::ConstantOp::create(
        rewriter, loc,
        rewriter.getFloatAttr(type, APFloat::getNaN(type.getFloatSemantics())));
    Value result = arith::SelectOp::create(rewriter, loc, isNaN, nan, best);
    if (Value found = op.getAcc())
      result =
          isMaximum
              ? arith::MaximumFOp::create(rewriter, loc, result, found, flags)
                    .getResult()
              : arith::MinimumFOp::create(rewriter, loc, result, found, flags)
                    .getResult();
    rewriter.replaceOp(op, result);
    return success();
  }
};

struct LowerExtremes : tonno::impl::LowerExtremesPassBase<LowerExtremes> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<LowerExtreme<arith::MaximumFOp>,
                 LowerExtreme<arith::MinimumFOp>, LowerReduction>(
        &getContext());
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};

} // namespace

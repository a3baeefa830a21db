//===- Native math instructions of GPUs -----------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Transforms/Schedule/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace tonno {
#define GEN_PASS_DEF_NATIVEMATHPASS
#include "tonno/Transforms/Schedule/Passes.h.inc"
} // namespace tonno

using namespace mlir;
using namespace tonno;

/// Checks for float types of at most 32 bits: some f64 ops are library calls.
static bool isNative(Type type) {
  return isa<Float16Type, BFloat16Type, Float32Type>(
             getElementTypeOrSelf(type)) &&
         (!isa<VectorType>(type) || cast<VectorType>(type).getRank() == 1);
}

namespace {

/// Calls the intrinsic, as the conversions to NVVM and ROCDL refuse some ops.
template <typename From> struct Native : OpRewritePattern<From> {
  Native(MLIRContext *context, StringRef intrinsic)
      : OpRewritePattern<From>(context), intrinsic(intrinsic) {}

  LogicalResult matchAndRewrite(From op,
                                PatternRewriter &rewriter) const override {
    if (!isNative(op.getType()))
      return failure();
    rewriter.replaceOpWithNewOp<LLVM::CallIntrinsicOp>(
        op, op.getType(), rewriter.getStringAttr(intrinsic), op->getOperands());
    return success();
  }

private:
  StringRef intrinsic;
};

} // namespace

static LogicalResult divideByRoot(math::RsqrtOp op, PatternRewriter &rewriter) {
  if (!isNative(op.getType()))
    return failure();
  auto one = rewriter.getOneAttr(op.getType());
  Value numerator =
      arith::ConstantOp::create(rewriter, op.getLoc(), cast<TypedAttr>(one));
  Value root = math::SqrtOp::create(rewriter, op.getLoc(), op.getOperand());
  rewriter.replaceOpWithNewOp<arith::DivFOp>(op, numerator, root);
  return success();
}

/// Returns what `compute` gives for each element.
static Value forElements(PatternRewriter &rewriter, Location loc, Value value,
                         function_ref<Value(Value)> compute) {
  auto type = dyn_cast<VectorType>(value.getType());
  if (!type)
    return compute(value);
  SmallVector<Value> elements;
  for (int64_t i = 0; i < type.getNumElements(); ++i)
    elements.push_back(
        compute(vector::ExtractOp::create(rewriter, loc, value, i)));
  return vector::FromElementsOp::create(rewriter, loc, type, elements);
}

static bool isApproximate(arith::FastMathFlags flags) {
  return bitEnumContainsAll(flags, arith::FastMathFlags::afn);
}

/// Returns the divisor that all elements have, or null.
static Value findSharedDivisor(Value divisor) {
  auto splat = divisor.getDefiningOp<vector::BroadcastOp>();
  return splat && !isa<VectorType>(splat.getSource().getType())
             ? splat.getSource()
             : Value();
}

/// x / s = x (1 / s), for an s that the elements of a vector share. CSE merges
/// the reciprocals.
static LogicalResult multiplyByReciprocal(arith::DivFOp op,
                                          PatternRewriter &rewriter) {
  Value divisor = findSharedDivisor(op.getRhs());
  if (!divisor ||
      !bitEnumContainsAll(op.getFastmath(), arith::FastMathFlags::arcp))
    return failure();
  Value one = arith::ConstantOp::create(
      rewriter, op.getLoc(),
      cast<TypedAttr>(rewriter.getOneAttr(divisor.getType())));
  Value reciprocal = arith::DivFOp::create(rewriter, op.getLoc(), one, divisor);
  Value factor = vector::BroadcastOp::create(rewriter, op.getLoc(),
                                             op.getType(), reciprocal);
  rewriter.replaceOpWithNewOp<arith::MulFOp>(op, op.getLhs(), factor);
  return success();
}

namespace {

/// Calls an intrinsic of the chip that takes one number.
template <typename Op> struct Approximate : OpRewritePattern<Op> {
  Approximate(MLIRContext *context, StringRef intrinsic)
      : OpRewritePattern<Op>(context), intrinsic(intrinsic) {}

  LogicalResult matchAndRewrite(Op op,
                                PatternRewriter &rewriter) const override {
    Type element = getElementTypeOrSelf(op.getType());
    if (!isApproximate(op.getFastmath()) || !element.isF32() ||
        !isNative(op.getType()))
      return failure();
    Location loc = op.getLoc();
    auto call = [&](Value value) -> Value {
      return LLVM::CallIntrinsicOp::create(rewriter, loc, element,
                                           rewriter.getStringAttr(intrinsic),
                                           value)
          .getResult(0);
    };
    // The last operand: of a division, its divisor.
    Value computed = forElements(rewriter, loc, op->getOperands().back(), call);
    if constexpr (std::is_same_v<Op, arith::DivFOp>)
      computed = arith::MulFOp::create(rewriter, loc, op.getLhs(), computed);
    rewriter.replaceOp(op, computed);
    return success();
  }

private:
  StringRef intrinsic;
};

struct NativeMath : tonno::impl::NativeMathPassBase<NativeMath> {
  using NativeMathPassBase::NativeMathPassBase;

  void runOnOperation() override {
    MLIRContext *context = &getContext();
    RewritePatternSet patterns(context);
    patterns.add(divideByRoot);
    patterns.add(multiplyByReciprocal);
    bool isNvidia = target == "nvptx";
    patterns.add<Approximate<math::Exp2Op>>(
        context, isNvidia ? "llvm.nvvm.ex2.approx.ftz" : "llvm.amdgcn.exp2");
    patterns.add<Approximate<arith::DivFOp>>(
        context, isNvidia ? "llvm.nvvm.rcp.approx.ftz.f" : "llvm.amdgcn.rcp");
    patterns.add<Native<math::FmaOp>>(context, "llvm.fma");
    patterns.add<Native<math::SqrtOp>>(context, "llvm.sqrt");
    patterns.add<Native<math::AbsFOp>>(context, "llvm.fabs");
    patterns.add<Native<math::CopySignOp>>(context, "llvm.copysign");
    patterns.add<Native<math::FloorOp>>(context, "llvm.floor");
    patterns.add<Native<math::CeilOp>>(context, "llvm.ceil");
    patterns.add<Native<math::TruncOp>>(context, "llvm.trunc");
    patterns.add<Native<math::RoundEvenOp>>(context, "llvm.roundeven");
    patterns.add<Native<arith::MaximumFOp>>(context, "llvm.maximum");
    patterns.add<Native<arith::MinimumFOp>>(context, "llvm.minimum");
    patterns.add<Native<arith::MaxNumFOp>>(context, "llvm.maxnum");
    patterns.add<Native<arith::MinNumFOp>>(context, "llvm.minnum");
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};

} // namespace

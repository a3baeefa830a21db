//===- Native math instructions of GPUs -----------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Transforms/Schedule/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
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

namespace {

struct NativeMath : tonno::impl::NativeMathPassBase<NativeMath> {
  void runOnOperation() override {
    MLIRContext *context = &getContext();
    RewritePatternSet patterns(context);
    patterns.add(divideByRoot);
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

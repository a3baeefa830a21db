//===- Expansions of math ops for the host --------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "MathExpansions.h"
#include "mlir/Conversion/MathToFuncs/MathToFuncs.h"
#include "mlir/Conversion/MathToLibm/MathToLibm.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/DialectConversion.h"

using namespace mlir;

namespace {

struct CallExpm1 : PassWrapper<CallExpm1, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(CallExpm1)

  StringRef getArgument() const override { return "tonno-call-expm1"; }

  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<arith::ArithDialect, func::FuncDialect,
                    vector::VectorDialect>();
  }

  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    populateMathToLibmConversionPatterns(patterns);
    ConversionTarget target(getContext());
    target.addIllegalOp<math::ExpM1Op>();
    target.markUnknownOpDynamicallyLegal([](Operation *) { return true; });
    if (failed(applyPartialConversion(getOperation(), target,
                                      std::move(patterns))))
      signalPassFailure();
  }
};

} // namespace

std::unique_ptr<Pass> tonno::createCallExpm1Pass() {
  return std::make_unique<CallExpm1>();
}

namespace {

struct PowersToFunctions
    : PassWrapper<PowersToFunctions, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(PowersToFunctions)

  static std::unique_ptr<Pass> upstream() {
    return createConvertMathToFuncs({/*minWidthOfFPowIExponent=*/1});
  }

  StringRef getArgument() const override { return "tonno-powers-to-functions"; }

  void getDependentDialects(DialectRegistry &registry) const override {
    upstream()->getDependentDialects(registry);
  }

  void runOnOperation() override {
    OpPassManager once(ModuleOp::getOperationName());
    once.addPass(upstream());
    if (failed(runPipeline(once, getOperation())))
      signalPassFailure();
  }
};

} // namespace

std::unique_ptr<Pass> tonno::createPowersToFunctionsPass() {
  return std::make_unique<PowersToFunctions>();
}

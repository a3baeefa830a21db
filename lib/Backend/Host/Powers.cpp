//===- Integer powers as functions ----------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Powers.h"

#include "mlir/Conversion/MathToFuncs/MathToFuncs.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassManager.h"

using namespace mlir;

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

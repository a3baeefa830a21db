//===- Lower kernels by their own pipelines -------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Dialect/TonnoDialect.h"
#include "tonno/Transforms/KernelPipeline.h"
#include "tonno/Transforms/Passes.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"

namespace tonno {
#define GEN_PASS_DEF_RUNPIPELINE
#include "tonno/Transforms/Passes.h.inc"
} // namespace tonno

using namespace mlir;
using namespace tonno;

namespace {

struct RunPipelinePass : tonno::impl::RunPipelineBase<RunPipelinePass> {
  /// Other kinds of functions are lowered further by nobody.
  LogicalResult checkResult(Location where, StringAttr name) {
    Operation *result = getOperation().lookupSymbol(name);
    if (isa_and_nonnull<func::FuncOp, LLVM::LLVMFuncOp>(result))
      return success();
    InFlightDiagnostic error = emitError(where) << "the pipeline leaves of @"
                                                << name.strref() << " ";
    if (result)
      error << "a '" << result->getName() << "'";
    else
      error << "nothing";
    return error << "; leave a func.func at any level that lowers to LLVM, or "
                    "an llvm.func";
  }

  void runOnOperation() override {
    for (auto function :
         llvm::to_vector(getOperation().getOps<func::FuncOp>())) {
      if (!function->hasAttr(TonnoDialect::kPipeline))
        continue;
      FailureOr<OpPassManager> pipeline = parseKernelPipeline(function);
      if (failed(pipeline))
        return signalPassFailure();
      // As a pipeline of its own: a pass can't tell the dialects that passes
      // only known now depend on.
      Location where = function.getLoc();
      StringAttr name = function.getSymNameAttr();
      PassManager manager(&getContext(), ModuleOp::getOperationName());
      static_cast<OpPassManager &>(manager) = std::move(*pipeline);
      if (failed(manager.run(getOperation())) ||
          failed(checkResult(where, name)))
        return signalPassFailure();
      return; // it has lowered the module
    }
  }
};

} // namespace

//===- The passes of the host backend -------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Backend/Pipelines.h"

#include "tonno/Transforms/Schedule/Passes.h"
#include "CommonPipeline.h"

#include "mlir/Conversion/AffineToStandard/AffineToStandard.h"
#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ComplexToLLVM/ComplexToLLVM.h"
#include "mlir/Conversion/ComplexToStandard/ComplexToStandard.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/FuncToLLVM/ConvertFuncToLLVMPass.h"
#include "mlir/Conversion/IndexToLLVM/IndexToLLVM.h"
#include "mlir/Conversion/MathToFuncs/MathToFuncs.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/MathToLibm/MathToLibm.h"
#include "mlir/Conversion/MemRefToLLVM/MemRefToLLVM.h"
#include "mlir/Conversion/ReconcileUnrealizedCasts/ReconcileUnrealizedCasts.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Conversion/UBToLLVM/UBToLLVM.h"
#include "mlir/Conversion/VectorToLLVM/ConvertVectorToLLVMPass.h"
#include "mlir/Dialect/Affine/Transforms/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Linalg/Passes.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Dialect/SCF/Transforms/Passes.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassOptions.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/DialectConversion.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace tonno;

namespace {

/// Makes each math.expm1 a call of the C library's, by upstream's patterns.
/// `convert-math-to-llvm` would make it exp(x) - 1, which is 0 for small x.
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

/// Makes math.ipowi and math.fpowi calls of functions in the module: LLVM's
/// intrinsic calls a library, and is for scalar exponents alone. Upstream's
/// pass, anew in each run: it keeps the functions of the last module.
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

/// Lowers tiles to vectors.
static void addVectors(OpPassManager &function) {
  function.addPass(createVectorizePass());
  addCleanUp(function);
  // Accumulators move into registers while all is still tensors: here no alias
  // analysis is needed to see that nothing else touches them.
  function.addPass(createLoopInvariantCodeMotionPass());
  function.addPass(createLoopInvariantSubsetHoistingPass());
  addCleanUp(function);
  function.addPass(createLowerPadsPass());
}

/// Adds the kernel's own lowering, or else tonno's schedule: each pass skips
/// the other's kernels.
static void addSchedule(OpPassManager &pm) {
  addOwnLowering(pm);
  OpPassManager &function = pm.nest<func::FuncOp>();
  function.addPass(createDecomposePass({/*byPart=*/true}));
  function.addPass(createMarkStreamsPass());
  function.addPass(createFuseElementwisePass());
  function.addPass(createFusePass());
  function.addPass(createTilePass());
  addCleanUp(function);
  pm.addPass(createSplitLoadPass());
  addVectors(pm.nest<func::FuncOp>());
}

namespace {

/// The lowering of exp and similar functions.
enum class Functions { approximated, called };

} // namespace

/// Lowers structured ops, loops and vectors to those that convert to LLVM.
static void addLoops(OpPassManager &pm, Functions functions,
                     const HostPipelineTraits &traits) {
  pm.addNestedPass<func::FuncOp>(createWorkspacePass());
  pm.addPass(createShareLoopsPass());
  OpPassManager &function = pm.nest<func::FuncOp>();
  function.addPass(createForallToForLoopPass());
  function.addPass(createLowerCopiesPass());
  function.addPass(createConvertLinalgToLoopsPass());
  function.addPass(createLowerVectorsPass({traits.dotsBf16}));
  function.addPass(createConvertComplexToStandardPass());
  addCleanUp(function);
  function.addPass(createLoopInvariantCodeMotionPass());
  function.addPass(math::createMathExtendToSupportedTypes());
  function.addPass(createRoundEachOpPass());
  if (functions == Functions::approximated) {
    function.addPass(createApproximateMathPass());
    function.addPass(createPrefetchPass());
    function.addPass(createLowerExtremesPass({traits.hasBf16}));
  }
  // LLVM would call a function for each element's maximum in f16.
  function.addPass(arith::createArithExpandOpsPass());
  function.addPass(createExpandNarrowFloatsPass());
  function.addPass(affine::createAffineExpandIndexOpsPass());
  function.addPass(memref::createExpandOpsPass());
}

/// Emulates bf16 in f32, in which CPUs with bf16 conversions compute, too:
/// LLVM's x86 backend aborts on some bf16 vector types.
static void addBf16Emulation(OpPassManager &pm) {
  arith::ArithEmulateUnsupportedFloatsOptions emulation;
  emulation.sourceTypeStrs = {"bf16"};
  emulation.targetTypeStr = "f32";
  pm.addNestedPass<func::FuncOp>(
      arith::createArithEmulateUnsupportedFloats(emulation));
  pm.addNestedPass<func::FuncOp>(createRoundEachOpPass());
}

/// Rounds to bf16 by integer arithmetic.
static void addBf16Rounding(OpPassManager &pm) {
  arith::ArithExpandOpsPassOptions expansion;
  expansion.includeBf16 = true;
  pm.addNestedPass<func::FuncOp>(arith::createArithExpandOpsPass(expansion));
}

static void addToLLVM(OpPassManager &pm) {
  pm.addPass(createGuardNamesPass());
  pm.addPass(memref::createExpandStridedMetadataPass());
  pm.addPass(createLowerAffinePass());
  pm.addPass(createLowerAssertsPass());
  pm.addPass(createSCFToControlFlowPass());
  ConvertMathToLLVMPassOptions math;
  math.approximateLog1p = false;
  pm.addPass(std::make_unique<PowersToFunctions>());
  pm.addPass(std::make_unique<CallExpm1>());
  pm.addPass(createConvertMathToLLVMPass(math));
  // Takes vectors apart that no intrinsic is for.
  pm.addPass(createConvertMathToLibmPass());
  ConvertVectorToLLVMPassOptions vectors;
  // Reassociate like LLVM's own vectorisers; the oracle's tolerance allows
  // other orders.
  vectors.reassociateFPReductions = true;
  pm.addPass(createConvertVectorToLLVMPass(vectors));
  pm.addPass(createFinalizeMemRefToLLVMConversionPass());
  pm.addPass(createConvertComplexToLLVMPass());
  pm.addPass(createArithToLLVMConversionPass());
  pm.addPass(createConvertIndexToLLVMPass());
  pm.addPass(createUBToLLVMConversionPass());
  pm.addPass(createConvertControlFlowToLLVMPass());
  ConvertFuncToLLVMPassOptions pointers;
  pointers.useBarePtrCallConv = true;
  pm.addPass(createConvertFuncToLLVMPass(pointers));
  pm.addPass(createCheckLoweredPass());
  pm.addPass(createReconcileUnrealizedCastsPass());
  addCleanUp(pm);
}

/// Takes a kernel at any level, on the caller's buffers, to its entry point.
static void addFinish(OpPassManager &pm, StringRef kernel,
                      const HostPipelineTraits &traits) {
  addBufferize(pm);
  addLoops(pm, Functions::approximated, traits);
  if (!traits.hasBf16 || traits.isX86)
    addBf16Emulation(pm);
  if (!traits.hasBf16)
    addBf16Rounding(pm);
  pm.addPass(createOutlineLoopsPass());
  addToLLVM(pm);
  pm.addPass(createStreamStoresPass({traits.isX86}));
  pm.addPass(createHostEntryPass({kernel.str()}));
}

void tonno::buildHostPipeline(OpPassManager &pm, StringRef kernel,
                              const HostPipelineTraits &traits) {
  addFront(pm, kernel, /*fusesRounding=*/true, traits.chip);
  addSchedule(pm);
  addFinish(pm, kernel, traits);
}

void tonno::buildReferencePipeline(OpPassManager &pm, StringRef kernel,
                                   const BlockLoopsPassOptions &blocking) {
  addFront(pm, kernel);
  addBufferize(pm);
  addBufferHoisting(pm);
  OpPassManager &function = pm.nest<func::FuncOp>();
  function.addPass(createWorkspacePass());
  function.addPass(createForallToForLoopPass());
  function.addPass(createLowerCopiesPass());
  addCleanUp(function);
  function.addPass(createBlockLoopsPass(blocking));
  pm.addPass(createSplitLaunchesPass({kernel.str()}));
  addLoops(pm, Functions::called, /*traits=*/{});
  addBf16Emulation(pm);
  addBf16Rounding(pm);
  addToLLVM(pm);
  pm.addPass(createHostEntryPass());
}

namespace {

struct KernelOption : PassPipelineOptions<KernelOption> {
  Option<std::string> kernel{
      *this, "kernel",
      llvm::cl::desc("Kernel to lower; by default every public function")};
};

} // namespace

void tonno::registerHostPipelines() {
  registerSchedulePasses();
  registerReferencePasses();
  PassPipelineRegistration<KernelOption>(
      "tonno-lower-host", "Lower kernels for the CPU by their configurations",
      [](OpPassManager &pm, const KernelOption &options) {
        buildHostPipeline(pm, options.kernel);
      });
  PassPipelineRegistration<KernelOption>(
      "tonno-lower-reference",
      "Lower a kernel for the CPU without its schedule, as reference",
      [](OpPassManager &pm, const KernelOption &options) {
        buildReferencePipeline(pm, options.kernel);
      });
}

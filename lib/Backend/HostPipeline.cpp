//===- HostPipeline.cpp - The passes of the host backend ------------------===//
//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tonno/Backend/HostPipeline.h"

#include "tonno/Transforms/Passes.h"
#include "tonno/Transforms/Schedule/Passes.h"

#include "mlir/Conversion/Passes.h"
#include "mlir/Dialect/Bufferization/Transforms/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Linalg/Passes.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassOptions.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace tonno;

static void addCleanUp(OpPassManager &pm) {
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
}

/// Arguments and results become buffers; whatever ends in a result is computed
/// in the result's buffer.
static void addKernelBuffers(OpPassManager &pm, StringRef kernel) {
  pm.addPass(createKernelBuffersPass({kernel.str()}));
  pm.addPass(bufferization::createEmptyTensorEliminationPass());
}

/// A lowering of the kernel's own, or else ours: each pass leaves the kernels of
/// the others alone.
static void addSchedule(OpPassManager &pm) {
  pm.addPass(createApplySchedule());
  pm.addPass(createRunPipeline());
  OpPassManager &function = pm.nest<func::FuncOp>();
  function.addPass(createTilePass());
  addCleanUp(function);
  function.addPass(createVectorizePass());
  addCleanUp(function);
  // Accumulators move into registers while all is still tensors: here no alias
  // analysis is needed to see that nothing else touches them.
  function.addPass(createLoopInvariantCodeMotionPass());
  function.addPass(createLoopInvariantSubsetHoistingPass());
  addCleanUp(function);
}

static void addBufferize(OpPassManager &pm) {
  bufferization::OneShotBufferizePassOptions options;
  // An allocation anywhere gets a message of our own.
  options.allowReturnAllocsFromLoops = true;
  pm.addPass(bufferization::createOneShotBufferizePass(options));
  addCleanUp(pm);
  OpPassManager &function = pm.nest<func::FuncOp>();
  function.addPass(createRefuseAllocationsPass());
  function.addPass(createLowerCopiesPass());
}

static void addToLLVM(OpPassManager &pm, StringRef kernel) {
  OpPassManager &function = pm.nest<func::FuncOp>();
  function.addPass(createConvertLinalgToLoopsPass());
  function.addPass(createLowerVectorsPass());
  addCleanUp(function);
  function.addPass(createLoopInvariantCodeMotionPass());

  pm.addPass(memref::createExpandStridedMetadataPass());
  pm.addPass(createLowerAffinePass());
  pm.addPass(createSCFToControlFlowPass());
  pm.addPass(createConvertVectorToLLVMPass());
  pm.addPass(createConvertMathToLLVMPass());
  pm.addPass(createConvertMathToLibmPass());
  pm.addPass(createFinalizeMemRefToLLVMConversionPass());
  pm.addPass(createArithToLLVMConversionPass());
  pm.addPass(createConvertIndexToLLVMPass());
  pm.addPass(createUBToLLVMConversionPass());
  pm.addPass(createConvertControlFlowToLLVMPass());
  ConvertFuncToLLVMPassOptions pointers;
  pointers.useBarePtrCallConv = true;
  pm.addPass(createConvertFuncToLLVMPass(pointers));
  pm.addPass(createReconcileUnrealizedCastsPass());
  addCleanUp(pm);
  pm.addPass(createHostEntryPass({kernel.str()}));
}

void tonno::buildHostPipeline(OpPassManager &pm, StringRef kernel) {
  addKernelBuffers(pm, kernel);
  addSchedule(pm);
  addBufferize(pm);
  addToLLVM(pm, kernel);
}

void tonno::buildPlainLoopsPipeline(OpPassManager &pm, StringRef kernel) {
  addKernelBuffers(pm, kernel);
  addBufferize(pm);
  addToLLVM(pm, kernel);
}

namespace {

struct KernelOption : PassPipelineOptions<KernelOption> {
  Option<std::string> kernel{
      *this, "kernel",
      llvm::cl::desc("The function; by default every public one")};
};

} // namespace

void tonno::registerHostPipelines() {
  registerSchedulePasses();
  PassPipelineRegistration<KernelOption>(
      "tonno-lower-host",
      "Lower kernels for the CPU, tiled and vectorised as configured",
      [](OpPassManager &pm, const KernelOption &options) {
        buildHostPipeline(pm, options.kernel);
      });
  PassPipelineRegistration<KernelOption>(
      "tonno-lower-plain-loops",
      "Lower kernels for the CPU to plain loops, without a schedule",
      [](OpPassManager &pm, const KernelOption &options) {
        buildPlainLoopsPipeline(pm, options.kernel);
      });
}

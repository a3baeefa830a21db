//===- The passes of the GPU backends -------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Backend/Pipelines.h"

#include "tonno/Transforms/Schedule/Passes.h"
#include "CommonPipeline.h"

#include "mlir/Conversion/AMDGPUToROCDL/AMDGPUToROCDL.h"
#include "mlir/Conversion/GPUToNVVM/GPUToNVVMPass.h"
#include "mlir/Conversion/GPUToROCDL/GPUToROCDLPass.h"
#include "mlir/Conversion/NVGPUToNVVM/NVGPUToNVVM.h"
#include "mlir/Conversion/Passes.h"
#include "mlir/Dialect/Affine/Transforms/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/GPU/Transforms/Passes.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassOptions.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace tonno;

/// Maps structured ops to launches whose only operands are buffers.
static void addLaunches(OpPassManager &pm, StringRef kernel,
                        const GpuChip &chip) {
  OpPassManager &function = pm.nest<func::FuncOp>();
  function.addPass(createLowerCopiesPass());
  function.addPass(createWindowViewsPass());
  function.addPass(createLowerAffinePass());
  MapToGPUPassOptions limits;
  limits.subgroupSize = chip.subgroupSize;
  limits.maxThreads = chip.maxThreads;
  limits.sharedBytes = chip.staticSharedBytes;
  limits.chip = chip.name;
  function.addPass(createMapToGPUPass(limits));
  // Buffers used by the threads of one launch only are in registers by now.
  addCleanUp(function);
  function.addPass(createWorkspacePass());
  function.addPass(createLowerVectorsPass());
  function.addPass(createConvertComplexToStandardPass());
  function.addPass(math::createMathExtendToSupportedTypes());
  function.addPass(createRoundEachOpPass());
  function.addPass(createApproximateMathPass({/*native=*/true}));
  function.addPass(createLoopInvariantCodeMotionPass());
  function.addPass(createSinkIntoLaunchesPass());
  function.addPass(createCSEPass());
  function.addPass(createSinkIntoLaunchesPass());
  pm.addPass(createGpuKernelOutliningPass());
  pm.addPass(createRecordLaunchesPass({kernel.str()}));
}

/// Lowers the launches' bodies to the LLVM dialect.
static void addToLLVM(OpPassManager &pm, const GpuChip &chip) {
  OpPassManager &device = pm.nest<gpu::GPUModuleOp>();
  device.addPass(affine::createAffineExpandIndexOpsPass());
  device.addPass(memref::createExpandOpsPass());
  device.addPass(memref::createExpandStridedMetadataPass());
  device.addPass(createLowerAffinePass());
  device.addPass(createConvertVectorToSCFPass());
  device.addPass(createNativeMathPass(
      {chip.vendor == GpuVendor::nvidia ? "nvptx" : "amdgpu"}));
  device.addPass(createExpandNarrowFloatsPass());
  addCleanUp(device);
  device.addPass(createChooseIndexWidthPass());
  device.addPass(createLowerAssertsPass());
  device.addPass(createSCFToControlFlowPass());
  if (chip.vendor == GpuVendor::nvidia) {
    device.addPass(createConvertNvgpuPass());
    device.addPass(createConvertNVGPUToNVVMPass());
    ConvertGpuOpsToNVVMOpsOptions options;
    options.useBarePtrCallConv = true;
    device.addPass(createConvertGpuOpsToNVVMOps(options));
    device.addPass(createConvertNVVMToLLVMPass());
  } else {
    ConvertAMDGPUToROCDLPassOptions amdgpu;
    amdgpu.chipset = chip.name;
    device.addPass(createConvertAMDGPUToROCDLPass(amdgpu));
    ConvertGpuOpsToROCDLOpsOptions options;
    options.chipset = chip.name;
    options.useBarePtrCallConv = true;
    options.runtime = gpu::amd::Runtime::HIP;
    device.addPass(createConvertGpuOpsToROCDLOps(options));
  }
  device.addPass(createDynamicSharedMemoryPass());
  device.addPass(createConvertVectorToLLVMPass());
  device.addPass(createConvertComplexToLLVMPass());
  device.addPass(createConvertIndexToLLVMPass());
  device.addPass(createArithToLLVMConversionPass());
  // LLVM cleans up after this.
  device.addPass(createReconcileUnrealizedCastsPass());
  pm.addPass(createCheckLoweredPass(
      {chip.vendor == GpuVendor::nvidia ? "nvptx" : "amdgpu"}));
}

void tonno::buildGpuPipeline(OpPassManager &pm, StringRef kernel,
                             const GpuChip &chip) {
  addFront(pm, kernel);
  addOwnLowering(pm);
  pm.addNestedPass<func::FuncOp>(createFuseMovesPass());
  addCleanUp(pm.nest<func::FuncOp>());
  pm.addNestedPass<func::FuncOp>(createGatherEpiloguesPass());
  pm.addNestedPass<func::FuncOp>(createSplitReductionsPass());
  addBufferize(pm, /*usesReciprocals=*/true);
  addBufferHoisting(pm);
  addLaunches(pm, kernel, chip);
  addToLLVM(pm, chip);
}

namespace {

struct GpuPipelineOptions : PassPipelineOptions<GpuPipelineOptions> {
  Option<std::string> kernel{
      *this, "kernel",
      llvm::cl::desc("Kernel to lower; by default the only public function")};
  Option<std::string> chip{*this, "chip",
                           llvm::cl::desc("Chip, such as sm_90 or gfx942")};
};

} // namespace

static void registerPipeline(StringRef name, StringRef description,
                             GpuVendor vendor, StringRef standard) {
  PassPipelineRegistration<GpuPipelineOptions>(
      name, description,
      [=](OpPassManager &pm, const GpuPipelineOptions &options) {
        StringRef chosen =
            options.chip.empty() ? standard : StringRef(options.chip);
        auto chip = findGpuChip(chosen);
        if (!chip)
          llvm::report_fatal_error(llvm::StringRef(chip.error().message),
                                   /*gen_crash_diag=*/false);
        if ((*chip)->vendor != vendor)
          llvm::report_fatal_error("the chip is another vendor's",
                                   /*gen_crash_diag=*/false);
        buildGpuPipeline(pm, options.kernel, **chip);
      });
}

void tonno::registerGpuPipelines() {
  registerPipeline("tonno-lower-nvptx",
                   "Lower kernels for NVIDIA's GPUs, as configured",
                   GpuVendor::nvidia, "sm_90");
  registerPipeline("tonno-lower-amdgpu",
                   "Lower kernels for AMD's GPUs, as configured",
                   GpuVendor::amd, "gfx942");
}

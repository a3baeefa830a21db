//===- Backends of GPUs ---------------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "GpuBackend.h"
#include "tonno/Backend/Pipelines.h"
#include "tonno/Core/Hash.h"
#include "tonno/Core/Version.h"
#include "tonno/Dialect/LoweringConfig.h"
#include "tonno/Transforms/Schedule/Tiling/TileSizes.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Pass/PassManager.h"
#include "CommonPipeline.h"
#include "DeviceLibraries.h"
#include "Host/HostBackend.h"
#include "LLVMEmission.h"
#include "Linker.h"
#include "RegisterLimits.h"
#include "Simulation/SimRetarget.h"
#include <mutex>

using namespace llvm;
using namespace tonno;
using namespace mlir;

static void initialize(GpuVendor vendor) {
  static std::once_flag nvidia, amd;
  if (vendor == GpuVendor::nvidia)
    std::call_once(nvidia, [] {
      LLVMInitializeNVPTXTargetInfo();
      LLVMInitializeNVPTXTarget();
      LLVMInitializeNVPTXTargetMC();
      LLVMInitializeNVPTXAsmPrinter();
    });
  else
    std::call_once(amd, [] {
      LLVMInitializeAMDGPUTargetInfo();
      LLVMInitializeAMDGPUTarget();
      LLVMInitializeAMDGPUTargetMC();
      LLVMInitializeAMDGPUAsmPrinter();
      LLVMInitializeAMDGPUAsmParser(); // of inline assembly
      LLVMInitializeAMDGPUDisassembler();
    });
}

const llvm::Target *tonno::lookupGpuTarget(const GpuChip &chip) {
  initialize(chip.vendor);
  std::string error;
  return TargetRegistry::lookupTarget(Triple(StringRef(chip.triple)), error);
}

tonno::Target tonno::gpuTarget(const GpuChip &chip) {
  return {std::string(chip.triple), std::string(chip.name),
          std::string(chip.features)};
}

std::unique_ptr<TargetMachine> tonno::createTargetMachine(const GpuChip &chip,
                                                          StringRef features) {
  const llvm::Target *target = lookupGpuTarget(chip);
  if (!target)
    return nullptr;
  TargetOptions options;
  // a * b + c may become one operation where both ops are marked so.
  options.AllowFPOpFusion = FPOpFusion::Standard;
  return std::unique_ptr<TargetMachine>(target->createTargetMachine(
      Triple(StringRef(chip.triple)), chip.name, features, options, Reloc::PIC_,
      std::nullopt, CodeGenOptLevel::Default));
}

GpuBackend::GpuBackend(const GpuChip &chip, bool isSimulated,
                       StringRef features)
    : chip(chip), isSimulated(isSimulated), gpu(gpuTarget(chip)) {
  if (!features.empty())
    gpu.features = features.str();
}

void GpuBackend::buildPipeline(OpPassManager &pm, StringRef kernel) const {
  buildGpuPipeline(pm, kernel, chip);
}

std::string GpuBackend::fingerprint() const {
  OpPassManager pm(ModuleOp::getOperationName());
  buildGpuPipeline(pm, "kernel", chip);
  std::string pipeline;
  llvm::raw_string_ostream stream(pipeline);
  pm.printAsTextualPipeline(stream);
  return "tonno " + std::string(version()) +
         ", LLVM " LLVM_VERSION_STRING ", " + name().str() + " pipeline " +
         sha256(pipeline).substr(0, 16) + ", " + gpu.chip + ", " +
         gpu.features + ", " + (isSimulated ? "simulated" : assembler()) +
         ", " + DeviceLibraries::find(chip).description();
}

LogicalResult GpuBackend::check(func::FuncOp kernel) const {
  if (failed(launchPlan(kernel, UnknownData::ignore, Sizes::any)))
    return failure();
  if (hasOwnLowering(kernel))
    return checkOwnLowering(kernel);
  WalkResult result = kernel.getBody().walk(
      [](Operation *op) { return WalkResult(verifyTileSizes(op)); });
  return failure(result.wasInterrupted());
}

llvm::ArrayRef<Emission> GpuBackend::forms() const {
  static constexpr Emission simulated[] = {Emission::so, Emission::llvm};
  return isSimulated ? ArrayRef(simulated) : deviceForms();
}

FailureOr<Code> GpuBackend::emitSimulated(llvm::Module &module,
                                          Location place) const {
  auto target = hostTarget("native");
  if (!target)
    return emitError(place) << target.error().message;
  auto machine = createTargetMachine(*target);
  SimOptions options;
  options.hasFnuz = chip.name == "gfx942";
  options.subgroupSize = chip.subgroupSize;
  if (auto done = retargetForSimulation(module, *machine, options); !done)
    return emitError(place) << done.error().message;
  auto object = emitCode(module, *machine, llvm::CodeGenFileType::ObjectFile);
  if (!object)
    return emitError(place) << object.error().message;
  auto shared = linkSharedObject(StringRef(*object));
  if (!shared)
    return emitError(place) << shared.error().message;
  return Code{std::move(*shared)};
}

FailureOr<Code> GpuBackend::emit(ModuleOp lowered, Emission form) const {
  auto modules = lowered.getOps<gpu::GPUModuleOp>();
  if (modules.empty())
    return lowered.emitError() << "the lowering left no GPU module";
  gpu::GPUModuleOp device = *modules.begin();
  Location place = device.getLoc();
  auto machine = createTargetMachine(chip, gpu.features);
  if (!machine)
    return emitError(place) << "LLVM was built without " << name();
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> module =
      translateToLLVM(device, context, *machine);
  if (!module)
    return failure();
  if (auto linked = linkDeviceLibraries(*module, *machine, chip,
                                        DeviceLibraries::find(chip));
      !linked)
    return emitError(place) << linked.error().message;
  optimize(*module, *machine);
  if (isSimulated)
    return form == Emission::llvm ? Code{printLLVM(*module)}
                                  : emitSimulated(*module, place);
  Emission best = deviceForms().front();
  auto code =
      emitWithinRegisterSteps(*module, readLaunches(lowered), chip,
                              *lowered.getContext(), [&](llvm::Module &copy) {
                                return emitDevice(copy, *machine, best, place);
                              });
  if (failed(code) || form == best)
    return code;
  if (form == Emission::llvm)
    return Code{printLLVM(*module)};
  return emitDevice(*module, *machine, form, place);
}

ResourceUsage GpuBackend::usage(const Code &code, const LaunchPlan &plan,
                                const KernelWork &work) const {
  return isSimulated ? Backend::usage(code, plan, work)
                     : combineUsage(code.kernels, plan, chip, work);
}

Result<std::unique_ptr<Backend>>
tonno::createGpuBackend(const BackendRequest &request) {
  bool isNvidia = request.target == "nvptx";
  if (request.chip == "native")
    return Error{"'--target=" + request.target +
                 "' needs a GPU to compile for; name it by '--chip', such as " +
                 (isNvidia ? "sm_90" : "gfx942")};
  auto chip = findGpuChip(request.chip);
  if (!chip)
    return Error{"'--chip=" + request.chip + "': " + chip.error().message};
  if (((*chip)->vendor == GpuVendor::nvidia) != isNvidia)
    return Error{"'--chip=" + request.chip +
                 "' is not a chip of '--target=" + request.target +
                 "'; give '--target=" + (isNvidia ? "amdgpu" : "nvptx") + "'"};
  return isNvidia ? createNvptxBackend(**chip, request.isSimulated)
                  : createAmdgpuBackend(**chip, request.isSimulated);
}

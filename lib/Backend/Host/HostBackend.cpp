//===- Kernels for the CPU ------------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "HostBackend.h"
#include "CommonPipeline.h"
#include "HostBound.h"
#include "ShapeLog.h"

#include "tonno/Backend/Pipelines.h"
#include "tonno/Core/Hash.h"
#include "tonno/Core/Version.h"
#include "tonno/Dialect/LoweringConfig.h"
#include "tonno/Dialect/TonnoDialect.h"
#include "tonno/Transforms/Schedule/Tiling/TileSizes.h"
#include "LLVMEmission.h"
#include "Linker.h"
#include "SeparateObjects.h"

#include "llvm/Config/llvm-config.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/TargetParser/Host.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Pass/PassManager.h"

using namespace mlir;
using namespace tonno;

namespace {

class HostBackend : public Backend {
public:
  explicit HostBackend(Target target) : hostTarget(std::move(target)) {}

  StringRef name() const override { return "host"; }
  const Target &target() const override { return hostTarget; }
  std::string fingerprint() const override;
  LogicalResult check(func::FuncOp kernel) const override;
  void buildPipeline(OpPassManager &pm, StringRef kernel) const override {
    buildHostPipeline(pm, kernel, traits());
  }
  llvm::ArrayRef<Emission> forms() const override {
    static constexpr Emission all[] = {Emission::so, Emission::obj,
                                       Emission::llvm};
    return all;
  }
  FailureOr<Code> emit(ModuleOp lowered, Emission form) const override;
  ResourceUsage usage(const Code &code, const LaunchPlan &plan,
                      const KernelWork &work) const override;

private:
  bool isNative() const {
    return hostTarget.chip == llvm::sys::getHostCPUName();
  }
  HostPipelineTraits traits() const {
    bool dotsBf16 = hasFeature(hostTarget, "avx512bf16");
    return {dotsBf16 || hasFeature(hostTarget, "bf16"), // of x86, of Arm
            dotsBf16 && hasFeature(hostTarget, "avx512vl"),
            llvm::Triple(hostTarget.triple).isX86(),
            isNative() ? "native" : hostTarget.triple + ":" + hostTarget.chip};
  }

  Target hostTarget;
  /// Objects of functions that candidates have in common.
  mutable ObjectCache objects;
};

std::string HostBackend::fingerprint() const {
  // The text of the pipeline covers its passes and options; of what a pass of
  // ours does the worker adds the identity of its executable.
  OpPassManager pm(ModuleOp::getOperationName());
  buildHostPipeline(pm, "kernel", traits());
  std::string pipeline;
  llvm::raw_string_ostream stream(pipeline);
  pm.printAsTextualPipeline(stream);
  return "tonno " + std::string(version()) +
         ", LLVM " LLVM_VERSION_STRING " with lld, host pipeline " +
         sha256(pipeline).substr(0, 16) + ", " + hostTarget.triple + ", " +
         hostTarget.chip +
         (hostTarget.features.empty() ? "" : ", " + hostTarget.features);
}

LogicalResult HostBackend::check(func::FuncOp kernel) const {
  if (failed(launchPlan(kernel, UnknownData::ignore, Sizes::any)))
    return failure();
  if (hasOwnLowering(kernel))
    return checkOwnLowering(kernel);
  // Report errors that no configuration can fix; the lowering reports the
  // others.
  WalkResult result = kernel.getBody().walk([](Operation *op) {
    if (failed(verifyTileSizes(op)))
      return WalkResult::interrupt();
    for (Type type : op->getResultTypes())
      if (isa<UnrankedTensorType, UnrankedMemRefType>(type)) {
        op->emitError() << "the host backend needs ranked types, not " << type;
        return WalkResult::interrupt();
      }
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

/// Returns the kernel's location, for errors about the whole module, since a
/// closure's own is unknown.
static Location getFunctionLoc(ModuleOp lowered) {
  for (auto function : lowered.getOps<FunctionOpInterface>())
    if (!function.isExternal() &&
        function->getLoc()->findInstanceOf<FileLineColLoc>())
      return function->getLoc();
  return lowered.getLoc();
}

static FailureOr<Code> asCode(ModuleOp lowered, Result<std::string> bytes) {
  if (bytes)
    return Code{std::move(*bytes)};
  return lowered.emitError() << bytes.error().message;
}

static FailureOr<Code> asCode(ModuleOp lowered,
                              Result<std::string, LinkFailure> linked) {
  if (linked)
    return Code{std::move(*linked)};
  InFlightDiagnostic error = emitError(getFunctionLoc(lowered))
                             << linked.error().message;
  if (linked.error().fromOutside)
    markAsFromOutside(error);
  return error;
}

FailureOr<Code> HostBackend::emit(ModuleOp lowered, Emission form) const {
  bool fuses = !lowered->hasAttr(TonnoDialect::kStrict);
  auto machine = createTargetMachine(hostTarget, fuses);
  if (!machine)
    return emitError(getFunctionLoc(lowered))
           << "LLVM has no target machine for " << hostTarget.triple;
  auto unrolling = lowered->hasAttr(TonnoDialect::kRolled) ? Unrolling::none
                                                           : Unrolling::full;
  llvm::LLVMContext context;
  auto translated = translateToLLVM(lowered, context, *machine);
  if (!translated)
    return failure();
  std::string options = fuses ? "fuses" : "";
  if (unrolling == Unrolling::none)
    options += " rolled";
  SeparateModules modules = separateFunctions(std::move(translated), options);
  if (form == Emission::llvm)
    return asCode(lowered, emitLLVM(std::move(modules), *machine, unrolling));
  auto compiled = emitObjects(std::move(modules), *machine, unrolling, objects);
  if (!compiled)
    return lowered.emitError() << compiled.error().message;
  SmallVector<StringRef> parts;
  for (const auto &object : *compiled)
    parts.push_back(*object);
  if (form == Emission::obj)
    return asCode(lowered, linkRelocatable(parts));
  LinkedFunctions functions;
  functions.callsOpenMP = llvm::any_of(*lowered.getBody(), [](Operation &op) {
    return op.hasAttr(TonnoDialect::kThreads);
  });
  functions.callsShapeLog = hasShapeLog(lowered);
  return asCode(lowered, linkSharedObject(parts, functions));
}

ResourceUsage HostBackend::usage(const Code &code, const LaunchPlan &plan,
                                 const KernelWork &work) const {
  ResourceUsage usage = Backend::usage(code, plan, work);
  std::optional<HostCode> found = analyzeHostCode(code.bytes, hostTarget);
  if (!found)
    return usage;
  usage.instructions = found->instructions;
  usage.stackBytes = found->stackBytes;
  if (found->mix) {
    usage.vectorShare = found->mix->vectors;
    usage.memoryShare = found->mix->memory;
    usage.stackShare = found->mix->stack;
    usage.loopIntensity = found->mix->intensity;
  }
  auto isTimed = [](const Launch &launch) { return !launch.atLoad; };
  if (isNative() && work.products > 0 && found->cyclesPerProduct &&
      llvm::count_if(plan.launches, isTimed) == 1) {
    double threads = llvm::find_if(plan.launches, isTimed)->threads;
    usage.timeBound = {.seconds = static_cast<double>(work.products) *
                                  *found->cyclesPerProduct /
                                  (threads * getMostHertz()),
                       .limit = "ports"};
  }
  return usage;
}

} // namespace

Result<std::unique_ptr<Backend>>
tonno::createHostBackend(llvm::StringRef chip) {
  Result<Target> target = hostTarget(chip);
  if (!target)
    return target.error();
  return std::unique_ptr<Backend>(std::make_unique<HostBackend>(*target));
}

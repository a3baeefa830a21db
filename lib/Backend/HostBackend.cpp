//===- HostBackend.cpp - Kernels for the CPU ----------------------------===//
//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HostBackend.h"

#include "tonno/Backend/HostPipeline.h"
#include "tonno/Core/Hash.h"
#include "tonno/Core/Version.h"
#include "HostTarget.h"
#include "LLVMEmission.h"
#include "SharedObject.h"

#include "llvm/ADT/StringSwitch.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Target/TargetMachine.h"
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
    buildHostPipeline(pm, kernel);
  }
  FailureOr<std::string> emit(ModuleOp lowered, EmitKind kind) const override;

private:
  Target hostTarget;
};

std::string HostBackend::fingerprint() const {
  // The text of the pipeline covers its passes and options; what a pass of
  // ours does changes with tonno's version.
  OpPassManager pm(ModuleOp::getOperationName());
  buildHostPipeline(pm, "kernel");
  std::string pipeline;
  llvm::raw_string_ostream stream(pipeline);
  pm.printAsTextualPipeline(stream);
  return "tonno " + std::string(version()) +
         ", LLVM and lld " LLVM_VERSION_STRING ", host pipeline " +
         sha256(pipeline).substr(0, 16) + ", " + hostTarget.triple + ", " +
         hostTarget.chip +
         (hostTarget.features.empty() ? "" : ", " + hostTarget.features);
}

LogicalResult HostBackend::check(func::FuncOp kernel) const {
  if (failed(launchPlan(kernel)))
    return failure();
  if (!llvm::hasSingleElement(kernel.getBody()))
    return kernel.emitError()
           << "kernel '" << kernel.getName() << "' has more than one block";
  WalkResult result = kernel.getBody().walk([](Operation *op) {
    bool supported =
        isa<func::ReturnOp>(op) ||
        llvm::StringSwitch<bool>(op->getName().getDialectNamespace())
            .Cases({"arith", "linalg", "math", "scf", "tensor"}, true)
            .Default(false);
    if (!supported) {
      op->emitError() << "the host backend does not support '" << op->getName()
                      << "'";
      return WalkResult::interrupt();
    }
    for (Type type : op->getResultTypes()) {
      auto shaped = dyn_cast<ShapedType>(type);
      if (shaped && (!shaped.hasRank() || !shaped.hasStaticShape())) {
        op->emitError() << "the host backend needs static shapes; this has "
                        << type;
        return WalkResult::interrupt();
      }
    }
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

FailureOr<std::string> HostBackend::emit(ModuleOp lowered,
                                         EmitKind kind) const {
  auto machine = createTargetMachine(hostTarget);
  if (!machine)
    return lowered.emitError()
           << "LLVM has no target machine for " << hostTarget.triple;
  if (kind == EmitKind::llvm)
    return emitLLVM(lowered, *machine);
  FailureOr<std::string> object = emitObject(lowered, *machine);
  if (failed(object) || kind == EmitKind::object)
    return object;
  Result<std::string> shared = linkSharedObject(*object);
  if (!shared)
    return lowered.emitError() << shared.error().message;
  return std::move(*shared);
}

} // namespace

Result<std::unique_ptr<Backend>>
tonno::createHostBackend(llvm::StringRef chip) {
  Result<Target> target = hostTarget(chip);
  if (!target)
    return target.error();
  return std::unique_ptr<Backend>(std::make_unique<HostBackend>(*target));
}

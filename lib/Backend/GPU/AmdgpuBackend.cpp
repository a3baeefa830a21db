//===- Kernels for AMD's GPUs ---------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "CodeObject.h"
#include "GpuBackend.h"
#include "LLVMEmission.h"

#include "llvm/Config/llvm-config.h"
#include "mlir/IR/Diagnostics.h"

using namespace mlir;
using namespace tonno;

namespace {

class AmdgpuBackend : public GpuBackend {
public:
  using GpuBackend::GpuBackend;

  llvm::StringRef name() const override { return "amdgpu"; }

protected:
  llvm::ArrayRef<Emission> deviceForms() const override {
    static constexpr Emission all[] = {Emission::hsaco, Emission::obj,
                                       Emission::llvm};
    return all;
  }
  std::string assembler() const override { return "lld " LLVM_VERSION_STRING; }
  FailureOr<Code> emitDevice(llvm::Module &module, llvm::TargetMachine &machine,
                             Emission form, Location place) const override;
};

FailureOr<Code> AmdgpuBackend::emitDevice(llvm::Module &module,
                                          llvm::TargetMachine &machine,
                                          Emission form, Location place) const {
  auto object = emitCode(module, machine, llvm::CodeGenFileType::ObjectFile);
  if (!object)
    return emitError(place) << object.error().message;
  if (form == Emission::obj)
    return Code{std::move(*object)};
  auto linked = linkCodeObject(*object);
  if (!linked) {
    InFlightDiagnostic error = emitError(place) << linked.error().message;
    if (linked.error().fromOutside)
      markAsFromOutside(error);
    return error;
  }
  auto kernels = codeObjectUsage(*linked, chip);
  if (!kernels)
    return emitError(place) << kernels.error().message;
  return Code{std::move(*linked), std::move(*kernels)};
}

} // namespace

std::unique_ptr<Backend> tonno::createAmdgpuBackend(const GpuChip &chip,
                                                    bool isSimulated) {
  return std::make_unique<AmdgpuBackend>(chip, isSimulated);
}

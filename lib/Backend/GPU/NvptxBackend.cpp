//===- Kernels for NVIDIA's GPUs ------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "GpuBackend.h"
#include "LLVMEmission.h"
#include "PtxAssembler.h"

#include "mlir/IR/Diagnostics.h"

using namespace mlir;
using namespace tonno;

namespace {

class NvptxBackend : public GpuBackend {
public:
  NvptxBackend(const GpuChip &chip, bool isSimulated)
      : GpuBackend(chip, isSimulated),
        found(findPtxAssembler(CudaSearch::fromEnvironment(), chip)) {
    if (found)
      if (auto supported = found->checkSupport(chip); !supported) {
        lack = supported.error().message;
        found.reset();
      }
  }

  llvm::StringRef name() const override { return "nvptx"; }
  std::string remark() const override;

protected:
  llvm::ArrayRef<Emission> deviceForms() const override {
    static constexpr Emission all[] = {Emission::cubin, Emission::ptx,
                                       Emission::llvm};
    return found ? ArrayRef(all) : ArrayRef(all).drop_front();
  }
  std::string assembler() const override {
    return found ? found->description() : "the driver's JIT";
  }
  FailureOr<Code> emitDevice(llvm::Module &module, llvm::TargetMachine &machine,
                             Emission form, Location place) const override;

private:
  std::unique_ptr<PtxAssembler> found; ///< null: the driver must do
  std::string lack;                    ///< of one that was found, but won't do
};

std::string NvptxBackend::remark() const {
  if (found)
    return {};
  return (lack.empty() ? "neither nvJitLink nor ptxas was found in $CUDA_PATH, "
                         "$CUDA_HOME or /usr/local/cuda"
                       : lack) +
         ": kernels are PTX, which the driver compiles when it loads them; "
         "their use of registers and shared memory is unknown";
}

FailureOr<Code> NvptxBackend::emitDevice(llvm::Module &module,
                                         llvm::TargetMachine &machine,
                                         Emission form, Location place) const {
  auto ptx = emitCode(module, machine, llvm::CodeGenFileType::AssemblyFile);
  if (!ptx)
    return emitError(place) << ptx.error().message;
  if (form == Emission::ptx)
    return Code{std::move(*ptx)};
  if (!found)
    return emitError(place) << remark();
  auto assembly = found->assemble(*ptx, chip);
  if (!assembly) {
    InFlightDiagnostic error = emitError(place) << assembly.error().message;
    if (assembly.error().kind != AssemblyFailure::Kind::refused)
      markAsFromOutside(error);
    return error;
  }
  auto kernels = cubinUsage(assembly->cubin, assembly->log);
  if (!kernels)
    return emitError(place) << kernels.error().message;
  return Code{std::move(assembly->cubin), std::move(*kernels)};
}

} // namespace

std::unique_ptr<Backend> tonno::createNvptxBackend(const GpuChip &chip,
                                                   bool isSimulated) {
  return std::make_unique<NvptxBackend>(chip, isSimulated);
}

//===- Kernels for NVIDIA's GPUs ------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Exactness.h"
#include "GpuBackend.h"
#include "LLVMEmission.h"
#include "PtxAssembler.h"

#include "mlir/IR/Diagnostics.h"

using namespace mlir;
using namespace tonno;

namespace {

/// A version of PTX, as LLVM's feature, and the first CUDA with it.
struct PtxVersion {
  CudaVersion cuda;
  StringLiteral feature;
};

/// The PTX versions that LLVM knows, ascending.
constexpr PtxVersion ptxVersions[] = {
    {{11, 0}, "+ptx70"}, {{11, 1}, "+ptx71"}, {{11, 2}, "+ptx72"},
    {{11, 3}, "+ptx73"}, {{11, 4}, "+ptx74"}, {{11, 5}, "+ptx75"},
    {{11, 6}, "+ptx76"}, {{11, 7}, "+ptx77"}, {{11, 8}, "+ptx78"},
    {{12, 0}, "+ptx80"}, {{12, 1}, "+ptx81"}, {{12, 2}, "+ptx82"},
    {{12, 3}, "+ptx83"}, {{12, 4}, "+ptx84"}, {{12, 5}, "+ptx85"},
    {{12, 7}, "+ptx86"}, {{12, 8}, "+ptx87"}, {{12, 9}, "+ptx88"},
    {{13, 0}, "+ptx90"}};

/// Returns the newest PTX that both LLVM and the assembler know, since
/// instructions depend on it; without an assembler, the chip's oldest, which
/// every driver for the chip accepts.
StringRef ptxFeature(const PtxAssembler *assembler, const GpuChip &chip) {
  StringRef feature = chip.features;
  for (const PtxVersion &version : ptxVersions)
    if (assembler && version.cuda <= assembler->version())
      feature = version.feature;
  return feature;
}

/// An assembler for the chip, or why there is none.
struct FoundAssembler {
  explicit FoundAssembler(const GpuChip &chip)
      : assembler(findPtxAssembler(CudaSearch::fromEnvironment(), chip)) {
    if (!assembler)
      return;
    if (auto supported = assembler->checkSupport(chip); !supported) {
      lack = supported.error().message;
      assembler.reset();
    }
  }

  std::unique_ptr<PtxAssembler> assembler; ///< null: the driver must do
  std::string lack; ///< of one that was found, but won't do
};

class NvptxBackend : public GpuBackend {
public:
  NvptxBackend(const GpuChip &chip, bool isSimulated, FoundAssembler assembler)
      : GpuBackend(chip, isSimulated,
                   ptxFeature(assembler.assembler.get(), chip)),
        found(std::move(assembler.assembler)), lack(assembler.lack) {}

  llvm::StringRef name() const override { return "nvptx"; }
  std::string remark() const override;
  bool mayTruncateSums(func::FuncOp kernel) const override {
    return hasNarrowReals(kernel);
  }

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
                         "$CUDA_HOME, /usr/local/cuda or the package "
                         "nvidia-nvjitlink beside tonno"
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
  auto kernels = cubinUsage(assembly->cubin, assembly->log, chip);
  if (!kernels)
    return emitError(place) << kernels.error().message;
  return Code{std::move(assembly->cubin), std::move(*kernels)};
}

} // namespace

std::unique_ptr<Backend> tonno::createNvptxBackend(const GpuChip &chip,
                                                   bool isSimulated) {
  return std::make_unique<NvptxBackend>(chip, isSimulated,
                                        FoundAssembler(chip));
}

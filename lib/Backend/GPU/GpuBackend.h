//===- Backends of GPUs ---------------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_LIB_BACKEND_GPU_GPUBACKEND_H
#define TONNO_LIB_BACKEND_GPU_GPUBACKEND_H

#include "tonno/Backend/Backend.h"
#include "tonno/Core/GpuChip.h"

namespace llvm {
class Module;
class Target;
class TargetMachine;
} // namespace llvm

namespace tonno {

/// Returns LLVM's target of a chip; null if LLVM was built without it.
/// Registers NVPTX or AMDGPU on first use, so that compilations for the host do
/// not pay for it.
const llvm::Target *lookupGpuTarget(const GpuChip &chip);

/// Returns the chip as a target of backends.
Target gpuTarget(const GpuChip &chip);

/// Creates LLVM's target machine; null if LLVM was built without the target.
/// `features` are LLVM's.
std::unique_ptr<llvm::TargetMachine>
createTargetMachine(const GpuChip &chip, llvm::StringRef features);

/// Base of both vendors' backends; machine code is left to the subclasses.
class GpuBackend : public Backend {
public:
  /// Creates a backend; `features`, if given, replace the chip's own.
  GpuBackend(const GpuChip &chip, bool isSimulated,
             llvm::StringRef features = {});

  const Target &target() const override { return gpu; }
  llvm::StringRef artifactTarget() const override {
    return isSimulated ? "sim" : name();
  }
  std::string fingerprint() const override;
  mlir::LogicalResult check(mlir::func::FuncOp kernel) const override;
  void buildPipeline(mlir::OpPassManager &pm,
                     llvm::StringRef kernel) const override;
  llvm::ArrayRef<Emission> forms() const override;
  mlir::FailureOr<Code> emit(mlir::ModuleOp lowered,
                             Emission form) const override;
  ResourceUsage usage(const Code &code, const LaunchPlan &plan,
                      const KernelWork &work) const override;

protected:
  /// Returns the forms of machine code and assembly, best first.
  virtual llvm::ArrayRef<Emission> deviceForms() const = 0;
  /// Returns the assembler's name and version, for the fingerprint.
  virtual std::string assembler() const = 0;
  virtual mlir::FailureOr<Code> emitDevice(llvm::Module &module,
                                           llvm::TargetMachine &machine,
                                           Emission form,
                                           mlir::Location place) const = 0;

  const GpuChip &chip;

private:
  mlir::FailureOr<Code> emitSimulated(llvm::Module &module,
                                      mlir::Location place) const;

  bool isSimulated;
  Target gpu;
};

/// Creates the "nvptx" or "amdgpu" backend for one of its chips.
Result<std::unique_ptr<Backend>>
createGpuBackend(const BackendRequest &request);
std::unique_ptr<Backend> createNvptxBackend(const GpuChip &chip,
                                            bool isSimulated);
std::unique_ptr<Backend> createAmdgpuBackend(const GpuChip &chip,
                                             bool isSimulated);

} // namespace tonno

#endif // TONNO_LIB_BACKEND_GPU_GPUBACKEND_H

//===- The values that a model's kernels read -----------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_LIB_TUNER_MODELVALUES_H
#define TONNO_LIB_TUNER_MODELVALUES_H

#include "tonno/Engine/Compiler.h"
#include "tonno/Engine/Runner.h"
#include "tonno/Transforms/ModelKernels.h"
#include "tonno/Tuner/TuneModule.h"
#include "OwnDirectory.h"

#include <map>
#include <string>
#include <vector>

namespace tonno {

/// The tensors that kernels read in one run of their model by default, on the
/// inputs that the model is tuned with. They are files as long as this lives.
class ModelValues {
public:
  /// Runs the model for the inputs of these kernels, as many from the first as
  /// memory suffices for. The Error says why nothing could be run. Compiles the
  /// model up to them, so that the compiler has another kernel open.
  static Result<ModelValues>
  capture(mlir::func::FuncOp model, llvm::ArrayRef<const ModelKernel *> kernels,
          const TunerOptions &options, Compiler &compiler, Runner &runner,
          const DeviceDescription &device, double seconds);

  /// Returns a module with a copy of the kernel whose arguments are declared to
  /// have these values; null if they are not known.
  mlir::OwningOpRef<mlir::ModuleOp> declare(const ModelKernel &kernel) const;

private:
  explicit ModelValues(OwnDirectory directory)
      : directory(std::move(directory)) {}

  OwnDirectory directory;
  /// Files with the arguments of each kernel.
  std::map<std::string, std::vector<std::string>> files;
};

} // namespace tonno

#endif // TONNO_LIB_TUNER_MODELVALUES_H

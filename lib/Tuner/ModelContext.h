//===- What the steps of tuning a model share -----------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_LIB_TUNER_MODELCONTEXT_H
#define TONNO_LIB_TUNER_MODELCONTEXT_H

#include "tonno/Tuner/KernelTuner.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <set>
#include <string>

namespace tonno {

/// The model, the budget, and what compiles and runs its kernels.
class ModelContext {
public:
  /// The budget's seconds begin now.
  ModelContext(mlir::func::FuncOp model, const TunerOptions &options,
               Compiler &compiler, Runner &runner, KernelTuner &tuner,
               TuneObserver &observer, DeviceDescription device);

  double getSecondsLeft() const;
  /// Reads the kernel's problem and opens it in the compiler. Warns, once, if
  /// that is not possible.
  mlir::FailureOr<TuningProblem> read(mlir::func::FuncOp kernel);
  bool isUnreadable(const std::string &kernel) const {
    return unreadable.contains(kernel);
  }
  void warnOfDefault(const std::string &kernel, const std::string &why);

  mlir::func::FuncOp model;
  const TunerOptions &options;
  Compiler &compiler;
  Runner &runner;
  KernelTuner &tuner;
  TuneObserver &observer;
  DeviceDescription device;

private:
  double start;
  std::set<std::string> unreadable; ///< kernels
};

/// Returns the error that the model's results are not known, as a kernel's
/// default failed.
LocatedError refuseDefault(const std::string &kernel, const std::string &why);

} // namespace tonno

#endif // TONNO_LIB_TUNER_MODELCONTEXT_H

//===- Tunes a model kernel by kernel -------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_LIB_TUNER_MODELTUNER_H
#define TONNO_LIB_TUNER_MODELTUNER_H

#include "tonno/Tuner/KernelTuner.h"
#include "ModelSearch.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <set>

namespace tonno {

struct ModelKernels;

/// Tunes a function with the knobs of several kernels: times each kernel by
/// default, tunes those that take most of the time, each by its share of the
/// budget, and compares the best of them in the model.
class ModelTuner {
public:
  ModelTuner(mlir::func::FuncOp model, const TunerOptions &options,
             Compiler &compiler, Runner &runner, KernelTuner &tuner,
             TuneObserver &observer)
      : model(model), options(options), compiler(compiler), runner(runner),
        tuner(tuner), observer(observer) {}

  /// Decides the model, whose problem is open in the compiler.
  Result<KernelOutcome, LocatedError> tune(TuningProblem problem);

private:
  Result<SearchPlan, LocatedError> planSearch(TuningProblem &problem);
  Result<void, LocatedError> reopen(const TuningProblem &problem);
  Result<double, LocatedError> compileModel(TuningProblem &problem);
  mlir::FailureOr<TuningProblem> read(mlir::func::FuncOp kernel);
  void listKernels(ModelKernels &formed);
  void profile(ModelKernels &formed, double share);
  bool wasProfiled(const ModelKernelOutcome &kernel) const;
  void estimateShares(bool ofAll);
  void profileKernel(mlir::func::FuncOp function, ModelKernelOutcome &found);
  std::optional<double> timeDefault(TuningProblem problem);
  double computeSecondsForModel(double compileSeconds) const;
  double computeSecondsOfFirst(std::span<const ModelKernelOutcome> kernels,
                               double seconds) const;
  double getLeastSeconds(const ModelKernelOutcome &kernel) const;
  Result<void, LocatedError> tuneFirst(ModelKernels &formed, double reserved);
  Result<void, LocatedError> tuneKernels(ModelKernels &formed, double reserved);
  Result<void, LocatedError> tuneKernel(const TuningProblem &problem,
                                        const Budget &budget,
                                        ModelKernelOutcome &kernel);
  void recallKernel(const TuningProblem &problem, ModelKernelOutcome &kernel);
  void addTuned(KernelOutcome tuned, double seconds,
                ModelKernelOutcome &kernel);
  Result<void, LocatedError> verifyDefaults(ModelKernels &formed,
                                            double reserved);
  Result<void, LocatedError> verifyDefault(mlir::func::FuncOp function,
                                           double seconds,
                                           ModelKernelOutcome &kernel);
  double computeSecondsToVerify() const;
  void warnOfDefault(const std::string &kernel, const std::string &why);
  double getSecondsLeft() const;

  mlir::func::FuncOp model;
  const TunerOptions &options;
  Compiler &compiler;
  Runner &runner;
  KernelTuner &tuner;
  TuneObserver &observer;
  double start = 0;
  double profileSeconds = 0;
  std::string first; ///< kernel that was tuned before others were timed
  std::optional<DeviceDescription> device;
  std::map<std::string, double> iterations;   ///< of kernels, in all calls
  std::set<std::string> untimed;              ///< kernels that cannot be timed
  std::set<std::string> unreadable;           ///< kernels
  std::map<std::string, double> leastSeconds; ///< of the session of a kernel
  std::shared_ptr<ModelOutcome> outcome;      ///< null if no kernel was tuned
};

} // namespace tonno

#endif // TONNO_LIB_TUNER_MODELTUNER_H

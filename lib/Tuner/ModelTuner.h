//===- Tunes a model kernel by kernel -------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_LIB_TUNER_MODELTUNER_H
#define TONNO_LIB_TUNER_MODELTUNER_H

#include "ModelContext.h"

#include <memory>
#include <span>
#include <string>

namespace tonno {

struct ModelKernels;
class ModelProfile;

/// Returns how a model is searched, beside the effort, for the key of its
/// decision.
Json describeModelSearch(const TunerOptions &options);

/// Tunes a function with the knobs of several kernels: times each kernel by
/// default, tunes those that take most of the time, each by its share of the
/// budget, and compares the best of them in the model.
class ModelTuner {
public:
  ModelTuner(mlir::func::FuncOp model, const TunerOptions &options,
             Compiler &compiler, Runner &runner, KernelTuner &tuner,
             TuneObserver &observer, const DeviceDescription &device)
      : context(model, options, compiler, runner, tuner, observer, device) {}

  /// Decides the model, whose problem is open in the compiler.
  Result<KernelOutcome, LocatedError> tune(TuningProblem problem);

private:
  Result<SearchPlan, LocatedError> planSearch(TuningProblem &problem);
  Result<void, LocatedError> reopen(const TuningProblem &problem);
  Result<double, LocatedError> compileModel(TuningProblem &problem);
  double computeSecondsForModel(double compileSeconds) const;
  double computeSecondsToVerify() const;
  double computeSecondsOfFirst(const ModelProfile &profile,
                               std::span<const ModelKernelOutcome> kernels,
                               double seconds) const;
  Result<void, LocatedError>
  tuneFirst(ModelKernels &formed, const ModelProfile &profile, double reserved);
  Result<void, LocatedError> tuneKernels(ModelKernels &formed,
                                         const ModelProfile &profile,
                                         double reserved);
  Result<void, LocatedError> tuneKernel(const TuningProblem &problem,
                                        const Budget &budget,
                                        ModelKernelOutcome &kernel);
  void recallKernel(const TuningProblem &problem, ModelKernelOutcome &kernel);
  void addTuned(KernelOutcome tuned, double seconds,
                ModelKernelOutcome &kernel);

  ModelContext context;
  std::string first; ///< kernel that was tuned before others were timed
  std::shared_ptr<ModelOutcome> outcome; ///< null if no kernel was tuned
};

} // namespace tonno

#endif // TONNO_LIB_TUNER_MODELTUNER_H

//===- The problems of a module's kernels ---------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_TUNER_KERNELPROBLEMS_H
#define TONNO_TUNER_KERNELPROBLEMS_H

#include "tonno/Runtime/RunnerProcess.h"
#include "tonno/Session/WorkerPool.h"
#include "tonno/Tuner/TuningProblem.h"

#include <functional>

namespace tonno {

/// Reads the kernels of a module as `tuneModule` does, for commands that decide
/// nothing.
class KernelProblems {
public:
  KernelProblems(mlir::ModuleOp module, const TunerOptions &options,
                 TuneObserver &observer);

  using Visit = llvm::function_ref<mlir::LogicalResult(mlir::func::FuncOp,
                                                       const TuningProblem &)>;
  /// Calls `visit` for each kernel that the options choose, while the compiler
  /// has it open. Fails after a diagnostic.
  mlir::LogicalResult visit(Visit visit);

  Compiler &compiler() { return workers; }
  /// For one thread at a time. After its first kernel, `visit` does not use it.
  Runner &runner() { return process; }
  /// Calls of the runner, if another thread uses it.
  const std::shared_ptr<CallQueue> &calls() { return queue; }

private:
  mlir::ModuleOp module;
  const TunerOptions &options;
  std::shared_ptr<CallQueue> queue = std::make_shared<CallQueue>();
  WorkerPool workers;
  RunnerProcess process;
};

/// Returns true if the kernel is a model that is tuned kernel by kernel.
bool isTunedByKernels(mlir::func::FuncOp kernel, const TuningProblem &problem,
                      const TunerOptions &options);

/// Returns the question that tuning would look up in the cache: that of the
/// effort, or with effort none that of the latest decision.
Json makeDecisionQuestion(mlir::func::FuncOp kernel,
                          const TuningProblem &problem,
                          const TunerOptions &options);

} // namespace tonno

#endif // TONNO_TUNER_KERNELPROBLEMS_H

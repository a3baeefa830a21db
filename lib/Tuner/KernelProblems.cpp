//===- The problems of a module's kernels ---------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Tuner/KernelProblems.h"
#include "tonno/Transforms/ModelKernels.h"
#include "tonno/Tuner/PrepareModule.h"
#include "tonno/Tuner/Processes.h"
#include "ModelTuner.h"

using namespace mlir;
using namespace tonno;

KernelProblems::KernelProblems(ModuleOp module, const TunerOptions &options,
                               TuneObserver &observer)
    : module(module), options(options),
      workers(createWorkers(options, observer)),
      process(createRunner(options, observer, queue)) {}

LogicalResult KernelProblems::visit(Visit visit) {
  auto kernels = chooseKernels(module, options.kernel, Unmarked::include);
  if (failed(kernels))
    return failure();
  std::optional<Result<DeviceDescription>> device;
  for (func::FuncOp kernel : *kernels) {
    if (!device)
      device = findDevice(process, options);
    if (!*device)
      return emitError(kernel.getLoc(), device->error().message);
    auto problem = readProblem(kernel, options, workers, **device);
    if (failed(problem) || failed(visit(kernel, *problem)))
      return failure();
  }
  return success();
}

bool tonno::isTunedByKernels(func::FuncOp kernel, const TuningProblem &problem,
                             const TunerOptions &options) {
  return isModel(kernel) && options.target == "host" &&
         !options.wholeFunction && !problem.space.knobs().empty();
}

Json tonno::makeDecisionQuestion(func::FuncOp kernel,
                                 const TuningProblem &problem,
                                 const TunerOptions &options) {
  if (options.effort.isNone)
    return problem.identity.latestQuestion(problem.space);
  SearchPlanner ofModel = {nullptr, describeModelSearch(options)};
  bool isByKernels = isTunedByKernels(kernel, problem, options);
  return problem.identity.decisionQuestion(
      problem.space, describeSearch(effortJson(options.effort), options,
                                    isByKernels ? &ofModel : nullptr));
}

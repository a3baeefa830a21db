//===- The problems of a module's kernels
//-------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Tuner/KernelProblems.h"
#include "tonno/Tuner/PrepareModule.h"
#include "tonno/Tuner/Processes.h"

using namespace mlir;
using namespace tonno;

KernelProblems::KernelProblems(ModuleOp module, const TunerOptions &options,
                               TuneObserver &observer)
    : module(module), options(options), workers(createWorkers(options)),
      process(createRunner(options, observer)) {}

LogicalResult KernelProblems::visit(Visit visit) {
  auto kernels = chooseKernels(module, options.kernel, Unmarked::include);
  if (failed(kernels))
    return failure();
  for (func::FuncOp kernel : *kernels) {
    auto device = findDevice(process, options);
    if (!device)
      return emitError(kernel.getLoc(), device.error().message);
    auto problem = readProblem(kernel, options, workers, *device);
    if (failed(problem) || failed(visit(kernel, *problem)))
      return failure();
  }
  return success();
}

Json tonno::makeDecisionQuestion(const TuningProblem &problem,
                                 const TunerOptions &options) {
  return options.effort.isNone ? problem.identity.latestQuestion(problem.space)
                               : problem.identity.decisionQuestion(
                                     problem.space, effortJson(options.effort));
}

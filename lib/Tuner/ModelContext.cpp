//===- What the steps of tuning a model share -----------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ModelContext.h"

#include <algorithm>

using namespace mlir;
using namespace tonno;

ModelContext::ModelContext(func::FuncOp model, const TunerOptions &options,
                           Compiler &compiler, Runner &runner,
                           KernelTuner &tuner, TuneObserver &observer,
                           DeviceDescription device)
    : model(model), options(options), compiler(compiler), runner(runner),
      tuner(tuner), observer(observer), device(std::move(device)),
      start(steadySeconds()) {}

double ModelContext::getSecondsLeft() const {
  return options.effort.budget.seconds - (steadySeconds() - start);
}

FailureOr<TuningProblem> ModelContext::read(func::FuncOp kernel) {
  if (unreadable.contains(kernel.getSymName().str()))
    return failure();
  auto problem = readModelKernel(kernel, options, compiler, device);
  if (problem)
    return std::move(*problem);
  unreadable.insert(kernel.getSymName().str());
  warnOfDefault(kernel.getSymName().str(), problem.error().message);
  return failure();
}

void ModelContext::warnOfDefault(const std::string &kernel,
                                 const std::string &why) {
  observer.warn("kernel '" + kernel + "' of @" + model.getSymName().str() +
                " stays at its default: " + why);
}

LocatedError tonno::refuseDefault(const std::string &kernel,
                                  const std::string &why) {
  return {"the default of kernel '" + kernel + "' failed" + why +
          ", and so the model's results are not known; tune the function by "
          "'--whole-function'"};
}

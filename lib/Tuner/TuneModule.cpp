//===- Tunes the kernels of a module --------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Tuner/TuneModule.h"
#include "tonno/Tuner/KernelProblems.h"
#include "tonno/Tuner/KernelTuner.h"
#include "tonno/Tuner/PrepareModule.h"
#include "tonno/Tuner/Processes.h"
#include "tonno/Tuner/TuningProblem.h"
#include "ModelTuner.h"
#include "RangeTuner.h"
#include "WriteBack.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace tonno;

namespace {

/// Tunes the kernels of one module; one runner serves them all.
class ModuleTuner {
public:
  ModuleTuner(ModuleOp module, const TunerOptions &options,
              TuneObserver &observer)
      : module(module), options(options),
        compiler(createWorkers(options, observer)),
        runner(createRunners(options, observer)),
        tuner(options, compiler, runner, observer, &runner),
        observer(observer) {}

  LogicalResult open() {
    if (auto opened = tuner.open(); !opened)
      return emitError(module.getLoc(), opened.error().message);
    return success();
  }

  /// Checks that the kernel can be tuned, before time is spent on others.
  LogicalResult check(func::FuncOp kernel) {
    if (isForRange(kernel)) // whose shapes are read one by one
      return checkRange(kernel);
    return LogicalResult(read(kernel));
  }
  FailureOr<KernelOutcome> tune(func::FuncOp kernel) {
    auto start = Clock::now();
    if (isForRange(kernel) && failed(checkRange(kernel)))
      return failure();
    if (isForRange(kernel))
      return finish(kernel, tuneForRange(kernel), start);
    auto problem = read(kernel);
    if (failed(problem))
      return failure();
    bool isByKernels = isTunedByKernels(kernel, *problem, options);
    const OracleOptions &oracle = options.oracle;
    const char *flag = oracle.objective         ? "'--objective'"
                       : !oracle.front.empty()  ? "'--pareto'"
                       : !oracle.limits.empty() ? "'--limit'"
                       : !oracle.errors.empty() ? "'--tolerance'"
                                                : nullptr;
    if (isByKernels && flag) {
      return emitError(kernel.getLoc(),
                       std::string(flag) + " is for one kernel, but @" +
                           kernel.getSymName().str() +
                           " is a model of several; omit " + flag +
                           ", or tune it as one by '--whole-function'");
    }
    auto outcome = isByKernels ? ModelTuner(kernel, options, compiler, runner,
                                            tuner, observer, problem->device)
                                     .tune(std::move(*problem))
                               : tuner.tune(*problem);
    return finish(kernel, std::move(outcome), start);
  }

  const BundleResult *findResult(func::FuncOp kernel) const {
    return tuner.findResult(kernel.getSymName().str());
  }

private:
  static FailureOr<KernelOutcome>
  finish(func::FuncOp kernel, Result<KernelOutcome, LocatedError> outcome,
         Clock::time_point start) {
    if (!outcome)
      return emitLocated(kernel, outcome.error());
    outcome->seconds =
        std::chrono::duration<double>(Clock::now() - start).count();
    return std::move(*outcome);
  }

  LogicalResult checkRange(func::FuncOp kernel) const {
    if (auto checked = checkOptionsOfRange(options); !checked)
      return kernel.emitError() << checked.error().message;
    return success();
  }

  Result<KernelOutcome, LocatedError> tuneForRange(func::FuncOp kernel) {
    auto device =
        options.isOff() ? getConfiguredDevice() : findDevice(runner, options);
    if (!device)
      return LocatedError{device.error().message};
    return RangeTuner(kernel, options, compiler, runner, tuner, observer,
                      *device)
        .tune();
  }

  /// Returns the device as the options name it.
  Result<DeviceDescription> getConfiguredDevice() const {
    DeviceDescription device;
    device.name = options.device();
    return device;
  }
  FailureOr<TuningProblem> read(func::FuncOp kernel) {
    const BundleResult *result = findResult(kernel);
    auto device = result            ? result->device
                  : options.isOff() ? getConfiguredDevice()
                                    : findDevice(runner, options);
    if (!device)
      return emitError(kernel.getLoc(), device.error().message);
    return readProblem(kernel, options, compiler, *device);
  }

  ModuleOp module;
  const TunerOptions &options;
  WorkerPool compiler;
  RunnerPool runner;
  KernelTuner tuner;
  TuneObserver &observer;
};

} // namespace

/// Returns the reason why the results don't decide the kernel.
static std::string explainMissingResult(const BundleResults &results,
                                        func::FuncOp kernel) {
  auto failure = results.failures.find(kernel.getSymName().str());
  return failure == results.failures.end()
             ? "the results have no kernel @" + kernel.getSymName().str()
             : "@" + failure->first +
                   " has no decision from the device: " + failure->second;
}

/// Returns true if there is a decision to make. Warns if a kernel has nothing
/// to tune: its only candidate is compiled, verified and timed.
static bool isOpen(func::FuncOp kernel, const TunerOptions &options) {
  if (options.retune || !isResolved(kernel))
    return true;
  if (llvm::is_contained(findKernels(kernel->getParentOfType<ModuleOp>()),
                         kernel))
    return false;
  emitWarning(kernel.getLoc(), "@")
      << kernel.getSymName()
      << " has nothing to tune: the function has no knobs, and no op with a "
         "default space; the default is its only candidate";
  return true;
}

FailureOr<ModuleOutcome> tonno::tuneModule(ModuleOp module,
                                           const TunerOptions &options,
                                           TuneObserver &observer) {
  for (const std::string &warning : options.warnings)
    observer.warn(warning);
  ModuleTuner tuner(module, options, observer);
  auto kernels = chooseKernels(module, options.kernel, Unmarked::include);
  if (failed(kernels) || failed(tuner.open()))
    return failure();
  SmallVector<func::FuncOp> open;
  ModuleOutcome outcome;
  for (func::FuncOp kernel : *kernels) {
    if (options.results && !tuner.findResult(kernel))
      observer.warn(explainMissingResult(*options.results, kernel) +
                    "; the kernel is left unchanged");
    else if (isOpen(kernel, options))
      open.push_back(kernel);
    else
      observer.skipped(outcome.skipped.emplace_back(kernel.getSymName().str()));
  }
  if (open.size() > 1)
    for (func::FuncOp kernel : open)
      if (failed(tuner.check(kernel)))
        return failure();

  SmallVector<func::FuncOp> tuned;
  for (func::FuncOp kernel : open) {
    auto leave = [&] {
      outcome.undecided.push_back(kernel.getSymName().str());
      outcome.isWhole = false;
    };
    if (options.interrupted()) {
      leave();
      continue;
    }
    auto decided = tuner.tune(kernel);
    if (failed(decided) && options.requiresCache())
      return failure(); // a build, which wants all of them or none
    if (failed(decided)) {
      leave();
      continue;
    }
    observer.decided(*decided);
    outcome.isWhole &= !decided->isCutShort;
    tuned.push_back(kernel);
    outcome.tuned.push_back(std::move(*decided));
  }
  if (failed(writeBack(tuned, outcome.tuned)))
    return failure();
  return outcome;
}

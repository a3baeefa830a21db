//===- Pass that applies cached decisions ---------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Tuner/Passes.h"
#include "RequestPassOptions.h"

#include "tonno/Runtime/RunnerProcess.h"
#include "tonno/Session/DecisionStore.h"
#include "tonno/Session/Progress.h"
#include "tonno/Transforms/ApplyConfiguration.h"
#include "tonno/Transforms/KernelClosure.h"
#include "tonno/Tuner/PrepareModule.h"
#include "tonno/Tuner/Processes.h"
#include "tonno/Tuner/TuningProblem.h"
#include "WorkerProcess.h"

namespace tonno {
#define GEN_PASS_DEF_APPLYCACHED
#include "tonno/Tuner/Passes.h.inc"
} // namespace tonno

using namespace mlir;
using namespace tonno;

namespace {

/// The options that the key of a decision depends on, those of processes, and
/// the mode.
constexpr llvm::StringRef flags[] = {"target",
                                     "chip",
                                     "device",
                                     "cache-dir",
                                     "store",
                                     "start-seconds",
                                     "allow-nondeterminism",
                                     "allow-nan",
                                     "worker-command",
                                     "allow-lower-precision",
                                     "mode",
                                     "runner-command",
                                     "whole-function",
                                     "shapes",
                                     "bits",
                                     "objective",
                                     "pareto",
                                     "apply",
                                     "limit",
                                     "tolerance"};

struct ApplyCached : tonno::impl::ApplyCachedBase<ApplyCached> {
  using ApplyCachedBase::ApplyCachedBase;
  ApplyCached(const ApplyCached &other) : ApplyCachedBase(other) {}

  void runOnOperation() override {
    if (auto resolved = resolve(); !resolved) {
      emitError(getOperation().getLoc(), resolved.error().message);
      return signalPassFailure();
    }
    auto shapes = request.resolveShapes();
    if (!shapes) {
      emitError(getOperation().getLoc(), shapes.error().message);
      return signalPassFailure();
    }
    auto opened =
        openStore({isOff() ? CacheMode::off : CacheMode::read_only,
                   request.cacheDirectory, request.store},
                  [this](const std::string &message) { warn(message); });
    if (!opened) {
      emitError(getOperation().getLoc(), opened.error().message);
      return signalPassFailure();
    }
    // A model without knobs was tuned with those of its default space.
    TunerOptions options;
    options.target = request.target;
    options.chip = request.chip;
    options.wholeFunction = request.wholeFunction;
    options.shapes = *shapes;
    if (failed(prepareModule(getOperation(), options)))
      return signalPassFailure();
    if (getOperation().getOps<func::FuncOp>().empty())
      warnOfNestedKernels(getOperation());
    // All of them before the first is changed: they may share functions.
    SmallVector<func::FuncOp> kernels =
        findMeasurable(findKernels(getOperation()));
    SmallVector<KernelChoice> choices;
    for (func::FuncOp kernel : kernels) {
      auto choice = choose(kernel, **opened);
      if (failed(choice))
        return signalPassFailure();
      choices.push_back(std::move(*choice));
    }
    if (failed(applyToKernels(kernels, choices,
                              keep ? KnobMode::Select : KnobMode::Resolve)) ||
        (!keep && failed(resolveOthers())))
      signalPassFailure();
  }

private:
  /// Reads the options. The Error names the first wrong one.
  Result<void> resolve() {
    request = TONNO_TRY(given.request());
    oracle = TONNO_TRY(request.resolveOracle());
    mode = TONNO_TRY(chooseMode("mode", request.mode));
    choice = TONNO_TRY(request.resolveChoice());
    auto workers =
        TONNO_TRY(splitCommands("worker-command", request.workerCommands));
    auto runners =
        TONNO_TRY(splitCommands("runner-command", request.runnerCommands));
    worker = firstOr(workers, "tonno-worker");
    runner = firstOr(runners, "tonno-runner");
    return {};
  }
  /// Resolves kernels that can't have a decision to their defaults; a warning
  /// has named them.
  LogicalResult resolveOthers() {
    for (func::FuncOp kernel : findKernels(getOperation()))
      if (whyNotMeasurable(kernel) &&
          failed(resolveToCurrentValues(collectClosure(kernel))))
        return failure();
    return success();
  }
  void warn(const std::string &message) {
    emitWarning(getOperation().getLoc(), message);
  }
  FailureOr<KernelChoice> choose(func::FuncOp kernel, RecordStore &store) {
    auto device = describeDevice(kernel);
    if (failed(device))
      return failure();
    WorkerLimits limits;
    limits.startSeconds = request.startSeconds.value_or(limits.startSeconds);
    WorkerProcess compiler(worker, limits);
    auto problem = readProblem(kernel, SelectedKnobs::fixed,
                               {request.target, request.chip}, compiler,
                               *device, ProtocolOptions(), oracle);
    if (failed(problem))
      return failure();
    const SearchSpace &space = problem->space;
    if (isOff()) {
      emitRemark(kernel.getLoc(), "@")
          << kernel.getSymName() << " gets its defaults: " << mode.describe();
      return KernelChoice{space, space.defaultConfiguration()};
    }
    auto decision =
        findDecision(store, problem->identity.latestKey(space), space,
                     [this](const std::string &message) { warn(message); });
    if (!decision && isResolved(kernel)) // by somebody, or an earlier run
      return KernelChoice{space, space.defaultConfiguration()};
    if (decision && decision->comparison.contended)
      emitWarning(kernel.getLoc(), "the decision of @")
          << kernel.getSymName()
          << " is contended: other processes used the device while it was "
             "measured";
    if (decision && choice)
      if (auto applied = choice->apply(*decision); !applied)
        return kernel.emitError("the decision of @")
               << kernel.getSymName()
               << ": '--apply': " << applied.error().message;
    if (decision) {
      emitRemark(kernel.getLoc(), "@")
          << kernel.getSymName() << " gets the cache's decision, "
          << formatValues(decision->values)
          << "; its code is not compared with the code that was measured";
      return KernelChoice{space, *space.configuration(decision->values)};
    }
    if (mode.mode == TuneMode::cached)
      return kernel.emitError("the cache has no decision for @")
             << kernel.getSymName() << " on " << device->name << ", and "
             << mode.describe() << " requires one; tune it first";
    emitRemark(kernel.getLoc(), "the cache has no decision for @")
        << kernel.getSymName() << " on " << device->name
        << "; it gets its defaults";
    return KernelChoice{space, space.defaultConfiguration()};
  }

  bool isOff() const { return mode.mode == TuneMode::off; }

  FailureOr<DeviceDescription> describeDevice(func::FuncOp kernel) {
    if (known)
      return *known;
    if (!request.device.empty() || isOff()) {
      known.emplace();
      known->name = request.device;
      return *known;
    }
    RunnerLimits limits;
    limits.startSeconds = request.startSeconds.value_or(limits.startSeconds);
    RunnerProcess process(runner, limits);
    auto described = process.device();
    if (!described)
      return kernel.emitError(described.error().message)
             << "; name the device by the option 'device'";
    known = std::move(*described);
    return *known;
  }

  RequestPassOptions given{*this, flags};
  TuneRequest request; ///< with the options' values
  Command worker, runner;
  OracleOptions oracle;
  std::optional<FrontChoice> choice; ///< from a front; else the winner
  ChosenMode mode;
  /// Asked once.
  std::optional<DeviceDescription> known;
};

} // namespace

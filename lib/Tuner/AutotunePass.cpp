//===- The pass that tunes ------------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Session/Progress.h"
#include "tonno/Tuner/Passes.h"
#include "tonno/Tuner/PrepareModule.h"
#include "tonno/Tuner/Processes.h"
#include "tonno/Tuner/TuneRequest.h"

namespace tonno {
#define GEN_PASS_DEF_AUTOTUNE
#include "tonno/Tuner/Passes.h.inc"
} // namespace tonno

#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace tonno;

namespace {

/// Tells decisions and warnings as diagnostics of the pass.
class DiagnosticObserver : public TuneObserver {
public:
  explicit DiagnosticObserver(ModuleOp module) : module(module) {}

  void decided(const KernelOutcome &outcome) override {
    Operation *kernel = module.lookupSymbol(outcome.kernel);
    emitRemark(kernel->getLoc(), "@")
        << outcome.kernel << ": " << summarize(outcome);
  }
  void timing(const DeviceDescription &device) override {
    if (std::string remarks = joinRemarks(device.environment); !remarks.empty())
      emitRemark(module.getLoc())
          << "times are taken on " << device.name << ", " << remarks;
  }
  void waiting(const std::string &holder) override {
    emitRemark(module.getLoc(), "another process times on the device; waiting "
                                "for it: ")
        << holder;
  }
  void warned(const std::string &message) override {
    emitWarning(module.getLoc(), message);
  }

private:
  ModuleOp module;
};

template <typename Option>
std::vector<std::string> words(const Option &option) {
  return {option.begin(), option.end()};
}

struct Autotune : tonno::impl::AutotuneBase<Autotune> {
  using AutotuneBase::AutotuneBase;

  /// Their options are text, so that one that is 0 differs from none.
  LogicalResult readBudget(TuneRequest &request) {
    auto refuse = [&](StringRef option, StringRef value) {
      return emitError(getOperation().getLoc())
             << option << " is a number, not '" << value << "'";
    };
    uint64_t trials = 0;
    if (!budgetTrials.empty()) {
      if (!llvm::to_integer(budgetTrials, trials, 10))
        return refuse("budget-trials", budgetTrials);
      request.budgetTrials = trials;
    }
    double seconds = 0;
    if (!budgetSeconds.empty()) {
      if (!llvm::to_float(budgetSeconds, seconds))
        return refuse("budget-seconds", budgetSeconds);
      request.budgetSeconds = seconds;
    }
    return success();
  }

  void runOnOperation() override {
    TuneRequest request;
    request.target = target;
    request.chip = chip;
    request.device = device;
    if (jobs != 0)
      request.jobs = jobs;
    request.kernel = kernel;
    request.effort = effort;
    request.strategy = strategy;
    if (failed(readBudget(request)))
      return signalPassFailure();
    request.referenceSeconds = referenceSeconds;
    if (compileSeconds.hasValue())
      request.compileSeconds = compileSeconds;
    request.startSeconds = startSeconds;
    request.seed = seed;
    request.retune = retune;
    request.cache = cache;
    request.cacheState = cacheState;
    request.whenBusy = whenBusy;
    request.cacheDirectory = cacheDir;
    request.requireCached = requireCached;
    request.journal = journal;
    request.resume = resume;
    request.failures = failures;
    request.oracle = {allowNondeterminism, allowLowerPrecision, allowNan};
    request.kernelOptions = {pipeline,      words(knobs), words(constraints),
                             words(inputs), reference,    fpContract};
    request.workerCommand = words(workerCommand);
    request.runnerCommand = words(runnerCommand);
    request.dialectPlugins = words(dialectPlugins);
    request.passPlugins = words(passPlugins);
    auto options = request.resolve();
    if (!options) {
      emitError(getOperation().getLoc(), options.error().message);
      return signalPassFailure();
    }
    if (options->isSurvey()) {
      emitError(getOperation().getLoc(),
                "the simulated device times nothing, so nothing can be "
                "decided; see tonno-tune --device=sim");
      return signalPassFailure();
    }
    auto chip = findChip(*options);
    if (!chip) {
      emitError(getOperation().getLoc(), chip.error().message);
      return signalPassFailure();
    }
    options->chip = *chip;
    DiagnosticObserver observer(getOperation());
    if (failed(prepareModule(getOperation(), *options)))
      return signalPassFailure();
    auto outcome = tuneModule(getOperation(), *options, observer);
    if (failed(outcome) || !outcome->isWhole)
      signalPassFailure();
  }
};

} // namespace

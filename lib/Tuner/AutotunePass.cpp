//===- Pass that tunes kernels --------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "RequestPassOptions.h"

#include "tonno/Session/Progress.h"
#include "tonno/Tuner/Passes.h"
#include "tonno/Tuner/PrepareModule.h"
#include "tonno/Tuner/Processes.h"

namespace tonno {
#define GEN_PASS_DEF_AUTOTUNE
#include "tonno/Tuner/Passes.h.inc"
} // namespace tonno

using namespace mlir;
using namespace tonno;

namespace {

/// Reports decisions and warnings as diagnostics of the pass.
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
    emitRemark(module.getLoc(),
               "waiting for another process that times on the device: ")
        << holder;
  }
  void warn(const std::string &message) override {
    emitWarning(module.getLoc(), message);
  }

private:
  ModuleOp module;
};

struct Autotune : tonno::impl::AutotuneBase<Autotune> {
  Autotune() = default;
  Autotune(const Autotune &other) : AutotuneBase(other) {}

  void runOnOperation() override {
    auto request = given.request();
    auto options = request ? request->resolve() : request.error();
    if (!options) {
      emitError(getOperation().getLoc(), options.error().message);
      return signalPassFailure();
    }
    if (options->isSurvey()) {
      emitError(getOperation().getLoc(),
                "the simulated device cannot time candidates; verify them by "
                "'tonno-tune --device=sim'");
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

private:
  RequestPassOptions given{*this};
};

} // namespace

//===- ApplyCachedPass.cpp - The pass that applies what was found ---------===//
//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tonno/Tuner/Passes.h"

#include "tonno/Runtime/RunnerProcess.h"
#include "tonno/Transforms/ApplyConfiguration.h"
#include "tonno/Transforms/KernelClosure.h"
#include "tonno/Tuner/DecisionStore.h"
#include "tonno/Tuner/KernelProblem.h"
#include "tonno/Tuner/ToolPath.h"
#include "tonno/Tuner/WorkerProcess.h"

namespace tonno {
#define GEN_PASS_DEF_APPLYCACHED
#include "tonno/Tuner/Passes.h.inc"
} // namespace tonno

using namespace mlir;
using namespace tonno;

namespace {

struct ApplyCached : tonno::impl::ApplyCachedBase<ApplyCached> {
  using ApplyCachedBase::ApplyCachedBase;

  void runOnOperation() override {
    auto opened =
        openStore(CacheMode::read_only, cacheDir,
                  [this](const std::string &message) { warn(message); });
    if (!opened) {
      emitError(getOperation().getLoc(), opened.error().message);
      return signalPassFailure();
    }
    for (func::FuncOp kernel : findKernels(getOperation()))
      if (failed(apply(kernel, **opened)))
        return signalPassFailure();
  }

private:
  void warn(const std::string &message) {
    emitWarning(getOperation().getLoc(), message);
  }
  LogicalResult apply(func::FuncOp kernel, RecordStore &store);
  FailureOr<DeviceDescription> describeDevice(func::FuncOp kernel);

  /// Asked once.
  std::optional<DeviceDescription> known;
};

} // namespace

template <typename Option>
static std::vector<std::string> commandOr(const Option &given,
                                          const std::string &tool) {
  std::vector<std::string> words(given.begin(), given.end());
  return words.empty() ? std::vector{findTool(tool)} : words;
}

FailureOr<DeviceDescription> ApplyCached::describeDevice(func::FuncOp kernel) {
  if (known)
    return *known;
  if (!device.empty()) {
    known.emplace();
    known->name = device;
    return *known;
  }
  RunnerProcess runner(commandOr(runnerCommand, "tonno-runner"));
  auto described = runner.device();
  if (!described)
    return kernel.emitError(described.error().message)
           << "; name the device with device=";
  known = std::move(*described);
  return *known;
}

LogicalResult ApplyCached::apply(func::FuncOp kernel, RecordStore &store) {
  auto device = describeDevice(kernel);
  if (failed(device))
    return failure();
  WorkerProcess compiler(commandOr(workerCommand, "tonno-worker"));
  auto problem = readProblem(kernel, SelectedKnobs::fixed, target, chip,
                             compiler, *device, ProtocolOptions());
  if (failed(problem))
    return failure();
  const SearchSpace &space = problem->space;
  auto decision =
      findDecision(store, problem->identity.latestKey(space), space,
                   [this](const std::string &message) { warn(message); });
  Configuration chosen = space.defaultConfiguration();
  if (decision)
    chosen = *space.configuration(decision->values);
  else
    kernel.emitRemark("the cache has no decision for @")
        << kernel.getSymName() << " on " << device->name
        << "; it gets its defaults";
  return applyConfiguration(closureOf(kernel), space, chosen,
                            keep ? KnobMode::Select : KnobMode::Resolve);
}

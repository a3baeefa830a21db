//===- Verifies kernels of a model ----------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ModelVerifier.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>

using namespace mlir;
using namespace tonno;

/// Most configurations of a kernel that are compared in the model, beside the
/// default.
static constexpr size_t mostAlternatives = 3;

/// A verification of fewer seconds is not begun.
static constexpr double leastSecondsToVerify = 1;

/// Returns true if a verified configuration fails, whatever the load of the
/// machine is.
static bool isWrong(const RunResult &verified) {
  return verified.status != Status::ok &&
         verified.status != Status::contended &&
         verified.status != Status::lost;
}

static std::string describe(const RunResult &failed) {
  return "'" + std::string(toString(failed.status)) + "': " + failed.message;
}

static std::string explain(const Result<RunResult, LocatedError> &verified) {
  return verified ? verified->message : verified.error().text();
}

std::string
ModelVerifier::describeKernel(const ModelKernelOutcome &kernel) const {
  return "kernel '" + kernel.name + "' of @" + context.model.getSymName().str();
}

bool ModelVerifier::isOver(double reserved) const {
  return context.options.interrupted() ||
         context.getSecondsLeft() - reserved < leastSecondsToVerify;
}

Result<void, LocatedError> ModelVerifier::verifyDefaults(double reserved) {
  for (ModelKernelOutcome &kernel : outcome.kernels)
    if (!kernel.isVerified && !isOver(reserved))
      TONNO_TRY(verifyDefault(context.getSecondsLeft() - reserved, kernel));
  return {};
}

Result<void, LocatedError>
ModelVerifier::verifyDefault(double seconds, ModelKernelOutcome &kernel) {
  auto problem =
      context.read(formed.module->lookupSymbol<func::FuncOp>(kernel.kernel));
  if (failed(problem))
    return {};
  auto verified = context.tuner.verify(
      *problem, problem->space.defaultConfiguration(), seconds);
  if (context.options.interrupted())
    return {};
  if (verified && isWrong(*verified))
    return refuseDefault(kernel.name, " (" + describe(*verified) + ")");
  kernel.isVerified = verified && verified->status == Status::ok;
  if (!kernel.isVerified)
    context.observer.warn(
        "the default of " + describeKernel(kernel) +
        " is not compared with a reference in f64: " + explain(verified));
  return {};
}

/// Returns the winner and the next best trials of a kernel's session, those
/// that are faster than the default.
static std::vector<Json> findFaster(const KernelOutcome &kernel) {
  std::vector<const Trial *> faster;
  for (const Trial &trial : kernel.trials)
    if (trial.ok() && trial.measurement->ratio < 1)
      faster.push_back(&trial);
  std::ranges::sort(faster, std::less(), [](const Trial *trial) {
    return trial->measurement->ratio;
  });
  const Json byDefault =
      kernel.space.values(kernel.space.defaultConfiguration());
  std::vector<Json> values;
  auto add = [&](const Json &each) {
    if (each != byDefault && std::ranges::find(values, each) == values.end())
      values.push_back(each);
  };
  add(kernel.decision.values);
  for (const Trial *trial : faster)
    if (values.size() < mostAlternatives)
      add(kernel.space.values(trial->configuration));
  return values;
}

std::vector<Json>
ModelVerifier::findAlternatives(const ModelKernelOutcome &kernel) const {
  auto found = passed.find(kernel.kernel);
  return found == passed.end() ? findFaster(*kernel.tuned) : found->second;
}

Result<void, LocatedError> ModelVerifier::verifyWinners(double reserved) {
  std::vector<ModelKernelOutcome *> winners;
  SmallVector<const ModelKernel *> kernels;
  std::vector<std::vector<Json>> alternatives;
  for (ModelKernelOutcome &kernel : outcome.kernels) {
    if (!kernel.tuned)
      continue;
    std::vector<Json> faster = findFaster(*kernel.tuned);
    if (faster.empty())
      continue;
    winners.push_back(&kernel);
    alternatives.push_back(std::move(faster));
    kernels.push_back(llvm::find_if(formed.kernels, [&](ModelKernel &each) {
      return each.function.getSymName() == kernel.kernel;
    }));
  }
  if (winners.empty() || isOver(reserved))
    return {};
  auto values = ModelValues::capture(
      context.model, kernels, context.options, context.compiler, context.runner,
      context.device, context.getSecondsLeft() - reserved);
  if (!values) {
    if (!context.options.interrupted())
      context.observer.warn("the winners of the kernels of @" +
                            context.model.getSymName().str() +
                            " are verified on generated inputs only, not on "
                            "the model's own values: " +
                            values.error().message);
    return {};
  }
  for (bool areWinners : {true, false})
    for (auto [winner, kernel, faster] :
         llvm::zip_equal(winners, kernels, alternatives)) {
      std::vector<Json> some = faster;
      std::erase_if(some, [&](const Json &each) {
        return areWinners != (each == winner->tuned->decision.values);
      });
      if (!some.empty() && !winner->failsInModel())
        TONNO_TRY(verifyInModel(*kernel, some, *values, reserved, *winner));
    }
  return {};
}

/// Verifies a kernel's configurations on the model's values. If its winner
/// fails, the kernel stays at its default; another that fails or that there is
/// no time for is left out. Fails if the default fails there, too.
Result<void, LocatedError> ModelVerifier::verifyInModel(
    const ModelKernel &kernel, std::span<const Json> configurations,
    const ModelValues &values, double reserved, ModelKernelOutcome &winner) {
  OwningOpRef<ModuleOp> declared = values.declare(kernel);
  if (!declared || isOver(reserved))
    return {};
  auto warnOfWinner = [&](const std::string &why) {
    context.observer.warn("the winner of " + describeKernel(winner) +
                          " is not verified on the model's own values: " + why);
  };
  auto problem =
      readModelKernel(*declared->getOps<func::FuncOp>().begin(),
                      context.options, context.compiler, context.device);
  if (!problem) {
    warnOfWinner(problem.error().message);
    return {};
  }
  problem->reference = winner.tuned->problem;
  auto verify = [&](const Configuration &configuration) {
    return context.tuner.verify(*problem, configuration,
                                context.getSecondsLeft() - reserved);
  };
  std::vector<Json> &right = passed[winner.kernel];
  const Json &own = winner.tuned->decision.values;
  for (const Json &each : configurations) {
    auto configuration = problem->space.configuration(each);
    if (!configuration || isOver(reserved))
      break;
    auto verified = verify(*configuration);
    if (verified && verified->status == Status::ok) {
      right.push_back(each);
      if (each == own)
        winner.onModelValues = Status::ok;
      continue;
    }
    if (context.options.interrupted())
      break;
    if (!verified || !isWrong(*verified)) {
      if (each == own)
        warnOfWinner(explain(verified));
      continue;
    }
    if (auto byDefault = verify(problem->space.defaultConfiguration());
        byDefault && isWrong(*byDefault))
      return refuseDefault(winner.name, " on the model's own values (" +
                                            describe(*byDefault) + ")");
    if (each == own) {
      winner.onModelValues = verified->status;
      context.warnOfDefault(winner.name,
                            "its winner fails on the model's own values (" +
                                describe(*verified) + ")");
      break;
    }
    context.observer.warn("a configuration of " + describeKernel(winner) +
                          " is not used, as it fails on the model's own "
                          "values (" +
                          describe(*verified) + ")");
  }
  // A winner without a verdict is named in the report, and used.
  if (winner.hasOwnWinner() && !winner.onModelValues &&
      std::ranges::find(right, own) == right.end())
    right.push_back(own);
  return {};
}

//===- The time of each kernel of a model ---------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ModelProfile.h"

#include "tonno/Backend/Compile.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>

using namespace mlir;
using namespace tonno;

/// A session of fewer seconds than this, than some times as long as the default
/// took to compile and time, and than some launches take, is spent before it
/// learns: a reference is compiled, and its loops run several times.
static constexpr double leastKernelSeconds = 4;
static constexpr double leastProfiles = 3;
static constexpr double leastLaunches = 200;

/// Largest share of the budget for timing kernels by default.
static constexpr double mostShareOfProfile = 0.3;

ModelProfile::ModelProfile(ModelContext &context, ModelKernels &formed,
                           ModelOutcome &outcome)
    : context(context), formed(formed), outcome(outcome) {
  llvm::sort(formed.kernels, [](ModelKernel &one, ModelKernel &other) {
    return one.work == other.work
               ? one.function->isBeforeInBlock(other.function)
               : one.work > other.work;
  });
  for (ModelKernel &kernel : formed.kernels) {
    ModelKernelOutcome &listed = outcome.kernels.emplace_back();
    listed.kernel = kernel.function.getSymName().str();
    listed.name = kernel.name;
    listed.calls = kernel.calls;
    outcome.calls += kernel.calls;
    work[listed.kernel] = static_cast<double>(kernel.work);
  }
}

bool ModelProfile::isDone(const std::string &kernel) const {
  return isTimed(kernel) || cannotBeTimed(kernel) ||
         context.isUnreadable(kernel);
}

double ModelProfile::getLeastSeconds(const std::string &kernel) const {
  auto least = leastSeconds.find(kernel);
  return least == leastSeconds.end() ? leastKernelSeconds : least->second;
}

void ModelProfile::extend(double share) {
  double all = 0, reached = 0;
  for (const auto &[kernel, count] : work)
    all += count;
  double most = mostShareOfProfile * context.options.effort.budget.seconds;
  for (ModelKernelOutcome &kernel : outcome.kernels) {
    if (context.options.interrupted() || reached >= share * all ||
        seconds >= most)
      break;
    reached += work[kernel.kernel];
    if (isDone(kernel.kernel))
      continue;
    auto number = std::ranges::count_if(
        outcome.kernels,
        [&](const ModelKernelOutcome &each) { return isDone(each.kernel); });
    context.observer.timingInModel(kernel, number + 1, outcome.kernels.size());
    double begin = steadySeconds();
    timeKernel(kernel);
    seconds += steadySeconds() - begin;
  }
  estimateShares(/*ofAll=*/share < 1);
  std::ranges::sort(outcome.kernels, std::greater(),
                    &ModelKernelOutcome::share);
}

/// Computes the share of each kernel of the time of all. Of all kernels, those
/// not timed yet take as long for an iteration as the others on average.
void ModelProfile::estimateShares(bool ofAll) {
  double timed = 0;
  for (const ModelKernelOutcome &kernel : outcome.kernels)
    timed += kernel.seconds > 0 ? work[kernel.kernel] : 0;
  double rate = ofAll && timed > 0 ? outcome.seconds() / timed : 0;
  auto estimate = [&](const ModelKernelOutcome &kernel) {
    return isDone(kernel.kernel) ? kernel.seconds : rate * work[kernel.kernel];
  };
  double total = 0;
  for (const ModelKernelOutcome &kernel : outcome.kernels)
    total += estimate(kernel);
  for (ModelKernelOutcome &kernel : outcome.kernels)
    kernel.share = total > 0 ? estimate(kernel) / total : 0;
}

void ModelProfile::timeKernel(ModelKernelOutcome &kernel) {
  double begin = steadySeconds();
  auto function = formed.module->lookupSymbol<func::FuncOp>(kernel.kernel);
  auto problem = context.read(function);
  if (failed(problem))
    return;
  problem->againstDefault = describeAsOwnReference(function);
  auto launch = timeDefault(std::move(*problem));
  if (!launch) {
    untimed.insert(kernel.kernel);
    return;
  }
  kernel.seconds = *launch * static_cast<double>(kernel.calls);
  leastSeconds[kernel.kernel] =
      std::max(leastKernelSeconds, leastProfiles * (steadySeconds() - begin) +
                                       leastLaunches * *launch);
}

/// Returns the seconds of one launch of a kernel by default; none, after a
/// warning, if it can't be timed. The kernel is compared with itself only:
/// no reference is compiled for kernels that will not be tuned.
std::optional<double> ModelProfile::timeDefault(TuningProblem problem) {
  auto warn = [&](const std::string &why) {
    context.warnOfDefault(problem.source.kernel, why);
    return std::nullopt;
  };
  auto session =
      createRunnerSession(context.compiler, problem, context.options);
  if (!session)
    return warn(session.error().message);
  if (auto opened = context.runner.open(*session); !opened)
    return warn(opened.error().message);
  RunRequest request;
  request.candidate = request.baseline = session->problem.reference;
  request.waitSeconds = session->waitSeconds;
  RunResult result = context.runner.run(request);
  if (!result.measurement)
    return warn(result.message);
  return result.measurement->seconds.median;
}

//===- Tunes what is compiled ---------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Session/BundleSession.h"
#include "tonno/Core/Frame.h"
#include "tonno/Runtime/OracleOptions.h"
#include "tonno/Session/FailureKeepingLog.h"
#include "tonno/Session/ObservingLog.h"

#include <map>
#include <optional>

using namespace tonno;

namespace {

/// Looks up what another machine's compiler has made.
class BundledCompiler : public Compiler {
public:
  explicit BundledCompiler(const BundledKernel &kernel) : kernel(kernel) {
    for (const BundledCandidate &candidate : kernel.candidates)
      compilations.emplace(candidate.values, &candidate.compilation);
  }

  Result<CompilerDescription, LocatedError>
  open(const CompilerSession &) override {
    return kernel.compiled;
  }
  Result<Problem, LocatedError> reference(ReferenceCpu) override {
    return kernel.problem;
  }
  void submit(const Json &values) override { submitted.push_back(values); }
  Compilation next() override {
    auto found = compilations.find(submitted.front());
    submitted.pop_front();
    if (found == compilations.end())
      return {Status::lost, "the bundle does not have it", std::nullopt, 0};
    return *found->second;
  }

private:
  const BundledKernel &kernel;
  std::map<Json, const Compilation *> compilations; ///< by values
  std::deque<Json> submitted;
};

/// Proposes a bundle's candidates in their order.
class BundledSearch : public SearchStrategy {
public:
  /// An Error if one is no point of the space.
  static Result<BundledSearch> create(const BundledKernel &kernel) {
    BundledSearch search;
    for (const BundledCandidate &candidate : kernel.candidates) {
      auto configuration = kernel.space.configuration(candidate.values);
      if (!configuration)
        return Error{"a candidate is none of its kernel's: " +
                     configuration.error().message};
      if (*configuration != kernel.space.defaultConfiguration())
        search.open.push_back(std::move(*configuration));
    }
    return search;
  }

  std::vector<Configuration> propose(size_t n) override {
    std::vector<Configuration> proposed;
    for (; proposed.size() < n && !open.empty(); open.pop_front())
      proposed.push_back(std::move(open.front()));
    return proposed;
  }
  void observe(std::span<const Trial>) override {}

private:
  std::deque<Configuration> open;
};

} // namespace

/// What it was compiled from stays where the compiler is.
static Reproduction commonOfFailures(const BundledKernel &kernel,
                                     const BundleOptions &options) {
  Reproduction common;
  common.kernel = kernel.kernel;
  common.versions = kernel.compiled.versions;
  common.device = options.device;
  common.referenceSeconds = options.referenceSeconds;
  common.source.kernel = kernel.kernel;
  common.source.chip = kernel.compiled.chip;
  return common;
}

Result<BundleResult> tonno::runBundled(const BundledKernel &kernel,
                                       Runner &runner, TuneObserver &observer,
                                       const BundleOptions &options) {
  // Another version's code would judge otherwise.
  if (kernel.identity.policy.value("oracle", Json()) != Json(oracleVersion))
    return Error{"the bundle is of a tonno that verifies otherwise (" +
                 kernel.compiled.versions +
                 "); take the tonno-runner of that version"};
  auto start = Clock::now();
  auto search = BundledSearch::create(kernel);
  if (!search)
    return search.error();
  auto device = runner.device();
  if (!device)
    return device.error();
  RunnerSession judged = {kernel.problem, kernel.compiled.signature,
                          kernel.protocol, kernel.seed, kernel.oracle};

  BundledCompiler compiler(kernel);
  ObservingLog told(observer);
  std::optional<FailureKeepingLog> failures;
  if (!options.failureDirectory.empty())
    failures.emplace(told, options.failureDirectory,
                     commonOfFailures(kernel, options), kernel.space);
  TrialLog &log = failures ? static_cast<TrialLog &>(*failures) : told;
  Budget budget{kernel.candidates.size(), options.seconds};
  judged.waitSeconds = budget.secondsToWait(0);
  judged.openSeconds = budget.secondsToOpen();
  observer.started(kernel.kernel, kernel.space, budget);
  TuningSession session(kernel.space, compiler, runner, *search, log, judged,
                        budget, /*compileAhead=*/1, options.interrupted);
  // Part of the session's time.
  if (auto opened = runner.open(judged); !opened)
    return opened.error();
  auto found = session.run();
  if (!found)
    return found.error();

  BundleResult result;
  result.kernel = kernel.kernel;
  result.identity = kernel.identity;
  result.identity.device = device->name;
  result.device = *device;
  result.space = kernel.space;
  result.search = effortJson(kernel.effort);
  result.decision = {kernel.kernel,          kernel.space.values(found->chosen),
                     found->artifactHash,    found->comparison,
                     found->trials.size(),   kernel.seed,
                     kernel.effort.strategy, kernel.compiled.versions,
                     device->environment,    found->condition};
  // What was cut short on either side is no answer to the whole question.
  result.isConclusive = found->isConclusive && kernel.isComplete &&
                        found->trials.size() == kernel.candidates.size();
  for (const Trial &trial : found->trials)
    result.trials.push_back(TrialRecord::of(trial, kernel.space));
  std::chrono::duration<double> elapsed = Clock::now() - start;
  KernelOutcome outcome = {
      kernel.kernel,
      kernel.space,
      *device,
      kernel.compiled.chip,
      result.identity.decisionKey(kernel.space, result.search),
      result.decision,
      "",
      std::move(found->trials),
      elapsed.count()};
  outcome.searchEnd = found->searchEnd;
  outcome.sessionSeconds = found->seconds;
  outcome.proposingSeconds = found->proposingSeconds;
  if (failures && failures->numKept() > 0) {
    outcome.keptFailures = failures->numKept();
    outcome.failureDirectory = options.failureDirectory;
  }
  observer.decided(outcome);
  return result;
}

//===- Bundles: candidates that another machine compiled ------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Session/Bundle.h"
#include "tonno/Engine/OracleOptions.h"
#include "tonno/Process/Frame.h"
#include "tonno/Session/FailureKeepingLog.h"
#include "SealedFile.h"
#include <algorithm>
#include <map>
#include <optional>

using namespace tonno;

static constexpr SealedFormat bundleFormat = {"bundle", 1};

void RecordingCompiler::submit(const Json &values) {
  submitted.push_back(values);
  compiler.submit(values);
}

Compilation RecordingCompiler::next() {
  Compilation compilation = compiler.next();
  kernel.candidates.push_back({std::move(submitted.front()), compilation});
  submitted.pop_front();
  return compilation;
}

namespace tonno {

static void mapFields(JsonFields &fields, BundledCandidate &candidate) {
  fields("values", candidate.values);
  fields("compiled", candidate.compilation);
}

static void mapFields(JsonFields &fields, BundledKernel &kernel) {
  fields("kernel", kernel.kernel);
  fields("space", kernel.space);
  fields("compiled", kernel.compiled);
  fields("identity", kernel.identity);
  fields("problem", kernel.problem);
  fields("protocol", kernel.protocol);
  fields("strategy", kernel.effort.strategy);
  fields("budget_trials", kernel.effort.budget.trials);
  fields("budget_seconds", kernel.effort.budget.seconds);
  fields("seed", kernel.seed);
  // Earlier versions' bundles, which are refused with a reason, have none.
  if (fields.has("oracle", true))
    fields("oracle", kernel.oracle);
  fields("complete", kernel.isComplete);
  fields("candidates", kernel.candidates);
}

static void mapFields(JsonFields &fields, Bundle &bundle) {
  fields("target", bundle.target);
  fields("kernels", bundle.kernels);
}

} // namespace tonno

std::string tonno::encodeBundle(const Bundle &bundle) {
  return seal(bundleFormat, bundle);
}

Result<Bundle> tonno::decodeBundle(std::string_view bytes) {
  auto json = unseal(bundleFormat, bytes);
  return json ? decode<Bundle>(*json) : json.error();
}

static constexpr const char *resultFormat = "tonno results 1";

namespace tonno {

static void mapFields(JsonFields &fields, BundleResult &result) {
  fields("kernel", result.kernel);
  fields("identity", result.identity);
  fields("device", result.device);
  fields("space", result.space);
  fields("search", result.search);
  fields("decision", result.decision);
  fields("conclusive", result.isConclusive);
  fields("trials", result.trials);
  if (!fields.read())
    return;
  const Json &json = *fields.read();
  if (result.decision.trials > result.trials.size())
    throw WrongValue("'decision.trials' is " +
                         std::to_string(result.decision.trials) +
                         ", but 'trials' has " +
                         std::to_string(result.trials.size()) + " rows",
                     json);
}

} // namespace tonno

const BundleResult *BundleResults::find(std::string_view kernel) const {
  auto found = std::ranges::find(kernels, kernel, &BundleResult::kernel);
  return found == kernels.end() ? nullptr : &*found;
}

std::string tonno::encodeResults(const BundleResults &results) {
  Json json = {{"format", resultFormat},
               {"kernels", results.kernels},
               {"failures", results.failures}};
  return printed(json, 2) + "\n";
}

Result<BundleResults> tonno::decodeResults(std::string_view text) {
  auto json = parseJson(text);
  if (!json || !json->is_object() ||
      json->value("format", Json()) != resultFormat)
    return Error{"not results of this version's 'tonno-runner --bundle'; run "
                 "the bundle again"};
  auto damaged = [](const Error &why) {
    return Error{"the results are damaged: " + why.message};
  };
  auto rows = decodeMember<std::vector<Json>>(*json, "kernels");
  auto failures =
      decodeMember<std::map<std::string, std::string>>(*json, "failures");
  if (!rows || !failures)
    return damaged(rows ? failures.error() : rows.error());
  BundleResults results{{}, std::move(*failures)};
  for (const Json &row : *rows) {
    auto kernel = decode<BundleResult>(row);
    auto name = row.is_object() ? decodeMember<std::string>(row, "kernel")
                                : Result<std::string>(std::string());
    if (!kernel)
      return damaged(
          kernel.error().prefixed(name ? "kernel @" + *name : "a kernel"));
    results.kernels.push_back(std::move(*kernel));
  }
  if (results.isEmpty())
    return Error{"the results contain no kernel"};
  return results;
}

Result<void> tonno::checkSameProblem(const BundleResult &result,
                                     const ProblemIdentity &identity,
                                     const SearchSpace &space) {
  auto differs = [&](const char *what) {
    return Error{"the results are not of this kernel @" + result.kernel + ": " +
                 what + " differs; write the bundle again and rerun it"};
  };
  const ProblemIdentity &measured = result.identity;
  if (measured.triple != identity.triple || measured.chip != identity.chip ||
      measured.features != identity.features)
    return differs("its target");
  if (measured.kernelHash != identity.kernelHash)
    return differs("its code, or the declaration of its arguments,");
  if (!(result.space == space))
    return differs("its search space");
  if (measured.backend != identity.backend)
    return differs("the compiler");
  if (measured.policy != identity.policy)
    return differs("the verification policy");
  return {};
}

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
      return {Status::lost, "the candidate is not in the bundle", std::nullopt,
              0};
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
  /// Creates a search; fails if a candidate is no point of the space.
  static Result<BundledSearch> create(const BundledKernel &kernel) {
    BundledSearch search;
    for (const BundledCandidate &candidate : kernel.candidates) {
      auto configuration = kernel.space.configuration(candidate.values);
      if (!configuration)
        return Error{"a candidate is not in its kernel's search space: " +
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

/// Returns the data shared by all failures; the compiler's input is not in the
/// bundle.
static Reproduction makeCommonReproduction(const BundledKernel &kernel,
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
    return Error{"the bundle is of a version that verifies differently (" +
                 kernel.compiled.versions +
                 "); use the tonno-runner of that version"};
  auto start = Clock::now();
  auto search = TONNO_TRY(BundledSearch::create(kernel));
  auto device = TONNO_TRY(runner.device());
  RunnerSession judged = {kernel.problem, kernel.compiled.signature,
                          kernel.protocol, kernel.seed, kernel.oracle};

  BundledCompiler compiler(kernel);
  if (kernel.oracle.bits == Bits::same)
    judged.sameAs = TONNO_TRY(compileDefault(compiler, kernel.space));
  TrialLogs logs;
  logs.add(observer);
  std::optional<FailureKeepingLog> failures;
  if (!options.failureDirectory.empty())
    logs.add(failures.emplace(options.failureDirectory,
                              makeCommonReproduction(kernel, options),
                              kernel.space, observer));
  Budget budget{kernel.candidates.size(), options.seconds};
  judged.waitSeconds = budget.secondsToWait(0);
  judged.openSeconds = budget.secondsToOpen();
  observer.started(kernel.kernel, kernel.space, budget);
  TuningSession session(kernel.space, compiler, &runner, search, logs, judged,
                        budget, /*compileAhead=*/1, options.interrupted);
  // Part of the session's time.
  TONNO_TRY(runner.open(judged));
  auto found = TONNO_TRY(session.run());

  BundleResult result;
  result.kernel = kernel.kernel;
  result.identity = kernel.identity;
  result.identity.device = device.name;
  result.device = device;
  result.space = kernel.space;
  result.search = effortJson(kernel.effort);
  result.decision = {kernel.kernel,          kernel.space.values(found.chosen),
                     found.artifactHash,     found.comparison,
                     found.trials.size(),    kernel.seed,
                     kernel.effort.strategy, kernel.compiled.versions,
                     device.environment,     found.condition};
  result.decision.otherBits = std::move(found.otherBits);
  result.decision.objective = found.objective;
  result.decision.front = std::move(found.front);
  // A bundle or run that was cut short answers only part of the question.
  result.isConclusive = found.isConclusive && kernel.isComplete &&
                        found.trials.size() == kernel.candidates.size();
  for (const Trial &trial : found.trials)
    result.trials.push_back(TrialRecord::of(trial, kernel.space));
  std::chrono::duration<double> elapsed = Clock::now() - start;
  KernelOutcome outcome = {
      kernel.kernel,
      kernel.space,
      device,
      kernel.compiled.chip,
      result.identity.decisionKey(kernel.space, result.search),
      result.decision,
      "",
      std::move(found.trials),
      elapsed.count()};
  outcome.oracle = kernel.oracle;
  outcome.searchEnd = found.searchEnd;
  outcome.sessionSeconds = found.seconds;
  outcome.proposingSeconds = found.proposingSeconds;
  if (failures && failures->numKept() > 0) {
    outcome.keptFailures = failures->numKept();
    outcome.failureDirectory = options.failureDirectory;
  }
  observer.decided(outcome);
  return result;
}

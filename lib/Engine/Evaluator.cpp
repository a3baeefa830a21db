//===- Builds, verifies and times candidates ------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Evaluator.h"
#include "tonno/Cache/Records.h"
#include "tonno/Core/Duration.h"

using namespace tonno;

/// The share of the budget by which waiting may delay the finals and the test,
/// on which the search's result depends.
static constexpr double lateShare = 0.2;

double Evaluator::secondsToWait() const {
  bool isLate = session.isTiming && !ledger.all().empty();
  double late = isLate ? lateShare * session.budget.seconds : 0;
  return session.budget.secondsToWait(clock.spent() - late);
}

void Evaluator::submit(const Configuration &configuration) {
  compiler.submit(session.space.values(configuration));
  ++numSubmitted;
}

Compilation Evaluator::awaitCompiler() {
  double begin = clock.spent();
  Compilation compilation = compiler.next();
  times.compiling += clock.spent() - begin;
  return compilation;
}

Compilation Evaluator::nextCompiled() {
  --numSubmitted;
  if (early.empty())
    return awaitCompiler();
  Compilation compilation = std::move(early.front());
  early.pop_front();
  return compilation;
}

/// Compiles the configuration ahead of those submitted before.
Compilation Evaluator::compileNow(const Configuration &configuration) {
  compiler.submit(session.space.values(configuration));
  while (early.size() < numSubmitted)
    early.push_back(awaitCompiler());
  return awaitCompiler();
}

Trial Evaluator::evaluateNext(const Configuration &configuration) {
  Compilation compilation = nextCompiled();
  Trial trial = judge(configuration, compilation);
  latest = trial.ok() ? std::move(compilation.artifact) : std::nullopt;
  return trial;
}

void Evaluator::keepArtifact() {
  if (latest && session.isTiming)
    artifacts.emplace(ledger.all().size() - 1, std::move(*latest));
  latest.reset();
}

Trial Evaluator::judge(const Configuration &configuration,
                       const Compilation &compilation) {
  Trial trial = makeCompiledTrial(configuration, compilation);
  if (session.timeBounds == TimeBounds::off)
    trial.usage.timeBound.reset();
  if (!trial.ok()) {
    if (trial.status != Status::lost || !session.interrupted())
      session.log.failed(trial, session.opened, /*request=*/nullptr);
    return trial;
  }
  if (auto excess = findExcess(trial.usage, session.opened.oracle.limits)) {
    trial.status = Status::over_limit;
    trial.message = *excess;
    return trial;
  }
  if (!runner)
    return trial;
  const Artifact &artifact = *compilation.artifact;
  RunRequest request;
  request.candidate = artifact;
  if (session.isTiming) {
    request.baseline = baseline ? *baseline : artifact;
    request.incumbentHigh = ledger.incumbentHigh(trial.usage);
  } else {
    request.kind = RunRequest::Kind::verify;
  }

  // Equal binaries are measured once: noise must not choose between them.
  if (auto twin = ledger.findTrialByBinary(trial.artifactHash)) {
    const Trial &measured = ledger[*twin];
    trial.status = measured.status;
    trial.message = measured.message;
    trial.measurement = measured.measurement;
    trial.verifiedSeconds = measured.verifiedSeconds;
    if (auto hung = launchSeconds.find(*twin); hung != launchSeconds.end())
      request.launchSeconds = hung->second;
    if (!trial.ok() && trial.status != Status::pruned)
      session.log.failed(trial, session.opened, &request);
    return trial;
  }

  if (isPrunedByUsage(trial) || isPrunedByBound(trial))
    return trial; // a twin may be run yet

  RunResult result = ask(request);
  // An environmental failure says nothing about equal binaries.
  if (result.status != Status::lost && result.status != Status::contended)
    ledger.registerBinary(trial.artifactHash);
  trial.status = result.status;
  trial.message = result.message;
  trial.measurement = result.measurement;
  trial.verifiedSeconds = result.verifiedSeconds;
  trial.runSeconds = result.seconds;
  if (result.launchSeconds > 0)
    launchSeconds.emplace(ledger.all().size(), result.launchSeconds);
  if (!trial.ok() && trial.status != Status::pruned)
    session.reportFailure(trial, result, session.opened, request);
  bool hasDefault = !ledger.all().empty() && ledger.baseline().ok();
  if (trial.ok() && trial.measurement && hasDefault)
    if (auto excess =
            ledger.objective.findExcess(trial.measurement->ratioInterval.low)) {
      trial.status = Status::pruned;
      trial.message = *excess;
    }
  if (trial.ok() && !baseline && session.isTiming)
    baseline = artifact;
  return trial;
}

bool Evaluator::isPrunedByUsage(Trial &trial) const {
  const Trial *least = ledger.leastWithinLimit();
  if (!session.isTiming || ledger.objective.hasFront() || !least ||
      ledger.objective.getUsed(trial.usage) <=
          ledger.objective.getUsed(least->usage))
    return false;
  Resource resource = *session.opened.oracle.objective;
  auto describe = [&](const ResourceUsage &usage) {
    auto used = getUsed(usage, resource);
    return used ? describeAmount(resource, *used) : "unknown";
  };
  trial.status = Status::bounded;
  trial.message = "its " + std::string(toString(resource)) + " is " +
                  describe(trial.usage) + ", that of the best " +
                  describe(least->usage);
  return true;
}

bool Evaluator::isPrunedByBound(Trial &trial) const {
  const Trial *incumbent = ledger.incumbent();
  const std::optional<TimeBound> &bound = trial.usage.timeBound;
  if (!session.prunesByBounds() || ledger.objective.hasFront() || !incumbent ||
      !bound || !bound->isThroughputLimit() ||
      ledger.objective.getUsed(trial.usage) <
          ledger.objective.getUsed(incumbent->usage))
    return false;
  double best = incumbent->measurement->seconds.median;
  if (bound->seconds <= boundMargin * best)
    return false;
  trial.status = Status::bounded;
  trial.message = "its time bound, " + formatSeconds(bound->seconds) +
                  ", is over " + std::to_string(boundMargin).substr(0, 3) +
                  " times the best time, " + formatSeconds(best);
  return true;
}

RunResult Evaluator::ask(RunRequest &request) {
  request.waitSeconds = secondsToWait();
  RunResult result = runner->run(request);
  if (result.condition)
    condition = result.condition;
  deviceHeld = result.deviceHeld;
  times.verifying += result.verifySeconds;
  times.timing += result.seconds - result.verifySeconds;
  return result;
}

RunRequest Evaluator::makeTest(size_t trial, double seconds) const {
  RunRequest request;
  request.kind = RunRequest::Kind::compare;
  request.candidate = artifact(trial);
  request.baseline = *baseline;
  request.seconds = seconds;
  return request;
}

RunResult Evaluator::runWithRetry(RunRequest &request) {
  RunResult result = ask(request);
  bool isSettled =
      isLasting(result.status) || result.status == Status::contended;
  return isSettled || session.interrupted() ? result : ask(request);
}

Result<void> Evaluator::reopen(RunnerSession with) {
  with.waitSeconds = secondsToWait();
  double begin = clock.spent();
  auto opened = runner->open(with);
  times.verifying += clock.spent() - begin;
  return opened;
}

bool Evaluator::makeArtifact(size_t trial) {
  if (artifacts.contains(trial))
    return true;
  Compilation made = compileNow(ledger[trial].configuration);
  if (!isLasting(made.status) && !session.interrupted())
    made = compileNow(ledger[trial].configuration);
  if (made.artifact && made.artifact->hash() == ledger[trial].artifactHash) {
    artifacts.emplace(trial, std::move(*made.artifact));
    return true;
  }
  if (session.interrupted())
    return false;
  if (!isLasting(made.status))
    session.cutShort =
        std::max(session.cutShort, SessionContext::CutShort::search);
  RunResult result;
  result.status = Status::lost;
  result.message = made.artifact ? "the candidate compiles to another binary "
                                   "than before the interruption"
                                 : "the candidate compiled before the "
                                   "interruption, but does not now: " +
                                       made.message;
  dismiss(trial, result);
  return false;
}

uint32_t Evaluator::countThreads(size_t trial) const {
  uint32_t threads = 1;
  if (auto found = artifacts.find(trial); found != artifacts.end())
    for (const Launch &launch : found->second.plan.launches)
      threads = std::max(threads, launch.threads);
  return threads;
}

void Evaluator::measureAgain(size_t trial) {
  if (makeArtifact(trial)) {
    RunRequest request; // nothing prunes it: its own time is replaced
    request.candidate = artifact(trial);
    request.baseline = baseline ? *baseline : request.candidate;
    RunResult result = ask(request);
    if (result.status == Status::ok)
      ledger.remeasure(trial, *result.measurement);
    else
      dismiss(trial, result);
  }
  ledger.recomputeLeaders(); // it may have failed
}

void Evaluator::dismiss(size_t trial, const RunResult &result) {
  std::vector<size_t> equal = ledger.findEqual(trial);
  ledger.fail(trial, {result.status, result.message});
  if (isLasting(result.status))
    for (size_t failed : equal)
      session.log.amend(ledger[failed]);
  session.log.warn("the candidate " +
                   session.space.values(ledger[trial].configuration).dump() +
                   " failed when it was verified again, '" +
                   std::string(toString(result.status)) +
                   "': " + result.message);
}

void Evaluator::reportRecalled(const Trial &trial) {
  RunRequest request;
  if (baseline)
    request.baseline = *baseline;
  session.log.failed(trial, session.opened,
                     trial.artifactHash.empty() ? nullptr : &request);
}

Result<void> Evaluator::restoreBaseline() {
  size_t trial = ledger.all().size() - 1;
  if (baseline || !ledger[trial].ok())
    return {};
  if (!makeArtifact(trial) && !session.interrupted())
    return Error{
        "the baseline of the session is missing: " + ledger[trial].message +
        (session.cutShort == SessionContext::CutShort::nothing
             ? "; tune again without '--resume'"
             : "; try '--resume' again")};
  if (artifacts.contains(trial))
    baseline = artifacts.at(trial);
  return {};
}

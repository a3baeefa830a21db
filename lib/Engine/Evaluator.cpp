//===- Builds, verifies and times candidates ------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Evaluator.h"
#include "tonno/Cache/Records.h"
#include "tonno/Core/Duration.h"

#include <algorithm>

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

std::optional<size_t> Evaluator::bringForwardCompiled() {
  constexpr double secondsBetweenLooks = 0.005;
  if (!early.empty())
    return 0;
  double begin = clock.spent();
  std::optional<size_t> place;
  while (!place && !hasFinished())
    place = compiler.bringForward(secondsBetweenLooks);
  times.compiling += clock.spent() - begin;
  return place;
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
  auto trial = begin(configuration);
  while (!trial)
    trial = finish();
  return *std::move(trial);
}

Trial Evaluator::take(Candidate candidate) {
  latest.reset();
  if (candidate.trial.ok() && !candidate.request.candidate.binary.empty())
    latest = std::move(candidate.request.candidate);
  return std::move(candidate.trial);
}

bool Evaluator::hasFreeDevice() const {
  return devices ? devices->hasFree() : running.empty();
}

bool Evaluator::hasFinished() const {
  return devices && devices->hasFinished();
}

bool Evaluator::isEqualRunning(const std::string &artifactHash) const {
  return std::ranges::any_of(running, [&](const auto &each) {
    return !each.second.isTwin &&
           each.second.trial.artifactHash == artifactHash;
  });
}

void Evaluator::useDevices(RunnerPool &pool) {
  if (pool.size() < 2)
    return;
  if (!baseline || !ledger.baseline().ok()) {
    session.log.warn("the default configuration failed, so that the devices "
                     "cannot be compared; one of them takes all trials");
    return;
  }
  RunRequest ofDefault;
  ofDefault.candidate = ofDefault.baseline = *baseline;
  pool.enlist(ofDefault, secondsToWait());
  if (pool.size() > 1)
    devices = &pool;
}

std::optional<Trial> Evaluator::begin(const Configuration &configuration) {
  Candidate candidate = prepare(configuration, nextCompiled());
  candidate.isTwin = isEqualRunning(candidate.trial.artifactHash);
  if (candidate.isTwin)
    running.emplace(++lastTicket, std::move(candidate));
  else if (judgeWithoutRun(candidate))
    return take(std::move(candidate));
  else
    start(std::move(candidate));
  return std::nullopt;
}

void Evaluator::start(Candidate candidate) {
  candidate.isTwin = false;
  size_t ticket = ++lastTicket;
  if (devices) { // else `ask` starts it
    candidate.request.waitSeconds = secondsToWait();
    devices->start(ticket, candidate.request);
  }
  running.emplace(ticket, std::move(candidate));
}

/// Judges the twins of what has ended. Returns the first that need not run; if
/// the other was lost, one of them runs.
std::optional<Trial> Evaluator::judgeTwins() {
  for (auto next = running.begin(); next != running.end();) {
    auto twin = next++;
    if (!twin->second.isTwin || isEqualRunning(twin->second.trial.artifactHash))
      continue;
    bool isJudged = judgeWithoutRun(twin->second);
    if (!isJudged && !hasFreeDevice())
      continue;
    Candidate candidate = std::move(twin->second);
    running.erase(twin);
    if (isJudged)
      return take(std::move(candidate));
    start(std::move(candidate));
  }
  return std::nullopt;
}

std::optional<Trial> Evaluator::finish() {
  if (auto twin = judgeTwins())
    return twin;
  auto ended = running.begin();
  RunResult result;
  if (devices) {
    auto finished = devices->finish();
    if (!finished)
      return std::nullopt;
    ended = running.find(finished->ticket);
    ended->second.trial.device = std::move(finished->device);
    result = std::move(finished->result);
    account(result, 1.0 / static_cast<double>(devices->size()));
  } else {
    result = ask(ended->second.request);
  }
  Candidate candidate = std::move(ended->second);
  running.erase(ended);
  judge(candidate, result);
  return take(std::move(candidate));
}

void Evaluator::keepArtifact() {
  if (latest && session.isTiming)
    artifacts.emplace(ledger.all().size() - 1, std::move(*latest));
  latest.reset();
}

Evaluator::Candidate Evaluator::prepare(const Configuration &configuration,
                                        Compilation compilation) {
  Candidate candidate;
  candidate.trial = makeCompiledTrial(configuration, compilation);
  if (session.timeBounds == TimeBounds::off)
    candidate.trial.usage.timeBound.reset();
  if (!compilation.artifact)
    return candidate;
  RunRequest &request = candidate.request;
  request.candidate = std::move(*compilation.artifact);
  if (session.isTiming) {
    request.baseline = baseline ? *baseline : request.candidate;
    request.incumbentHigh = ledger.incumbentHigh(candidate.trial.usage);
  } else {
    request.kind = RunRequest::Kind::verify;
  }
  return candidate;
}

bool Evaluator::judgeWithoutRun(Candidate &candidate) {
  Trial &trial = candidate.trial;
  if (!trial.ok()) {
    if (trial.status != Status::lost || !session.interrupted())
      session.log.failed(trial, session.opened, /*request=*/nullptr);
    return true;
  }
  if (auto excess = findExcess(trial.usage, session.opened.oracle.limits)) {
    trial.status = Status::over_limit;
    trial.message = *excess;
    return true;
  }
  if (!runner)
    return true;

  // Equal binaries are measured once: noise must not choose between them.
  if (auto twin = ledger.findTrialByBinary(trial.artifactHash)) {
    const Trial &measured = ledger[*twin];
    trial.status = measured.status;
    trial.message = measured.message;
    trial.measurement = measured.measurement;
    trial.verifiedSeconds = measured.verifiedSeconds;
    if (auto hung = launchSeconds.find(*twin); hung != launchSeconds.end())
      candidate.request.launchSeconds = hung->second;
    if (!trial.ok() && trial.status != Status::pruned)
      session.log.failed(trial, session.opened, &candidate.request);
    return true;
  }
  return isPrunedByUsage(trial) ||
         isPrunedByBound(trial); // a twin may be run yet
}

/// Sets the trial's status by what came of its run.
void Evaluator::judge(Candidate &candidate, const RunResult &result) {
  Trial &trial = candidate.trial;
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
    session.reportFailure(trial, result, session.opened, candidate.request);
  bool hasDefault = !ledger.all().empty() && ledger.baseline().ok();
  if (trial.ok() && trial.measurement && hasDefault)
    if (auto excess =
            ledger.objective.findExcess(trial.measurement->ratioInterval.low)) {
      trial.status = Status::pruned;
      trial.message = *excess;
    }
  if (trial.ok() && !baseline && session.isTiming)
    baseline = candidate.request.candidate;
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
  account(result, 1);
  return result;
}

void Evaluator::account(const RunResult &result, double share) {
  if (result.condition)
    condition = result.condition;
  deviceHeld = result.deviceHeld;
  times.verifying += share * result.verifySeconds;
  times.timing += share * (result.seconds - result.verifySeconds);
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
    return Error{"the default is not the one that the session measured: " +
                 ledger[trial].message +
                 (session.cutShort == SessionContext::CutShort::nothing
                      ? "; begin another session or journal"
                      : "; continue the session once more")};
  if (artifacts.contains(trial))
    baseline = artifacts.at(trial);
  return {};
}

//===- The loop -----------------------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Session/TuningSession.h"
#include "tonno/Cache/Records.h"

#include <algorithm>
#include <chrono>
#include <numeric>

using namespace tonno;

/// Share of the budget's seconds that the search may take; the rest is for the
/// finals and the test.
static constexpr double searchShare = 0.8;
/// What the second verification and that of the test take, in trials.
static constexpr double testTrials = 2;
/// So many, and it is not the candidates.
static constexpr size_t maxContendedInARow = 3;

TuningSession::TuningSession(const SearchSpace &space, Compiler &compiler,
                             Runner &runner, SearchStrategy &strategy,
                             TrialLog &log, RunnerSession opened, Budget budget,
                             size_t compileAhead,
                             std::function<bool()> interrupted,
                             std::function<double()> clock)
    : space(space), compiler(compiler), runner(runner), strategy(strategy),
      log(log), opened(std::move(opened)), budget(budget),
      compileAhead(compileAhead), interrupted(std::move(interrupted)),
      clock(std::move(clock)), start(this->clock()) {}

size_t tonno::pendingFor(unsigned jobs) {
  constexpr size_t forFew = 4;
  return jobs <= forFew ? forFew : jobs + 1;
}

double tonno::steadySeconds() {
  auto now = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration<double>(now).count();
}

Result<SessionOutcome> TuningSession::run() {
  openSeconds = secondsSpent();
  if (auto measured = measureBaseline(); !measured)
    return measured.error();
  while (!budgetSpent() && !interrupted()) {
    submitAhead();
    if (pending.empty())
      break; // the strategy has nothing left, or the budget
    if (auto taken = takeNext(); !taken)
      return taken.error();
    if (lostInARow >= maxLostInARow && !interrupted()) {
      log.warn("the search ends early, since " + std::to_string(lostInARow) +
               " candidates in a row were lost, the last because " +
               trials.back().message);
      cutShort = CutShort::session;
      break;
    }
    if (contendedInARow >= maxContendedInARow) {
      log.warn("the search ends early, since others use the device: " +
               trials.back().message);
      cutShort = CutShort::search;
      break;
    }
  }
  searchEnd = whyEnded();
  return decide();
}

Result<void> TuningSession::measureBaseline() {
  Configuration configuration = space.defaultConfiguration();
  if (auto past = log.replay(configuration)) {
    defaultFailed = !past->ok();
    return takePast(std::move(*past));
  }
  // What failed for a reason outside of it gets a second chance: everything
  // else hangs on the baseline.
  for (bool isLast : {false, true}) {
    compiler.submit(space.values(configuration));
    Compilation compilation = compiler.next();
    Trial trial = judge(configuration, compilation);
    if (!trial.ok() && !isLasting(trial.status) && !isLast && !interrupted() &&
        !isOverdrawn()) {
      trialByArtifact.clear();
      continue;
    }
    conclude(std::move(trial), std::move(compilation));
    break;
  }
  const Trial &trial = trials.front();
  defaultFailed = !trial.ok();
  if (trial.status == Status::lost && !interrupted())
    return Error{"the default configuration was lost twice: " + trial.message};
  if (trial.status == Status::contended && !interrupted())
    return Error{"the default configuration can't be timed: " + trial.message +
                 (deviceHeld ? "; increase --budget-seconds to wait for longer"
                             : "; stop what runs beside it, or give "
                               "--when-busy=measure")};
  return {};
}

double TuningSession::secondsSpent() const {
  return secondsBefore + clock() - start;
}

/// A fresh process, which runs the reference again, verifies the winner last.
double TuningSession::secondsForTest() const {
  return std::max(0.0,
                  budget.seconds - secondsSpent() - openSeconds - longestRun);
}

bool TuningSession::budgetSpent() const {
  // Opening the runner again is no part of what search and test share.
  double shared = budget.seconds - openSeconds;
  double forEnd = testTrials * longestRun + leastSecondsOfTest();
  return trials.size() >= budget.trials ||
         (!isReplaying() &&
          secondsSpent() >=
              std::min(openSeconds + searchShare * (shared - openSeconds),
                       shared - forEnd));
}

/// There was time for what is replayed. If the search has left that path, it
/// may not come to what the log has left.
bool TuningSession::isReplaying() const {
  auto isPast = [](const Pending &next) { return next.past.has_value(); };
  return (!isLive && log.hasPast()) || std::ranges::any_of(pending, isPast);
}

std::optional<Configuration> TuningSession::propose(std::string &reason) {
  double begin = clock();
  std::vector<Configuration> proposed = strategy.propose(1);
  if (!proposed.empty())
    reason = strategy.explain(proposed.front());
  proposingSeconds += clock() - begin;
  if (proposed.empty())
    return std::nullopt;
  return std::move(proposed.front());
}

void TuningSession::submitAhead() {
  while (pending.size() < compileAhead &&
         trials.size() + pending.size() < budget.trials) {
    std::string reason;
    std::optional<Configuration> proposed = propose(reason);
    if (!proposed)
      return;
    Configuration &configuration = *proposed;
    auto past = log.replay(configuration);
    if (past && past->isRecalled) {
      (void)takePast(std::move(*past)).ok(); // a failure needs no binary
      continue;
    }
    if (auto known = past ? std::nullopt : log.recall(configuration)) {
      known->isRecalled = true;
      known->reason = std::move(reason);
      known->sessionSeconds = secondsSpent();
      tellRecalled(*known);
      record(std::move(*known));
      continue;
    }
    if (!past)
      compiler.submit(space.values(configuration));
    pending.push_back(
        {std::move(configuration), std::move(past), std::move(reason)});
  }
}

Result<void> TuningSession::takeNext() {
  Pending next = std::move(pending.front());
  pending.pop_front();
  if (next.past)
    return takePast(std::move(*next.past));
  Compilation compilation = nextCompiled();
  Trial trial = judge(next.configuration, compilation);
  trial.reason = std::move(next.reason);
  conclude(std::move(trial), std::move(compilation));
  return {};
}

void TuningSession::conclude(Trial trial, Compilation compilation) {
  bool ok = trial.ok();
  isLive = true;
  trial.sessionSeconds = secondsSpent();
  record(std::move(trial));
  if (ok)
    artifacts.emplace(trials.size() - 1, std::move(*compilation.artifact));
}

Trial TuningSession::judge(const Configuration &configuration,
                           Compilation &compilation) {
  Trial trial = trialOf(configuration, compilation);
  if (!trial.ok()) {
    if (trial.status != Status::lost || !interrupted())
      log.failed(trial, opened, /*request=*/nullptr);
    return trial;
  }
  const Artifact &artifact = *compilation.artifact;

  RunRequest request;
  request.candidate = artifact;
  request.baseline = baseline ? *baseline : artifact;
  request.incumbentHigh = incumbentHigh;

  // Equal binaries are measured once: noise must not choose between them.
  if (auto twin = trialByArtifact.find(trial.artifactHash);
      twin != trialByArtifact.end()) {
    const Trial &measured = trials[twin->second];
    trial.status = measured.status;
    trial.message = measured.message;
    trial.measurement = measured.measurement;
    if (auto hung = launchSeconds.find(twin->second);
        hung != launchSeconds.end())
      request.launchSeconds = hung->second;
    if (!trial.ok() && trial.status != Status::pruned)
      log.failed(trial, opened, &request);
    return trial;
  }

  RunResult result = ask(request);
  // What came from outside of the candidate says nothing of its twins.
  if (result.status != Status::lost && result.status != Status::contended)
    trialByArtifact.emplace(trial.artifactHash, trials.size());
  trial.status = result.status;
  trial.message = result.message;
  trial.measurement = result.measurement;
  trial.runSeconds = result.seconds;
  if (result.launchSeconds > 0)
    launchSeconds.emplace(trials.size(), result.launchSeconds);
  if (!trial.ok() && trial.status != Status::pruned)
    tellFailure(trial, result, opened, request);
  if (trial.ok() && !baseline)
    baseline = artifact;
  return trial;
}

RunResult TuningSession::ask(RunRequest &request) {
  request.waitSeconds = secondsToWait();
  RunResult result = runner.run(request);
  if (result.condition)
    condition = result.condition;
  deviceHeld = result.deviceHeld;
  return result;
}

void TuningSession::considerIncumbent(size_t trial) {
  if (!trials[trial].ok())
    return;
  const Measurement &measured = *trials[trial].measurement;
  if (!incumbent || measured.ratio < trials[*incumbent].measurement->ratio)
    incumbent = trial;
  if (takesLead(measured, incumbentHigh, opened.protocol)) {
    leaders.push_back(trial);
    incumbentHigh = measured.ratioInterval.high;
  }
}

void TuningSession::record(Trial trial) {
  trials.push_back(std::move(trial));
  const Trial &recorded = trials.back();
  considerIncumbent(trials.size() - 1);
  if (recorded.ok())
    longestRun = std::max(longestRun, recorded.runSeconds);
  lostInARow = recorded.status == Status::lost ? lostInARow + 1 : 0;
  contendedInARow =
      recorded.status == Status::contended ? contendedInARow + 1 : 0;
  double begin = clock();
  strategy.observe(std::span(&recorded, 1));
  proposingSeconds += clock() - begin;
  // What Ctrl-C itself has ended tells nothing of the candidate.
  if (recorded.status != Status::lost || !interrupted())
    log.record(recorded, incumbent ? &trials[*incumbent] : nullptr);
}

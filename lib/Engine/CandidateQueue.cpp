//===- Proposes candidates and has them evaluated -------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "CandidateQueue.h"
#include "tonno/Engine/TuningSession.h"

using namespace tonno;

size_t tonno::pendingFor(unsigned jobs, size_t devices) {
  constexpr size_t forFew = 4, forDevice = 2;
  size_t ahead = jobs <= forFew ? forFew : jobs + 1;
  return ahead + forDevice * (devices - 1);
}

bool CandidateQueue::isReplaying() const {
  auto isPast = [](const Pending &next) { return next.past.has_value(); };
  return (!isLive && session.log.hasPast()) ||
         std::ranges::any_of(pending, isPast);
}

std::optional<Configuration> CandidateQueue::propose(std::string &reason) {
  double begin = clock.spent();
  std::vector<Configuration> proposed = strategy.propose(1);
  if (!proposed.empty())
    reason = strategy.explain(proposed.front());
  seconds += clock.spent() - begin;
  if (proposed.empty())
    return std::nullopt;
  return std::move(proposed.front());
}

void CandidateQueue::fill() {
  while (pending.size() < compileAhead &&
         ledger.spentTrials() + pending.size() < session.budget.trials) {
    std::string reason;
    std::optional<Configuration> proposed = propose(reason);
    if (!proposed)
      return;
    Configuration &configuration = *proposed;
    auto past = session.log.replay(configuration);
    if (past && past->isRecalled) {
      (void)replay(std::move(*past)).ok(); // a failure needs no binary
      continue;
    }
    if (auto known = past ? std::nullopt : session.log.recall(configuration)) {
      known->isRecalled = true;
      known->reason = std::move(reason);
      known->sessionSeconds = clock.spent();
      evaluator.reportRecalled(*known);
      record(std::move(*known));
      continue;
    }
    if (!past)
      evaluator.submit(configuration);
    pending.push_back(
        {std::move(configuration), std::move(past), std::move(reason)});
  }
}

/// Returns the candidate that ended first before the session was resumed; the
/// end if there is none. On one device, candidates end in the order of
/// proposal, so that one that has to run again keeps its place.
CandidateQueue::Pendings::iterator CandidateQueue::findReplayed() {
  auto first = pending.begin();
  auto isOfSeveral = [](const Pending &next) {
    return next.past && !next.past->device.empty();
  };
  if (!evaluator.usesSeveral() && std::ranges::none_of(pending, isOfSeveral))
    return first->past ? first : pending.end();
  for (auto next = first; next != pending.end(); ++next)
    if (next->past && (!first->past || next->past->place < first->past->place))
      first = next;
  return first->past ? first : pending.end();
}

/// Returns the candidate at this place among those that were submitted and have
/// not begun; the end if there is none.
CandidateQueue::Pendings::iterator CandidateQueue::findSubmitted(size_t place) {
  return std::ranges::find_if(pending, [&](const Pending &each) {
    return !each.isBegun && !each.past && place-- == 0;
  });
}

Result<void> CandidateQueue::takeNext() {
  if (auto next = findReplayed(); next != pending.end()) {
    Trial past = std::move(*next->past);
    pending.erase(next);
    return replay(std::move(past));
  }
  std::optional<Trial> trial;
  while (!trial) {
    auto next = findSubmitted(0);
    if (next == pending.end() || !evaluator.hasFreeDevice() ||
        evaluator.hasFinished()) {
      trial = evaluator.finish();
      continue;
    }
    // On one device, how long compilations take must not change the search.
    if (evaluator.usesSeveral()) {
      auto place = evaluator.bringForwardCompiled();
      if (!place)
        continue;
      next = findSubmitted(*place);
    }
    next->isBegun = true;
    trial = evaluator.begin(next->configuration);
  }
  concludePending(*std::move(trial));
  return {};
}

void CandidateQueue::finishBegun() {
  while (evaluator.isRunning())
    if (auto trial = evaluator.finish())
      concludePending(*std::move(trial));
}

void CandidateQueue::concludePending(Trial trial) {
  auto proposed =
      std::ranges::find(pending, trial.configuration, &Pending::configuration);
  trial.reason = std::move(proposed->reason);
  pending.erase(proposed);
  conclude(std::move(trial));
}

void CandidateQueue::conclude(Trial trial) {
  isLive = true;
  trial.sessionSeconds = clock.spent();
  record(std::move(trial));
  evaluator.keepArtifact();
}

Result<void> CandidateQueue::replay(Trial past) {
  isLive = false;
  clock.replay(past.sessionSeconds);
  if (!past.artifactHash.empty() && past.status != Status::bounded)
    ledger.registerBinary(past.artifactHash);
  record(std::move(past));
  ledger.markReplayed();
  if (auto failure =
          session.log.failedSince(ledger.all().back().configuration)) {
    ledger.failReplayed(*failure);
    session.log.amend(ledger.all().back());
  }
  Result<void> restored = evaluator.restoreBaseline();
  clock.restart();
  return restored;
}

void CandidateQueue::record(Trial trial) {
  session.checkTimeBound(trial);
  if (trial.status == Status::bounded && ledger.objective.isTime())
    trial.ratioBound = ledger.ratioOfBound(trial.usage.timeBound->seconds);
  const Trial &recorded = ledger.add(std::move(trial));
  if (recorded.ok())
    clock.addRun(recorded.runSeconds);
  double begin = clock.spent();
  Trial seen = ledger.objective.toScalar(recorded, ledger.baseline().usage);
  strategy.observe(std::span(&seen, 1));
  seconds += clock.spent() - begin;
  // A trial lost to Ctrl-C says nothing about the candidate.
  if (recorded.status != Status::lost || !session.interrupted())
    session.log.record(recorded, ledger.incumbent());
}

//===- Goes on where a session was cut short ------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Cache/Records.h"
#include "tonno/Session/TuningSession.h"

#include <algorithm>

using namespace tonno;

/// Nothing is run again, and no time goes by: whoever searches sees the same
/// trials in the same order as before, and so goes on as if nothing had
/// happened.
Result<void> TuningSession::takePast(Trial past) {
  isLive = false;
  secondsBefore = std::max(secondsBefore, past.sessionSeconds);
  if (!past.artifactHash.empty())
    trialByArtifact.emplace(past.artifactHash, trials.size());
  record(std::move(past));
  if (auto failure = log.failedSince(trials.back().configuration))
    failAgain(trials.back(), *failure);
  Result<void> restored = restoreBaseline();
  start = clock();
  return restored;
}

/// It was ok for whoever searches, but neither wins nor bounds others again.
void TuningSession::failAgain(Trial &trial, const Failure &failure) {
  trial.status = failure.status;
  trial.message = failure.message;
  log.amend(trial);
  incumbent.reset();
  leaders.clear();
  incumbentHigh = std::numeric_limits<double>::infinity();
  for (size_t i = 0; i < trials.size(); ++i)
    considerIncumbent(i);
}

Result<void> TuningSession::restoreBaseline() {
  if (baseline || !trials.back().ok())
    return {};
  size_t trial = trials.size() - 1;
  if (!makeArtifact(trial) && !interrupted())
    return Error{
        "what others are timed beside is not there: " + trials[trial].message +
        (cutShort == CutShort::nothing ? "; tune it anew, without --resume"
                                       : "; try --resume again")};
  if (artifacts.contains(trial))
    baseline = artifacts.at(trial);
  return {};
}

Compilation TuningSession::nextCompiled() {
  if (early.empty())
    return compiler.next();
  Compilation compilation = std::move(early.front());
  early.pop_front();
  return compilation;
}

/// Ahead of what was submitted before.
Compilation TuningSession::compileNow(const Configuration &configuration) {
  compiler.submit(space.values(configuration));
  size_t submitted = 0;
  for (const Pending &earlier : pending)
    submitted += !earlier.past;
  while (early.size() < submitted)
    early.push_back(compiler.next());
  return compiler.next();
}

/// Of a trial before the session was cut short there is no binary any more.
bool TuningSession::makeArtifact(size_t trial) {
  if (artifacts.contains(trial))
    return true;
  Compilation made = compileNow(trials[trial].configuration);
  if (!isLasting(made.status) && !interrupted())
    made = compileNow(trials[trial].configuration);
  if (made.artifact && made.artifact->hash() == trials[trial].artifactHash) {
    artifacts.emplace(trial, std::move(*made.artifact));
    return true;
  }
  if (interrupted())
    return false;
  if (!isLasting(made.status))
    cutShort = std::max(cutShort, CutShort::search);
  RunResult result;
  result.status = Status::lost;
  result.message =
      made.artifact
          ? "it compiles to another binary than before the session was cut "
            "short"
          : "it compiled before the session was cut short, and does not now: " +
                made.message;
  dismiss(trial, result);
  return false;
}

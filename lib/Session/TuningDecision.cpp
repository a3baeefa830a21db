//===- What a session answers ---------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Session/TuningSession.h"

#include <algorithm>
#include <map>

using namespace tonno;

SessionOutcome TuningSession::outcome(size_t trial,
                                      Comparison comparison) const {
  comparison.cacheState = opened.protocol.cacheState;
  return {trials[trial].configuration,
          trials[trial].artifactHash,
          comparison,
          trials,
          comparison.verdict != Verdict::interrupted &&
              cutShort == CutShort::nothing && !isDoubtful,
          condition,
          cutShort != CutShort::nothing,
          searchEnd,
          clock() - start,
          proposingSeconds};
}

/// Returns a trial's measurement as a comparison, where no test was made.
static Comparison fromTrial(const Trial &trial, Verdict verdict) {
  const Measurement &m = *trial.measurement;
  return {verdict,
          m.seconds,
          m.baselineSeconds,
          1 / m.ratio,
          {1 / m.ratioInterval.high, 1 / m.ratioInterval.low},
          0,
          m.overheadBound,
          m.contended};
}

/// The default against itself.
static Comparison noChange(const Trial &baseline, Verdict verdict) {
  const Distribution &seconds = baseline.measurement->seconds;
  return {verdict,
          seconds,
          seconds,
          1,
          {1, 1},
          0,
          baseline.measurement->overheadBound,
          baseline.measurement->contended};
}

SessionOutcome
TuningSession::interruptedOutcome(std::span<const size_t> ranking) const {
  // Those that have failed since are in it still.
  auto best = std::ranges::find_if(ranking, [&](size_t trial) {
    return trials[trial].ok() &&
           std::ranges::find(leaders, trial) != leaders.end();
  });
  if (best == ranking.end() || trials[*best].measurement->ratio >= 1)
    return outcome(0, noChange(trials[0], Verdict::interrupted));
  return outcome(*best, fromTrial(trials[*best], Verdict::interrupted));
}

Result<SessionOutcome> TuningSession::decide() {
  if (!incumbent)
    return everyCandidateFailed();
  if (defaultFailed) {
    Comparison comparison =
        fromTrial(trials[leaders.back()],
                  isStopped() ? Verdict::interrupted : Verdict::no_baseline);
    comparison.baselineSeconds = {};
    SessionOutcome found = outcome(leaders.back(), comparison);
    found.isConclusive &= isLasting(trials.front().status);
    return found;
  }
  // The best that also stands the test; one that fails now is no winner.
  std::vector<size_t> ranking = rankCandidates();
  if (ranking.empty() && trials.size() == 1 && budget.trials > 1 &&
      budgetSpent())
    log.warn("the budget's seconds were spent before a candidate was tried");
  if (auto played = playFinals(ranking); !played)
    return played.error();
  bool hasTested = false;
  for (size_t trial : ranking) {
    if (isStopped())
      return interruptedOutcome(ranking);
    if (hasTested && isOverdrawn()) {
      log.warn("the budget's seconds were spent before a candidate that stands "
               "the test was found; the default stays");
      isDoubtful = true;
      break;
    }
    if (!trials[trial].ok() || !makeArtifact(trial))
      continue;
    hasTested = true;
    RunResult result = test(trial);
    if (result.status == Status::ok) {
      if (size_t rounds = result.comparison->rounds;
          rounds < opened.protocol.minRounds) {
        log.warn("the test had time for " + std::to_string(rounds) +
                 " rounds, and fewer than " +
                 std::to_string(opened.protocol.minRounds) +
                 " show nothing, so the default stays; increase "
                 "--budget-seconds");
        isDoubtful = true;
        break;
      }
      bool faster = result.comparison->verdict == Verdict::faster;
      return outcome(faster ? trial : 0, *result.comparison);
    }
    if (interrupted())
      return interruptedOutcome(ranking);
    if (!isLasting(result.status))
      giveUp("the best candidate was not tested", result);
    // Failures from outside of the candidate leave it the best so far.
    if (result.status != Status::contended && result.status != Status::lost)
      dismiss(trial, result);
  }
  if (isStopped())
    return interruptedOutcome(ranking);
  return outcome(0, noChange(trials[0], Verdict::tie));
}

Error TuningSession::everyCandidateFailed() const {
  struct Row {
    size_t count = 0;
    std::string message;
  };
  std::map<Status, Row> rows;
  for (const Trial &trial : trials) {
    Row &row = rows[trial.status];
    Json values = space.values(trial.configuration);
    if (row.count++ == 0)
      row.message = (values.empty() ? "" : ", first " + values.dump()) + ": " +
                    trial.message;
  }
  std::string text =
      (interrupted() ? "interrupted before a candidate ran correctly, of "
                     : "no candidate ran correctly, of ") +
      std::to_string(trials.size()) + ":";
  for (const auto &[status, row] : rows)
    text += "\n  " + std::to_string(row.count) + " " +
            std::string(toString(status)) + row.message;
  return {text};
}

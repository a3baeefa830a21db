//===- State shared by the parts of a session -----------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "SessionParts.h"
#include "tonno/Cache/Records.h"
#include "tonno/Core/Duration.h"
#include "tonno/Timing/UnpairedFinals.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>

using namespace tonno;

void SessionContext::endEarly(const std::string &what,
                              const RunResult &result) {
  cutShort = CutShort::session;
  log.warn(what + ", '" + std::string(toString(result.status)) +
           "': " + result.message);
}

void SessionContext::reportFailure(Trial trial, const RunResult &result,
                                   const RunnerSession &session,
                                   const RunRequest &request) {
  if (result.status == Status::lost && interrupted())
    return;
  trial.status = result.status;
  trial.message = result.message;
  RunRequest limited = request;
  limited.launchSeconds = result.launchSeconds;
  log.failed(trial, session, &limited);
}

EnumNames tonno::getEnumNames(TimeBounds) {
  static constexpr std::string_view names[] = {"use", "record", "off"};
  return {"use of time bounds", names};
}

void SessionContext::checkTimeBound(const Trial &trial) {
  const std::optional<TimeBound> &bound = trial.usage.timeBound;
  if (areBoundsBroken || timeBounds == TimeBounds::off || !bound ||
      !bound->isThroughputLimit() || !trial.measurement ||
      trial.measurement->seconds.median >= bound->seconds)
    return;
  areBoundsBroken = true;
  log.warn("the time bound of " + space.values(trial.configuration).dump() +
           " is wrong: it took " +
           formatSeconds(trial.measurement->seconds.median, 4) +
           ", less than its bound of " + formatSeconds(bound->seconds, 4) +
           "; this is a defect of tonno, please report it; this session "
           "prunes no more candidates by time bounds");
}

/// Share of the budget's seconds that the search may take; the rest is for the
/// finals and the test.
static constexpr double searchShare = 0.8;
/// The time of the second verification and of the test's, in trials.
static constexpr double testTrials = 2;
/// The finals' share of the seconds left; the test has the remainder.
static constexpr double finalsShare = 0.5;

double BudgetClock::secondsForSearch(double leastOfTest) const {
  // Opening the runner again is no part of what search and test share.
  double shared = budget.seconds - openSeconds;
  double forEnd =
      (testTrials + trialsAtEnd) * longestRun + secondsAtEnd + leastOfTest;
  return std::min(openSeconds + searchShare * (shared - openSeconds),
                  shared - forEnd) -
         spent();
}

/// Returns the seconds for the test: then a fresh process, which runs the
/// reference again, must still verify the winner.
double BudgetClock::secondsForTest() const {
  return std::max(0.0, budget.seconds - spent() - openSeconds -
                           (1 + trialsAtEnd) * longestRun - secondsAtEnd);
}

double BudgetClock::secondsForFinals(double leastOfTest) const {
  double seconds = std::max(0.0, secondsForTest() - longestRun);
  return std::min(finalsShare * seconds, std::max(0.0, seconds - leastOfTest));
}

const Trial &TrialLedger::add(Trial trial) {
  trials.push_back(std::move(trial));
  updateLeader(trials.size() - 1);
  Status status = trials.back().status;
  if (status == Status::bounded) {
    ++numBounded;
    return trials.back(); // nothing was run
  }
  lostInARow = status == Status::lost ? lostInARow + 1 : 0;
  contendedInARow = status == Status::contended ? contendedInARow + 1 : 0;
  return trials.back();
}

void TrialLedger::updateLeader(size_t trial) {
  if (!trials[trial].ok() || !trials[trial].measurement)
    return;
  const Measurement &measured = *trials[trial].measurement;
  auto rank = [&](size_t each) {
    return std::pair(getUsed(each), trials[each].measurement->ratio);
  };
  if (!best || rank(trial) < rank(*best))
    best = trial;
  uint64_t used = getUsed(trial);
  bool isWithin =
      trial == 0 || measured.ratioInterval.high <= objective.mostRatio();
  if (isWithin && (!least || used < getUsed(*least)))
    least = trial;
  bool usesLess = leaders.empty() || used < getUsed(leaders.back());
  if (usesLess || (used == getUsed(leaders.back()) &&
                   becomesIncumbent(measured, leaderHigh, protocol))) {
    leaders.push_back(trial);
    leaderHigh = measured.ratioInterval.high;
  }
}

double TrialLedger::incumbentHigh(const ResourceUsage &usage) const {
  if (trials.empty()) // the default is above a limit below 1
    return std::numeric_limits<double>::infinity();
  double least = objective.mostRatio();
  if (objective.hasFront()) {
    for (const Trial &trial : trials)
      if (trial.ok() && trial.measurement &&
          objective.usesNoMore(trial.usage, usage))
        least = std::min(least, trial.measurement->ratioInterval.high);
    return least;
  }
  bool isEqual =
      !leaders.empty() && objective.getUsed(usage) == getUsed(leaders.back());
  return isEqual ? std::min(leaderHigh, least) : least;
}

std::optional<double> TrialLedger::ratioOfBound(double seconds) const {
  if (!best)
    return std::nullopt;
  const Measurement &measured = *trials[*best].measurement;
  return seconds / measured.seconds.median * measured.ratio;
}

void TrialLedger::fail(size_t trial, const Failure &failure) {
  for (size_t equal : findEqual(trial)) {
    trials[equal].status = failure.status;
    trials[equal].message = failure.message;
  }
}

void TrialLedger::failReplayed(const Failure &failure) {
  fail(trials.size() - 1, failure);
  recomputeLeaders();
}

void TrialLedger::remeasure(size_t trial, const Measurement &measurement) {
  for (size_t equal : findEqual(trial)) {
    trials[equal].measurement = measurement;
    replayed.erase(equal);
  }
}

void TrialLedger::recomputeLeaders() {
  best.reset();
  least.reset();
  leaders.clear();
  leaderHigh = std::numeric_limits<double>::infinity();
  for (size_t i = 0; i < trials.size(); ++i)
    updateLeader(i);
}

std::optional<size_t>
TrialLedger::findTrialByBinary(const std::string &artifactHash) const {
  auto twin = trialByArtifact.find(artifactHash);
  return twin == trialByArtifact.end() ? std::nullopt
                                       : std::optional(twin->second);
}

std::vector<size_t> TrialLedger::findEqual(size_t trial) const {
  std::vector<size_t> equal;
  const std::string &artifact = trials[trial].artifactHash;
  for (size_t i = 0; i < trials.size(); ++i)
    if (i == trial || (trials[i].ok() && trials[i].artifactHash == artifact))
      equal.push_back(i);
  return equal;
}

std::vector<size_t> TrialLedger::findDistinct() const {
  std::vector<size_t> distinct;
  std::unordered_set<std::string_view> artifacts;
  for (size_t i = 0; i < trials.size(); ++i)
    if (trials[i].ok() && artifacts.insert(trials[i].artifactHash).second)
      distinct.push_back(i);
  return distinct;
}

bool TrialLedger::hasLed(size_t trial) const {
  return std::ranges::find(leaders, trial) != leaders.end();
}

std::vector<size_t> TrialLedger::rank() const {
  std::vector<size_t> ranking = findDistinct();
  std::erase_if(ranking, [&](size_t trial) {
    return trials[trial].artifactHash == trials.front().artifactHash ||
           getUsed(trial) > getUsed(0);
  });
  auto ratio = [&](size_t trial) { return trials[trial].measurement->ratio; };
  std::ranges::sort(ranking, {}, [&](size_t trial) {
    return std::pair(getUsed(trial), ratio(trial));
  });
  auto isTied = [&](size_t trial) {
    return getUsed(trial) == getUsed(ranking.front()) &&
           std::log(ratio(trial) / ratio(ranking.front())) <= tiedLogarithm;
  };
  auto end = std::ranges::find_if_not(ranking, isTied);
  sortByResourceUsage(std::span(ranking.begin(), end));
  return ranking;
}

std::vector<size_t> TrialLedger::rankOtherBits() const {
  std::vector<size_t> ranking;
  std::unordered_set<std::string_view> artifacts;
  for (size_t i = 0; i < trials.size(); ++i)
    if (trials[i].status == Status::different_bits &&
        trials[i].verifiedSeconds &&
        artifacts.insert(trials[i].artifactHash).second)
      ranking.push_back(i);
  std::ranges::sort(ranking, {}, [&](size_t trial) {
    return std::pair(*trials[trial].verifiedSeconds, trial);
  });
  return ranking;
}

std::vector<size_t> TrialLedger::rankAll() const {
  std::vector<size_t> ranking = findDistinct();
  std::ranges::sort(ranking, {}, [&](size_t trial) {
    return std::pair(trials[trial].measurement->ratio, trial);
  });
  return ranking;
}

std::vector<size_t> TrialLedger::findOverlapping(size_t most) const {
  std::vector<size_t> distinct = findDistinct();
  std::vector<UnpairedRange> ranges;
  for (size_t trial : distinct) {
    const Measurement &measured = *trials[trial].measurement;
    ranges.push_back({measured.ratio, measured.ratioInterval});
  }
  std::vector<size_t> overlapping = tonno::findOverlapping(ranges, most);
  for (size_t &each : overlapping)
    each = distinct[each];
  return overlapping;
}

void TrialLedger::sortByResourceUsage(std::span<size_t> tied) const {
  for (size_t i = 1; i < tied.size(); ++i)
    for (size_t j = i; j > 0 && usesFewerResources(trials[tied[j]].usage,
                                                   trials[tied[j - 1]].usage);
         --j)
      std::swap(tied[j], tied[j - 1]);
}

Error TrialLedger::everyCandidateFailed(const SearchSpace &space,
                                        bool isInterrupted) const {
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
      (isInterrupted ? "interrupted before a candidate ran correctly, of "
                     : "no candidate ran correctly, of ") +
      std::to_string(trials.size()) + ":";
  for (const auto &[status, row] : rows)
    text += "\n  " + std::to_string(row.count) + " " +
            std::string(toString(status)) + row.message;
  return {text};
}

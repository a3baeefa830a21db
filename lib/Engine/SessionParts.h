//===- State shared by the parts of a session -----------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_LIB_ENGINE_SESSIONPARTS_H
#define TONNO_LIB_ENGINE_SESSIONPARTS_H

#include "ObjectiveOrder.h"

#include "tonno/Engine/Budget.h"
#include "tonno/Engine/TimeBounds.h"
#include "tonno/Engine/TrialLog.h"
#include "tonno/Space/SearchSpace.h"

#include <functional>
#include <unordered_set>

namespace tonno {

/// The inputs of a session, and the failures met so far.
struct SessionContext {
  const SearchSpace &space;
  TrialLog &log;
  RunnerSession opened; ///< what the runner was opened with
  Budget budget;
  std::function<bool()> interrupted;
  bool isTiming = true; ///< otherwise candidates are verified at most
  bool isTested = true; ///< otherwise the best trial is chosen
  /// The best trials that are run again where nothing is tested.
  size_t numRepeated = 0;
  /// The trials with overlapping intervals that play finals where nothing is
  /// tested, at most.
  size_t numOverlapping = 0;
  TimeBounds timeBounds = TimeBounds::use;
  bool areBoundsBroken = false; ///< a trial took less time than its bound

  /// The part of the session that an environmental failure has ended. Finals
  /// and test still follow a search that was ended.
  enum class CutShort { nothing, search, session };
  CutShort cutShort = CutShort::nothing;
  bool isDoubtful = false; ///< whatever is decided, it is no fact to keep

  bool prunesByBounds() const {
    return isTiming && timeBounds == TimeBounds::use && !areBoundsBroken;
  }
  /// Warns if the trial took less time than its bound, and prunes no more by
  /// bounds: they are wrong.
  void checkTimeBound(const Trial &trial);

  bool isStopped() const {
    return interrupted() || cutShort == CutShort::session;
  }
  /// Ends the session with the best so far, which is no answer to keep.
  void endEarly(const std::string &what, const RunResult &result);
  /// Logs the failure so that it can be reproduced, unless the user interrupted
  /// the run.
  void reportFailure(Trial trial, const RunResult &result,
                     const RunnerSession &session, const RunRequest &request);
};

/// Tracks the seconds spent of a budget, and those reserved for finals and
/// test.
class BudgetClock {
public:
  BudgetClock(Budget budget, std::function<double()> now)
      : budget(budget), now(std::move(now)), start(this->now()) {}

  /// Returns the seconds of the session, including those of replayed trials.
  double spent() const { return before + elapsed(); }
  /// Returns the seconds since the session began or the last trial was
  /// replayed.
  double elapsed() const { return now() - start; }
  bool isOverdrawn() const { return spent() >= budget.seconds; }
  double secondsLeft() const { return std::max(0.0, budget.seconds - spent()); }

  /// Records the time to open the runner, which is needed again to reopen it.
  void markOpened() { openSeconds = spent(); }
  /// Replays a trial that had ended at this second of its session.
  void replay(double second) { before = std::max(before, second); }
  /// Restarts the clock, since replayed trials took no time.
  void restart() { start = now(); }
  double openingSeconds() const { return openSeconds; }
  /// Keeps the time of this many trials, and these seconds, for the end of the
  /// session.
  void reserve(double trials, double seconds) {
    trialsAtEnd = trials;
    secondsAtEnd = seconds;
  }
  /// Records the duration of an ok trial.
  void addRun(double seconds) { longestRun = std::max(longestRun, seconds); }

  /// Returns true if the remaining time is needed for the finals and a test
  /// that takes at least `leastOfTest` seconds.
  bool isSearchOver(double leastOfTest) const {
    return secondsForSearch(leastOfTest) <= 0;
  }
  /// Returns the seconds until the search is over; infinite without a limit.
  double secondsForSearch(double leastOfTest) const;
  double secondsForTest() const;
  double secondsForFinals(double leastOfTest) const;

private:
  Budget budget;
  std::function<double()> now;
  double start;           ///< of what was not replayed
  double before = 0;      ///< until the last trial that was replayed
  double openSeconds = 0; ///< that opening the runner took
  double longestRun = 0;  ///< seconds, of the trials that were ok
  double trialsAtEnd = 0; ///< for which time is kept
  double secondsAtEnd = 0;
};

/// The trials of a session, and which lead.
class TrialLedger {
public:
  /// Refers to the session.
  explicit TrialLedger(const RunnerSession &session)
      : objective(session.oracle), protocol(session.protocol) {}

  const ObjectiveOrder objective;

  const std::vector<Trial> &all() const { return trials; }
  const Trial &operator[](size_t trial) const { return trials[trial]; }
  const Trial &baseline() const { return trials.front(); }

  const Trial &add(Trial trial);
  /// Marks an ok trial as failed, and those with an equal binary. They keep
  /// their places among the former leaders.
  void fail(size_t trial, const Failure &failure);
  /// Marks the last trial, which was replayed as ok, as failed since: it can
  /// neither win nor lead again.
  void failReplayed(const Failure &failure);

  /// Marks the trial added last as one from before the session was resumed.
  void markReplayed() { replayed.insert(trials.size() - 1); }
  bool isReplayed(size_t trial) const { return replayed.contains(trial); }
  /// Replaces the measurement of a replayed trial that was run again and is ok,
  /// and of all trials with an equal binary.
  void remeasure(size_t trial, const Measurement &measurement);
  /// Finds the incumbent and the leaders again, after trials have changed.
  void recomputeLeaders();

  /// Returns the number of trials spent of the budget. Trials skipped for their
  /// time bounds count a quarter each.
  uint64_t spentTrials() const {
    return trials.size() - numBounded + numBounded / boundedPerTrial;
  }
  /// Returns the least ratio that a time bound admits; none before the first ok
  /// trial.
  std::optional<double> ratioOfBound(double seconds) const;

  /// Returns the trial with an equal binary.
  std::optional<size_t>
  findTrialByBinary(const std::string &artifactHash) const;
  /// Makes the trial added next answer for all with this binary.
  void registerBinary(const std::string &artifactHash) {
    trialByArtifact.emplace(artifactHash, trials.size());
  }
  void clearBinaries() { trialByArtifact.clear(); }
  /// Returns the trial, and the ok ones with an equal binary.
  std::vector<size_t> findEqual(size_t trial) const;

  /// Returns the best ok trial; null before the first.
  const Trial *incumbent() const { return best ? &trials[*best] : nullptr; }
  std::optional<size_t> bestTrial() const { return best; }
  /// Returns how much of the objective's resource the trial uses.
  uint64_t getUsed(size_t trial) const {
    return objective.getUsed(trials[trial].usage);
  }
  /// Returns the trial that uses the least of those that are within the limit
  /// on time for all that their measurement shows, and of the default: who uses
  /// more cannot win. Null before the first.
  const Trial *leastWithinLimit() const {
    return least ? &trials[*least] : nullptr;
  }
  /// Returns the upper end of the last leader's ratio interval, or the limit on
  /// time for a candidate that uses less than the leader. With a front, the
  /// least upper end of those that use no more than the candidate.
  double incumbentHigh(const ResourceUsage &usage) const;
  double incumbentHigh() const { return leaderHigh; }
  bool hasLed(size_t trial) const;
  /// Returns the last trial that took the lead; there must be one.
  size_t lastLeader() const { return leaders.back(); }

  /// Returns the ok trials whose binary is not the baseline's and that use no
  /// more than the baseline, the first of each binary, the best first; ties are
  /// ordered by resource usage.
  std::vector<size_t> rank() const;
  /// Returns the ok trials, the baseline's among them, the first one of each
  /// binary, the best first.
  std::vector<size_t> rankAll() const;
  /// Returns the trials that were right but gave other bits than the default,
  /// the first one of each binary, by the time of their verified launches.
  std::vector<size_t> rankOtherBits() const;
  /// Returns the best trial, then those whose intervals overlap with its own:
  /// at most `most`, one of each binary.
  std::vector<size_t> findOverlapping(size_t most) const;
  /// Moves what needs less resources to the front; keeps the order otherwise.
  void sortByResourceUsage(std::span<size_t> tied) const;
  /// Describes what became of the candidates, if none ran correctly.
  Error everyCandidateFailed(const SearchSpace &space,
                             bool isInterrupted) const;

  size_t lostInARow = 0, contendedInARow = 0;

private:
  void updateLeader(size_t trial);
  /// Returns the ok trials, the first one of each binary.
  std::vector<size_t> findDistinct() const;

  static constexpr uint64_t boundedPerTrial = 4;

  const ProtocolOptions &protocol;
  std::vector<Trial> trials;
  uint64_t numBounded = 0;
  std::optional<size_t> best, least;
  /// The ok trials that took the lead: those that may be chosen without a test.
  std::vector<size_t> leaders;
  std::unordered_set<size_t> replayed;
  double leaderHigh = std::numeric_limits<double>::infinity();
  std::unordered_map<std::string, size_t> trialByArtifact;
};

/// Ties: candidates whose log times differ by at most this are ordered by their
/// resource usage.
inline constexpr double tiedLogarithm = 0.001;

} // namespace tonno

#endif // TONNO_LIB_ENGINE_SESSIONPARTS_H

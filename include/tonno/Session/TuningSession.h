//===- The loop -----------------------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_SESSION_TUNINGSESSION_H
#define TONNO_SESSION_TUNINGSESSION_H

#include "tonno/Core/SearchSpace.h"
#include "tonno/Core/Trial.h"
#include "tonno/Runtime/Runner.h"
#include "tonno/Search/SearchStrategy.h"
#include "tonno/Session/Compiler.h"
#include "tonno/Session/SearchEnd.h"

#include <algorithm>
#include <deque>
#include <functional>
#include <unordered_map>

namespace tonno {

/// When to stop.
struct Budget {
  uint64_t trials = 60; ///< the baseline's among them
  /// Kept to within one trial. A fifth, or what the end is expected to take if
  /// that is more, is kept for finals and test.
  double seconds = 120;

  /// How long to wait for a device that another process has, after so many
  /// seconds: as the budget says, but for a moment in any case.
  double secondsToWait(double spent) const {
    return std::max(moment, seconds - spent);
  }

  /// How long the reference may run: a moment in any case.
  double secondsToOpen() const { return std::max(moment, seconds); }

private:
  static constexpr double moment = 2;
};

/// How many candidates are proposed before the oldest of them has ended: enough
/// to keep so many compilers busy, and, so that a session proposes the same
/// whatever the number of jobs, the same for up to four of them.
size_t pendingFor(unsigned jobs);

/// Lost trials in a row that abort a search or a survey: the runner is at
/// fault, not the candidates.
inline constexpr size_t maxLostInARow = 3;

/// Seconds from any moment on, by a clock that nobody sets.
double steadySeconds();

/// Keeps trials, and recalls those that would end in the same failure again.
class TrialLog {
public:
  virtual ~TrialLog() = default;
  /// Of this session: it takes what was done for done, in the same order.
  virtual std::optional<Trial> replay(const Configuration &) { return {}; }
  /// Whether some of that was not replayed yet.
  virtual bool hasPast() const { return false; }
  /// Why one that is replayed as ok has failed since, if it has.
  virtual std::optional<Failure> failedSince(const Configuration &) const {
    return {};
  }
  virtual std::optional<Trial> recall(const Configuration &) { return {}; }
  /// `incumbent` is the best ok trial so far, null before the first.
  virtual void record(const Trial &trial, const Trial *incumbent) {}
  /// One that was recorded as ok has failed since.
  virtual void amend(const Trial &trial) {}
  /// One was not ok, nor pruned. It was run as `request` says, by a runner of
  /// this session, or else it did not compile. One that was recalled has no
  /// binary in its request.
  virtual void failed(const Trial &trial, const RunnerSession &session,
                      const RunRequest *request) {}
  virtual void warn(const std::string &message) {}
};

/// Leaves all to another log, but what a subclass does.
class ForwardingLog : public TrialLog {
public:
  explicit ForwardingLog(TrialLog &inner) : inner(inner) {}
  std::optional<Trial> replay(const Configuration &configuration) override {
    return inner.replay(configuration);
  }
  bool hasPast() const override { return inner.hasPast(); }
  std::optional<Failure>
  failedSince(const Configuration &configuration) const override {
    return inner.failedSince(configuration);
  }
  std::optional<Trial> recall(const Configuration &configuration) override {
    return inner.recall(configuration);
  }
  void record(const Trial &trial, const Trial *incumbent) override {
    inner.record(trial, incumbent);
  }
  void amend(const Trial &trial) override { inner.amend(trial); }
  void failed(const Trial &trial, const RunnerSession &session,
              const RunRequest *request) override {
    inner.failed(trial, session, request);
  }
  void warn(const std::string &message) override { inner.warn(message); }

private:
  TrialLog &inner;
};

/// What a session found.
struct SessionOutcome {
  Configuration chosen;
  std::string artifactHash;
  Comparison comparison;
  std::vector<Trial> trials; ///< in the order they ended, the baseline's first
  /// Whether the answer would be the same again: not if the baseline or the
  /// final test was lost to something outside, or the session interrupted.
  bool isConclusive = true;
  std::optional<DeviceCondition> condition = {}; ///< after the last times
  /// By something outside of the kernel, not the user: what is left may be done
  /// another time.
  bool isCutShort = false;
  SearchEnd searchEnd = SearchEnd::budget;
  double seconds = 0;          ///< of this session, without what was resumed
  double proposingSeconds = 0; ///< of these, that the strategy took
};

/// Tunes one kernel whose compiler and runner are open: baseline, search,
/// finals, test, second verification, verdict. Ends early, with verdict
/// `interrupted`, when `interrupted` says so.
class TuningSession {
public:
  TuningSession(const SearchSpace &space, Compiler &compiler, Runner &runner,
                SearchStrategy &strategy, TrialLog &log, RunnerSession opened,
                Budget budget, size_t compileAhead,
                std::function<bool()> interrupted,
                std::function<double()> clock = steadySeconds);

  /// Fails if no candidate ran correctly: the Error tells why, by status.
  Result<SessionOutcome> run();

private:
  Result<void> measureBaseline();
  double secondsSpent() const;
  double secondsForTest() const;
  double secondsForFinals() const;
  double leastSecondsOfTest() const;
  bool budgetSpent() const;
  bool isReplaying() const;
  bool isOverdrawn() const { return secondsSpent() >= budget.seconds; }
  std::optional<Configuration> propose(std::string &reason);
  void submitAhead();
  Result<void> takeNext();
  Result<void> takePast(Trial past);
  Result<void> restoreBaseline();
  void failAgain(Trial &trial, const Failure &failure);
  Compilation nextCompiled();
  Compilation compileNow(const Configuration &configuration);
  bool makeArtifact(size_t trial);
  void conclude(Trial trial, Compilation compilation);
  double secondsToWait() const;
  RunResult ask(RunRequest &request);
  RunResult askTwice(RunRequest &request);
  void giveUp(const std::string &what, const RunResult &result);
  bool isStopped() const {
    return interrupted() || cutShort == CutShort::session;
  }
  Trial judge(const Configuration &configuration, Compilation &compilation);
  void record(Trial trial);
  void considerIncumbent(size_t trial);
  SearchEnd whyEnded() const;
  Result<SessionOutcome> decide();
  SessionOutcome outcome(size_t trial, Comparison comparison) const;
  SessionOutcome interruptedOutcome(std::span<const size_t> ranking) const;
  std::vector<size_t> rankCandidates() const;
  void preferThriftiest(std::span<size_t> tied) const;
  std::vector<size_t> mayBeBest(std::span<const size_t> ranking);
  Result<void> playFinals(std::vector<size_t> &ranking);
  RunResult askFinals(std::span<const size_t> finalists);
  void leaveFinals(size_t trial, RunResult result);
  RunResult test(size_t trial);
  RunResult confirm(size_t trial);
  void doubtDefault();
  void dismiss(size_t trial, const RunResult &result);
  void tellRecalled(const Trial &trial);
  void tellFailure(Trial trial, const RunResult &result,
                   const RunnerSession &session, const RunRequest &request);
  Error everyCandidateFailed() const;

  const SearchSpace &space;
  Compiler &compiler;
  Runner &runner;
  SearchStrategy &strategy;
  TrialLog &log;
  RunnerSession opened; ///< what the runner was opened with
  Budget budget;
  size_t compileAhead; ///< see pendingFor
  std::function<bool()> interrupted;
  std::function<double()> clock;
  double start;           ///< of what was not replayed
  double openSeconds = 0; ///< that opening the runner took
  double proposingSeconds = 0;
  double longestRun = 0; ///< seconds, of the trials that were ok

  /// What was proposed and is not concluded yet.
  struct Pending {
    Configuration configuration;
    std::optional<Trial> past; ///< or else it was submitted
    std::string reason;
  };
  std::deque<Pending> pending;
  std::deque<Compilation> early; ///< the first of those submitted
  double secondsBefore = 0;      ///< until the last that was replayed
  bool isLive = false;           ///< the last was not replayed
  std::vector<Trial> trials;
  std::optional<size_t> incumbent; ///< index of the best ok trial
  /// The ok trials that took the lead: those that may be chosen without a test.
  std::vector<size_t> leaders;
  /// Upper end of the last leader's ratio interval.
  double incumbentHigh = std::numeric_limits<double>::infinity();
  std::optional<DeviceCondition> condition; ///< after the latest times
  size_t lostInARow = 0, contendedInARow = 0;
  bool deviceHeld = false; ///< see the latest RunResult
  /// The default, or the first that ran if that fails; what others are timed
  /// beside.
  std::optional<Artifact> baseline;
  bool defaultFailed = false;
  /// What something outside of the kernel has ended. Without the search there
  /// are still finals and a test.
  enum class CutShort { nothing, search, session };
  CutShort cutShort = CutShort::nothing;
  SearchEnd searchEnd = SearchEnd::budget;
  bool isDoubtful = false; ///< whatever is decided, it is no fact to keep
  std::unordered_map<std::string, size_t> trialByArtifact;
  std::unordered_map<size_t, double> launchSeconds; ///< limits of those hung
  std::unordered_map<size_t, Artifact> artifacts;   ///< of ok trials
};

} // namespace tonno

#endif // TONNO_SESSION_TUNINGSESSION_H

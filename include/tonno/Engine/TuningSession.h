//===- The tuning loop ----------------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_ENGINE_TUNINGSESSION_H
#define TONNO_ENGINE_TUNINGSESSION_H

#include "tonno/Cache/Records.h"
#include "tonno/Engine/Budget.h"
#include "tonno/Engine/Compiler.h"
#include "tonno/Engine/RunnerPool.h"
#include "tonno/Engine/TimeBounds.h"
#include "tonno/Engine/TrialLog.h"
#include "tonno/Search/SearchStrategy.h"
#include "tonno/Space/SearchSpace.h"

#include <functional>
#include <map>
#include <memory>

namespace tonno {

/// Returns how many candidates are proposed before the oldest of them has
/// ended: enough to keep this many compilers and devices busy, and the same for
/// up to four compilers, so that a session proposes the same whatever the
/// number of jobs.
size_t pendingFor(unsigned jobs, size_t devices = 1);

/// The outcome of a session.
struct SessionOutcome {
  Configuration chosen;
  std::string artifactHash;
  Comparison comparison;
  std::vector<Trial> trials; ///< in the order they ended, the baseline's first
  /// The answer would be the same again: not if the baseline or the final test
  /// was lost to something outside, or the session interrupted.
  bool isConclusive = true;
  std::optional<DeviceCondition> condition = {}; ///< after the last times
  /// True if an environmental failure, not the user, ended the session early: a
  /// later session can complete it.
  bool isCutShort = false;
  SearchEnd searchEnd = SearchEnd::budget;
  double seconds = 0;          ///< of this session, without what was resumed
  double proposingSeconds = 0; ///< of these, that the strategy took
  SessionTimes times = {};
  std::map<SessionPhase, double> phaseSeconds = {};
  uint32_t threads = 1; ///< that the chosen candidate uses, on the host
  std::optional<OtherBitsRecord> otherBits = {}; ///< with `Bits::same`
  std::optional<ObjectiveRecord> objective = {}; ///< unless that is time
  /// With `OracleOptions::front`, the fastest first.
  std::optional<std::vector<FrontPoint>> front = {};
  /// The candidate that was tested, if the test left the default.
  std::optional<Configuration> tied = {};
};

/// Conditions of the user that end a search.
struct SearchStops {
  /// Returns true if the incumbent, which uses so many threads on the host, is
  /// fast enough.
  std::function<bool(const Trial &incumbent, uint32_t threads)> isEnough = {};
  /// Ends the search if the strategy expects less than this gain.
  std::optional<double> leastGain = {};
  /// Returns true if the user wants no further trial.
  std::function<bool()> isStopped = {};
};

/// Candidates that were looked at, without a decision.
struct SurveyTrials {
  std::vector<Trial> trials; ///< in the order they ended, the default's first
  bool isCut = false;        ///< time or an interrupt left candidates untried
};

/// Tunes one kernel, by a compiler and a runner that the caller has opened if
/// they need it (those of a `Frontend` don't). Opens the runner again to verify
/// the winner with other data.
class TuningSession {
public:
  /// Creates a session; without a runner, candidates are only compiled, by
  /// `survey`. `opened` is the session that the runner was opened with.
  TuningSession(const SearchSpace &space, Compiler &compiler, Runner *runner,
                SearchStrategy &strategy, TrialLog &log, RunnerSession opened,
                Budget budget, size_t compileAhead,
                std::function<bool()> interrupted,
                std::function<double()> clock = steadySeconds);
  ~TuningSession();

  /// Runs baseline, search, finals, test, second verification, and verdict.
  /// Ends early, with verdict `interrupted`, when `interrupted` returns true.
  /// The Error says why no candidate ran correctly, by status.
  Result<SessionOutcome> run();

  /// States how trials are timed, for a runner that learns it from the first
  /// candidate; may be called while the first trial is made.
  void setProtocol(const ProtocolOptions &protocol);

  /// Sets what else may end the search.
  void setStops(SearchStops stops);

  /// Takes trials on all of these devices, the first of which is the session's
  /// runner.
  void setDevices(RunnerPool &devices);

  /// Sets the use of time bounds; the default is to use them.
  void setTimeBounds(TimeBounds timeBounds);

  /// Makes `run` choose the trial with the least ratio, without finals and
  /// test: for times that can't be taken again. Its comparison has the verdict
  /// `no_baseline`. May be called while the first trial is made.
  void decideByTrials();

  /// Decides like `decideByTrials`, but runs this many of the best trials again
  /// side by side (`RunRequest::choose`); the comparison has the measurement of
  /// the first one that the runner names, and its rounds.
  void decideByRepeats(size_t best);

  /// Decides like `decideByTrials`, but lets the runner choose
  /// (`RunRequest::choose`) among at most this many trials whose intervals
  /// overlap the best one's, as long as seconds are left.
  void decideByFinals(size_t most);

  /// Returns true if the budget's seconds are spent.
  bool isTimeUp() const;

  /// Compiles candidates, and verifies those that compile if there is a runner,
  /// but times none. The Error: candidates were lost one after the other, so it
  /// is not the candidates that are at fault.
  Result<SurveyTrials> survey();

private:
  struct State;
  std::unique_ptr<State> state;
};

} // namespace tonno

#endif // TONNO_ENGINE_TUNINGSESSION_H

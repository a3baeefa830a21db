//===- Proposes candidates and has them evaluated -------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_LIB_ENGINE_CANDIDATEQUEUE_H
#define TONNO_LIB_ENGINE_CANDIDATEQUEUE_H

#include "Evaluator.h"

#include "tonno/Search/SearchStrategy.h"

#include <deque>

namespace tonno {

/// The candidates that were proposed and not yet concluded. Compiles ahead, in
/// the order of proposal. Replays the trials in the log without running them
/// and without consuming budget time, so that a resumed search sees the same
/// trials in the same order as before.
class CandidateQueue {
public:
  CandidateQueue(SessionContext &session, TrialLedger &ledger,
                 BudgetClock &clock, Evaluator &evaluator,
                 SearchStrategy &strategy, size_t compileAhead)
      : session(session), ledger(ledger), clock(clock), evaluator(evaluator),
        strategy(strategy), compileAhead(compileAhead) {}

  bool isEmpty() const { return pending.empty(); }
  /// Proposes until enough compile ahead, or the strategy or the budget's
  /// trials have nothing left.
  void fill();
  /// Evaluates the candidate that was proposed first. On several devices, those
  /// that are compiled begin on those that are free, and the one that ends
  /// first is taken. The Error: what others are timed beside is lost.
  Result<void> takeNext();
  /// Takes the candidates that have begun.
  void finishBegun();

  /// Records the trial that was evaluated last.
  void conclude(Trial trial);
  /// Records a trial of the session before it was resumed. The Error: what
  /// others are timed beside is lost.
  Result<void> replay(Trial past);

  /// Returns true while the search repeats trials of the log, for which there
  /// was time before. A search that has diverged may never reach the log's
  /// remaining trials.
  bool isReplaying() const;
  double proposingSeconds() const { return seconds; }

private:
  struct Pending {
    Configuration configuration;
    std::optional<Trial> past; ///< or else it was submitted
    std::string reason;
    bool isBegun = false; ///< it was given to the evaluator
  };
  using Pendings = std::deque<Pending>;

  std::optional<Configuration> propose(std::string &reason);
  Pendings::iterator findReplayed();
  Pendings::iterator findSubmitted(size_t place);
  void concludePending(Trial trial);
  void record(Trial trial);

  SessionContext &session;
  TrialLedger &ledger;
  BudgetClock &clock;
  Evaluator &evaluator;
  SearchStrategy &strategy;
  size_t compileAhead; ///< see pendingFor
  double seconds = 0;  ///< that the strategy took
  bool isLive = false; ///< the last trial was not replayed
  Pendings pending;    ///< in the order of proposal
};

} // namespace tonno

#endif // TONNO_LIB_ENGINE_CANDIDATEQUEUE_H

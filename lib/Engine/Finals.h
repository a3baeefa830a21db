//===- Chooses the candidate for the test, and tests it -------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_LIB_ENGINE_FINALS_H
#define TONNO_LIB_ENGINE_FINALS_H

#include "tonno/Cache/Records.h"
#include "Evaluator.h"

namespace tonno {

/// The end of a session: candidates that may be the best are timed beside each
/// other, and one is tested against the baseline.
class SessionFinals {
public:
  SessionFinals(SessionContext &session, TrialLedger &ledger,
                BudgetClock &clock, Evaluator &evaluator)
      : session(session), ledger(ledger), clock(clock), evaluator(evaluator) {}

  /// Times the trials that may be the best side by side, and moves them to the
  /// front of the ranking in the order found. Fails if the default fails.
  Result<void> play(std::vector<size_t> &ranking);

  /// Lets the runner run the best trials again and choose among them. Returns
  /// the chosen trial with its measurement; the best trial without a
  /// measurement if the session is interrupted; none if no trial is ok.
  std::optional<std::pair<size_t, RunResult>> repeat();

  /// Times the trials whose intervals overlap with the best one's side by side,
  /// and returns the best: that of the ranking if there are no others, no time
  /// is left, or the session is interrupted; none if no trial is ok.
  std::optional<size_t> chooseOverlapping();

  /// Tests whether the candidate is faster than the baseline, or, if it uses
  /// less, whether it is within the limit on time, and verifies it once more by
  /// a fresh process with other data if so.
  RunResult test(size_t trial);

  /// Tests whether the candidate uses less energy than the baseline, which the
  /// verdict `faster` says.
  RunResult testEnergy(size_t trial);

  /// Times the fastest candidates that are right but give other bits than the
  /// default, as trials do. Returns what the best of them would gain over the
  /// winner; none if no candidate gave other bits.
  std::optional<OtherBitsRecord> timeOtherBits();

  /// Returns the seconds that the test's fewest rounds take.
  double leastSecondsOfTest() const;

private:
  std::vector<size_t> mayBeBest(std::span<const size_t> ranking);
  RunResult time(std::span<const size_t> finalists, double seconds);
  void leave(size_t trial, RunResult result);
  RunResult confirm(size_t trial);
  void verifyDefault();
  double secondsForFinals() const {
    return clock.secondsForFinals(leastSecondsOfTest());
  }

  SessionContext &session;
  TrialLedger &ledger;
  BudgetClock &clock;
  Evaluator &evaluator;
};

} // namespace tonno

#endif // TONNO_LIB_ENGINE_FINALS_H

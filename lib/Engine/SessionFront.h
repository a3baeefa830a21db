//===- The candidates that no other one beats -----------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_LIB_ENGINE_SESSIONFRONT_H
#define TONNO_LIB_ENGINE_SESSIONFRONT_H

#include "tonno/Cache/Records.h"
#include "Evaluator.h"

namespace tonno {

/// Tests the trials of which none is both faster and uses less of all resources
/// in `OracleOptions::front`. To choose by energy, it is measured of the
/// fastest trials.
class SessionFront {
public:
  SessionFront(SessionContext &session, TrialLedger &ledger, BudgetClock &clock,
               Evaluator &evaluator)
      : session(session), ledger(ledger), clock(clock), evaluator(evaluator) {}

  /// Tests them beside the default, but the winner, which was tested, and
  /// verifies them once more by a fresh process with other data. Returns those
  /// that are not beaten in the tests, the fastest first; none if the session
  /// was stopped or out of time before all were tested.
  std::optional<std::vector<FrontPoint>> test(size_t winner,
                                              const Comparison &comparison);

private:
  struct Point {
    size_t trial;
    Comparison comparison;
    std::optional<Comparison> energy = {};
  };

  std::vector<size_t> findUnbeaten(size_t winner) const;
  Result<Comparison, Failure> compare(size_t trial, bool ofEnergy,
                                      double seconds);
  bool testAll(std::span<const size_t> trials, std::vector<Point> &points);
  bool measureEnergy(std::vector<Point> &points);
  bool confirm(std::vector<Point> &points, size_t winner);
  FrontPoint describe(const Point &point) const;
  bool wantsEnergy() const { return session.opened.oracle.wantsEnergy(); }
  /// Returns true if `a` uses no more than `b` of any resource.
  bool usesNoMore(size_t a, size_t b) const {
    return ledger.objective.usesNoMore(ledger[a].usage, ledger[b].usage);
  }
  bool usesNoMore(const Point &a, const Point &b) const {
    return usesNoMore(a.trial, b.trial) &&
           (!a.energy || a.energy->speedup >= b.energy->speedup);
  }

  SessionContext &session;
  TrialLedger &ledger;
  BudgetClock &clock;
  Evaluator &evaluator;
};

} // namespace tonno

#endif // TONNO_LIB_ENGINE_SESSIONFRONT_H

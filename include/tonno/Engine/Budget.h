//===- Budgets of sessions ------------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_ENGINE_BUDGET_H
#define TONNO_ENGINE_BUDGET_H

#include "tonno/Core/Json.h"
#include "tonno/Core/Result.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

namespace tonno {

/// When to stop.
struct Budget {
  uint64_t trials = 60; ///< the baseline's among them
  /// Seconds of a session, exceeded by at most one trial. A fifth of them, or
  /// the expected time of finals and test if that is longer, is reserved for
  /// these.
  double seconds = 120;

  /// Returns how long to wait for a device that another process has, `spent`
  /// seconds into the session: the rest of the budget, but at least a moment.
  double secondsToWait(double spent) const {
    return std::max(moment, seconds - spent);
  }

  /// Returns how long the reference may run: at least a moment.
  double secondsToOpen() const { return std::max(moment, seconds); }

private:
  static constexpr double moment = 2;
};

/// Why a session has proposed no more candidates.
enum class SearchEnd {
  budget,      ///< its trials or seconds were spent
  converged,   ///< the strategy expects too little of other points
  done,        ///< the strategy has nothing else left: it tried all, say
  cut_short,   ///< by something outside of the kernel
  interrupted, ///< by the user
  limit,       ///< the incumbent is near the machine's limit
  gain,        ///< the strategy expects less than the user wants
  stopped,     ///< by a callback of the user
};

EnumNames getEnumNames(SearchEnd);

/// Returns the seconds of a monotonic clock.
double steadySeconds();

/// The effort of a search: the strategy and the budget.
struct Effort {
  std::string strategy;
  Budget budget;
  bool isNone = false; ///< applies known decisions, measures nothing
};

/// Parses an effort: `none`: no search; `quick`: 60 trials or 2 minutes;
/// `full`: 400 or 30 minutes; `exhaustive`: every point. The Error for an
/// unknown name lists the known ones.
Result<Effort> parseEffort(std::string_view name);

/// Returns the parts of an effort that affect the decision, for its key.
Json effortJson(const Effort &effort);

} // namespace tonno

#endif // TONNO_ENGINE_BUDGET_H

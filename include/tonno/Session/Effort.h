//===- Named presets of budgets -------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_SESSION_EFFORT_H
#define TONNO_SESSION_EFFORT_H

#include "tonno/Runtime/PatientRunner.h"
#include "tonno/Session/TuneObserver.h"
#include "tonno/Session/TuningSession.h"

#include <string>
#include <string_view>

namespace tonno {

/// How hard to search: the strategy and when to stop.
struct Effort {
  std::string strategy;
  Budget budget;
  bool isNone = false; ///< what is known is applied, and nothing measured
};

/// `none`: no search; `quick`: 60 trials or 2 minutes; `full`: 400 or 30
/// minutes; `exhaustive`: every point. An unknown name is an Error that lists
/// the known ones.
Result<Effort> parseEffort(std::string_view name);

/// What of it decides the answer, for the decision's key.
Json effortJson(const Effort &effort);

/// Waits for others at most a third of the budget, and ten minutes, and warns
/// the observer of it, which must outlive what is returned.
Patience patienceFor(WhenBusy whenBusy, const Budget &budget,
                     TuneObserver &observer);

} // namespace tonno

#endif // TONNO_SESSION_EFFORT_H

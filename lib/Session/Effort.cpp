//===- Named presets of budgets -------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Session/Effort.h"

#include <algorithm>
#include <limits>

using namespace tonno;

Result<Effort> tonno::parseEffort(std::string_view name) {
  if (name == "none")
    return Effort{"", {0, 0}, true};
  if (name == "quick")
    return Effort{"ensemble", {60, 120}};
  if (name == "full")
    return Effort{"ensemble", {400, 1800}};
  if (name == "exhaustive")
    return Effort{"exhaustive",
                  {std::numeric_limits<uint64_t>::max(),
                   std::numeric_limits<double>::infinity()}};
  return Error{"unknown effort '" + std::string(name) +
               "'; the efforts are: none, quick, full, exhaustive"};
}

Json tonno::effortJson(const Effort &effort) {
  return {{"strategy", effort.strategy},
          {"budget_trials", effort.budget.trials},
          {"budget_seconds", effort.budget.seconds}};
}

Patience tonno::patienceFor(WhenBusy whenBusy, const Budget &budget,
                            TuneObserver &observer) {
  constexpr double share = 1.0 / 3, mostSeconds = 600;
  return {whenBusy, std::min(share * budget.seconds, mostSeconds),
          [&observer](const std::string &message) { observer.warn(message); }};
}

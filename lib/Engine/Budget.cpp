//===- Budgets of sessions ------------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Engine/Budget.h"

#include <chrono>
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

EnumNames tonno::getEnumNames(SearchEnd) {
  static constexpr std::string_view names[] = {
      "budget",      "converged", "done", "cut_short",
      "interrupted", "limit",     "gain", "stopped"};
  return {"end of a search", names};
}

double tonno::steadySeconds() {
  auto now = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration<double>(now).count();
}

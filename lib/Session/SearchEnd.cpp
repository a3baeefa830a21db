//===- Why a search ends --------------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Session/TuningSession.h"

using namespace tonno;

std::string_view tonno::toString(SearchEnd end) {
  static constexpr std::string_view names[] = {"budget", "converged", "done",
                                               "cut_short", "interrupted"};
  return names[static_cast<size_t>(end)];
}

SearchEnd TuningSession::whyEnded() const {
  if (interrupted())
    return SearchEnd::interrupted;
  if (cutShort != CutShort::nothing)
    return SearchEnd::cut_short;
  if (budgetSpent())
    return SearchEnd::budget;
  return strategy.hasConverged() ? SearchEnd::converged : SearchEnd::done;
}

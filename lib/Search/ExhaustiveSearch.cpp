//===- ExhaustiveSearch.cpp - Every point, in order -----------------------===//
//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tonno/Search/ExhaustiveSearch.h"

using namespace tonno;

std::vector<Configuration> ExhaustiveSearch::propose(size_t n) {
  std::vector<Configuration> proposed;
  while (proposed.size() < n) {
    auto point = points.next();
    if (!point)
      break;
    if (!observed.contains(*point))
      proposed.push_back(*std::move(point));
  }
  return proposed;
}

void ExhaustiveSearch::observe(std::span<const Trial> trials) {
  for (const Trial &trial : trials)
    observed.insert(trial.configuration);
}

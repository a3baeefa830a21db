//===- Every point, in order ----------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Search/ExhaustiveSearch.h"

#include <algorithm>

using namespace tonno;

ExhaustiveSearch::ExhaustiveSearch(const LegalSpace &space) {
  if (!space.isListed()) {
    points.emplace(space.space());
    return;
  }
  listed = *space.list();
  std::reverse(listed.begin(), listed.end());
}

std::optional<Configuration> ExhaustiveSearch::next() {
  if (points)
    return points->next();
  if (listed.empty())
    return std::nullopt;
  Configuration point = std::move(listed.back());
  listed.pop_back();
  return point;
}

std::vector<Configuration> ExhaustiveSearch::propose(size_t n) {
  std::vector<Configuration> proposed;
  while (proposed.size() < n) {
    auto point = next();
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

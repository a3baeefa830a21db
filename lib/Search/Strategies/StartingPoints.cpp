//===- StartingPoints.cpp - Given points first ----------------------------===//
//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tonno/Search/StartingPoints.h"

using namespace tonno;

std::vector<Configuration> StartingPoints::propose(size_t n) {
  std::vector<Configuration> proposed;
  for (; proposed.size() < n && !points.empty(); points.pop_front())
    if (seen.insert(points.front()).second)
      proposed.push_back(points.front());
  while (proposed.size() < n) {
    std::vector<Configuration> more = strategy->propose(n - proposed.size());
    if (more.empty())
      break;
    for (Configuration &point : more)
      if (!seen.contains(point))
        proposed.push_back(std::move(point));
  }
  return proposed;
}

void StartingPoints::observe(std::span<const Trial> trials) {
  if (!points.empty())
    for (const Trial &trial : trials)
      seen.insert(trial.configuration);
  strategy->observe(trials);
}

std::string StartingPoints::explain(const Configuration &candidate) const {
  return given.contains(candidate) ? "a starting point"
                                   : strategy->explain(candidate);
}

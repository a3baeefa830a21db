//===- Given points first -------------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Search/StartingPoints.h"

using namespace tonno;

StartingPoints::StartingPoints(std::vector<Configuration> points,
                               std::unique_ptr<SearchStrategy> strategy)
    : strategy(std::move(strategy)) {
  for (Configuration &point : points)
    this->points.push_back({std::move(point), "a starting point"});
}

std::vector<Configuration> StartingPoints::propose(size_t n) {
  std::vector<Configuration> proposed;
  for (; proposed.size() < n && !points.empty(); points.pop_front()) {
    StartingPoint &first = points.front();
    if (!seen.insert(first.configuration).second)
      continue;
    proposed.push_back(first.configuration);
    reasons.emplace(first.configuration, std::move(first.reason));
  }
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
  auto own = reasons.find(candidate);
  return own == reasons.end() ? strategy->explain(candidate) : own->second;
}

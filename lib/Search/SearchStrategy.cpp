//===- Searches of given points, and of all points ------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Search/SearchStrategy.h"

#include <algorithm>

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

size_t StartingPoints::choose(std::span<const Trial> compiled) {
  auto given = std::ranges::find_if(compiled, [&](const Trial &trial) {
    return reasons.contains(trial.configuration);
  });
  return given == compiled.end()
             ? strategy->choose(compiled)
             : static_cast<size_t>(given - compiled.begin());
}

std::string StartingPoints::explain(const Configuration &candidate) const {
  auto own = reasons.find(candidate);
  return own == reasons.end() ? strategy->explain(candidate) : own->second;
}

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

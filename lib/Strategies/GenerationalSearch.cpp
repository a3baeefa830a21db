//===- Strategies by generations ------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "GenerationalSearch.h"

using namespace tonno;

std::vector<Configuration> GenerationalSearch::drawFresh(size_t count) {
  std::vector<Configuration> drawn;
  std::unordered_set<Configuration, ConfigurationHash> distinct;
  // The limit suffices to find all points if exactly `count` are left.
  for (size_t vain = 0; drawn.size() < count && vain < 50 * count;) {
    std::optional<Configuration> point = fresh.draw(random);
    if (!point)
      break;
    if (distinct.insert(*point).second)
      drawn.push_back(*std::move(point));
    else
      ++vain;
  }
  return drawn;
}

/// Puts the next points into the queue. Leaves it empty where there is nothing
/// more to try.
void GenerationalSearch::refill() {
  // Generations that repeat known points cost nothing, but may never end.
  for (int stale = 0; stale < 1000; ++stale) {
    auto next = nextGeneration(pending.empty());
    hasEnded = !next;
    if (hasEnded)
      return;
    for (Configuration &point : *next)
      if (fresh.isFresh(point))
        queue.push_back(std::move(point));
    if (!queue.empty())
      return;
    if (!pending.empty())
      break;
  }
  if (auto point = fresh.draw(random))
    queue.push_back(*std::move(point));
  else
    hasEnded = pending.empty();
}

std::vector<Configuration> GenerationalSearch::propose(size_t n) {
  std::vector<Configuration> proposed;
  while (proposed.size() < n && !hasEnded) {
    if (queue.empty()) {
      if (!proposed.empty())
        break;
      refill();
      if (queue.empty())
        break;
    }
    Configuration point = std::move(queue.front());
    queue.pop_front();
    if (!fresh.take(point)) // known by now, or twice in the generation
      continue;
    pending.insert(point);
    proposed.push_back(std::move(point));
  }
  return proposed;
}

void GenerationalSearch::observe(std::span<const Trial> trials) {
  for (const Trial &trial : trials) {
    fresh.take(trial.configuration);
    pending.erase(trial.configuration);
    observations.add(trial);
  }
}

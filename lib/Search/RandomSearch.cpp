//===- RandomSearch.cpp - Points drawn uniformly, without replacement -----===//
//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tonno/Search/RandomSearch.h"

using namespace tonno;

/// So many in vain, and nearly all have been seen: the rest is listed.
static constexpr size_t drawsBeforeList = 300;
/// Where they can't be listed.
static constexpr size_t mostDraws = 100000;

std::optional<Configuration> RandomSearch::drawUnseen(size_t mostDraws) {
  for (size_t i = 0; i < mostDraws; ++i) {
    auto point = sampler.draw(random);
    if (!point)
      break;
    if (!seen.contains(*point))
      return point;
  }
  return std::nullopt;
}

bool RandomSearch::list() {
  auto all = sampler.space().list();
  if (!all)
    return false;
  for (Configuration &point : *all)
    if (!seen.contains(point))
      listed.push_back(std::move(point));
  random.shuffle(std::span(listed));
  return true;
}

std::optional<Configuration> RandomSearch::takeListed() {
  while (!listed.empty()) {
    Configuration point = std::move(listed.back());
    listed.pop_back();
    if (!seen.contains(point)) // it may have been observed since
      return point;
  }
  return std::nullopt;
}

std::optional<Configuration> RandomSearch::nextPoint() {
  if (auto point = takeListed())
    return point;
  if (auto point = drawUnseen(drawsBeforeList))
    return point;
  if (triesList && (triesList = list()))
    return takeListed();
  return drawUnseen(mostDraws);
}

std::vector<Configuration> RandomSearch::propose(size_t n) {
  std::vector<Configuration> proposed;
  while (proposed.size() < n && !hasEnded) {
    auto point = nextPoint();
    hasEnded = !point;
    if (!point)
      break;
    seen.insert(*point);
    proposed.push_back(*std::move(point));
  }
  return proposed;
}

void RandomSearch::observe(std::span<const Trial> trials) {
  for (const Trial &trial : trials)
    seen.insert(trial.configuration);
}

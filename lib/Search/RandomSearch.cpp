//===- RandomSearch.cpp - Points drawn uniformly, without replacement -----===//
//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tonno/Search/RandomSearch.h"

#include <utility>

using namespace tonno;

RandomSearch::RandomSearch(const SearchSpace &space, uint64_t seed,
                           Limits limits)
    : space(space), generator(seed), limits(limits) {}

/// Uniform in [0, bound). The standard's distributions differ between
/// libraries; a seed must mean the same everywhere.
static uint64_t below(std::mt19937_64 &generator, uint64_t bound) {
  uint64_t limit = -bound % bound; // 2^64 mod bound: rejected, for no bias
  uint64_t drawn;
  do
    drawn = generator();
  while (drawn < limit);
  return drawn % bound;
}

/// A legal point not seen yet, by rejection.
std::optional<Configuration> RandomSearch::drawUntilLegal(size_t mostDraws) {
  Configuration point;
  point.indices.resize(space.knobs().size());
  for (size_t i = 0; i < mostDraws; ++i) {
    for (size_t knob = 0; knob < point.indices.size(); ++knob)
      point.indices[knob] = static_cast<uint32_t>(
          below(generator, space.knobs()[knob].options.size()));
    if (space.isLegal(point) && !seen.contains(point))
      return point;
  }
  return std::nullopt;
}

/// Enumerates what is left and keeps a sample of it (J. S. Vitter, "Random
/// sampling with a reservoir", 1985, algorithm R). False if that is too long.
bool RandomSearch::list() {
  LegalPoints points(space, limits.mostSteps);
  uint64_t count = 0;
  while (auto point = points.next()) {
    if (seen.contains(*point))
      continue;
    ++count;
    if (listed.size() < limits.mostListed)
      listed.push_back(*std::move(point));
    else if (uint64_t place = below(generator, count);
             place < limits.mostListed)
      listed[place] = *std::move(point);
  }
  if (points.gaveUp())
    listed.clear();
  for (size_t i = listed.size(); i > 1; --i)
    std::swap(listed[i - 1], listed[below(generator, i)]);
  return !points.gaveUp();
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
  if (auto point = drawUntilLegal(limits.drawsBeforeList))
    return point;
  if (triesList && (triesList = list()))
    return takeListed();
  return drawUntilLegal(limits.mostDraws - limits.drawsBeforeList);
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

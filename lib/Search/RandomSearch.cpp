//===- RandomSearch.cpp - Points drawn uniformly, without replacement -----===//
//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tonno/Search/RandomSearch.h"

using namespace tonno;

RandomSearch::RandomSearch(const SearchSpace &space, uint64_t seed)
    : space(space), generator(seed) {}

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

Configuration RandomSearch::draw() {
  Configuration point;
  for (const Knob &knob : space.knobs())
    point.indices.push_back(
        static_cast<uint32_t>(below(generator, knob.options.size())));
  return point;
}

std::vector<Configuration> RandomSearch::propose(size_t n) {
  std::vector<Configuration> proposed;
  while (proposed.size() < n && seen.size() < space.size()) {
    // Rejecting what was seen is uniform over the rest. Where little is left,
    // waiting for it by chance would be long: count on from the drawn point.
    Configuration point = draw();
    for (int tries = 0; seen.contains(point) && tries < 100; ++tries)
      point = draw();
    if (seen.contains(point)) {
      uint64_t start = below(generator, space.size());
      for (uint64_t i = 0; seen.contains(point); ++i)
        point = space.at((start + i) % space.size());
    }
    seen.insert(point);
    proposed.push_back(std::move(point));
  }
  return proposed;
}

void RandomSearch::observe(std::span<const Trial> trials) {
  for (const Trial &trial : trials)
    seen.insert(trial.configuration);
}

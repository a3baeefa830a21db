//===- Points drawn uniformly, without replacement ------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Search/RandomSearch.h"

using namespace tonno;

std::vector<Configuration> RandomSearch::propose(size_t n) {
  std::vector<Configuration> proposed;
  while (proposed.size() < n && !hasEnded) {
    auto point = fresh.draw(random);
    hasEnded = !point;
    if (!point)
      break;
    fresh.take(*point);
    proposed.push_back(*std::move(point));
  }
  return proposed;
}

void RandomSearch::observe(std::span<const Trial> trials) {
  for (const Trial &trial : trials)
    fresh.take(trial.configuration);
}

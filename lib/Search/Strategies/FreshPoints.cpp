//===- Points that nobody tried -------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Search/FreshPoints.h"

using namespace tonno;

bool FreshPoints::take(const Configuration &point) {
  return taken.insert(point).second && space().contains(point);
}

std::optional<Configuration> FreshPoints::draw(size_t mostDraws,
                                               Random &random) {
  for (size_t i = 0; i < mostDraws; ++i) {
    std::optional<Configuration> point = sampler.draw(random);
    if (!point || !taken.contains(*point))
      return point;
  }
  return std::nullopt;
}

std::optional<Configuration> FreshPoints::drawListed(Random &random) {
  while (!listed->empty()) {
    Configuration &point = (*listed)[random.below(listed->size())];
    if (!taken.contains(point))
      return point;
    std::swap(point, listed->back());
    listed->pop_back();
  }
  return std::nullopt;
}

std::optional<Configuration> FreshPoints::draw(Random &random) {
  if (listed)
    return drawListed(random);
  // So many in vain, and nearly all have been taken: the rest is listed.
  if (auto point = draw(space().affordable(300), random))
    return point;
  if (triesList) {
    triesList = false;
    if ((listed = space().list()))
      return drawListed(random);
  }
  return draw(space().affordable(100000), random);
}

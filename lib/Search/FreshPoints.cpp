//===- FreshPoints.cpp - Points that nobody tried -------------------------===//
//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tonno/Search/FreshPoints.h"

#include <algorithm>

using namespace tonno;

bool FreshPoints::take(const Configuration &point) {
  if (!taken.insert(point).second)
    return false;
  bool isLegal = space().contains(point);
  legalTaken += isLegal;
  return isLegal;
}

/// So many that missing all fresh points is less likely than e^-20, but bounded
/// to some seconds.
size_t FreshPoints::mostDraws() const {
  const LegalCount &count = space().count();
  if (count.exactness != Exactness::exact)
    return 100000;
  double left = count.points - static_cast<double>(legalTaken);
  if (left < 1)
    return 0;
  return static_cast<size_t>(std::min(20 * count.points / left, 2e6)) + 1;
}

std::optional<Configuration> FreshPoints::draw(Random &random) {
  for (size_t draws = mostDraws(); draws > 0; --draws) {
    std::optional<Configuration> point = sampler.draw(random);
    if (!point)
      return std::nullopt;
    if (!taken.contains(*point))
      return point;
  }
  return std::nullopt;
}

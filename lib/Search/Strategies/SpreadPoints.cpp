//===- Points far from each other -----------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Search/SpreadPoints.h"

#include <algorithm>
#include <cmath>
#include <limits>

using namespace tonno;

static constexpr size_t firstDraws = 96;
static constexpr size_t laterDraws = 8; ///< for each further point

/// The sum over the knobs: of an ordered one the share of its range by which
/// the points differ, of others whether they do.
static double distanceOf(const Encoding &encoding, const Configuration &one,
                         const Configuration &other) {
  double sum = 0;
  for (size_t knob = 0; knob < encoding.knobs(); ++knob) {
    uint32_t a = one.indices[knob], b = other.indices[knob];
    if (a == b)
      continue;
    if (encoding.isOrdered(knob))
      sum += std::abs(static_cast<double>(encoding.rank(knob, a)) -
                      encoding.rank(knob, b)) /
             static_cast<double>(encoding.options(knob) - 1);
    else
      sum += 1;
  }
  return sum;
}

void SpreadPoints::avoid(const Configuration &point, const Encoding &encoding) {
  for (Draw &draw : draws)
    draw.distance =
        std::min(draw.distance, distanceOf(encoding, draw.point, point));
  before.push_back(point);
}

std::optional<Configuration> SpreadPoints::next(FreshPoints &fresh,
                                                const Encoding &encoding,
                                                Random &random) {
  size_t wanted =
      fresh.space().affordable(draws.empty() ? firstDraws : laterDraws);
  for (; wanted > 0; --wanted) {
    std::optional<Configuration> point = fresh.draw(random);
    if (!point)
      break;
    double distance = std::numeric_limits<double>::infinity();
    for (const Configuration &other : before)
      distance = std::min(distance, distanceOf(encoding, *point, other));
    draws.push_back({*std::move(point), distance});
  }
  std::erase_if(draws,
                [&](const Draw &draw) { return !fresh.isFresh(draw.point); });
  auto farthest = std::ranges::max_element(draws, {}, &Draw::distance);
  if (farthest == draws.end())
    return std::nullopt;
  Configuration point = std::move(farthest->point);
  draws.erase(farthest);
  avoid(point, encoding);
  return point;
}

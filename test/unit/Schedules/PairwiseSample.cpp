//===- PairwiseSample.cpp - Few points that meet all pairs ----------------===//
//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PairwiseSample.h"

#include <algorithm>
#include <numeric>
#include <set>
#include <tuple>

using namespace tonno;

using Point = std::vector<size_t>;
using Pairs = std::set<std::tuple<size_t, size_t, size_t, size_t>>;

static std::vector<Point> allPoints(const std::vector<size_t> &sizes) {
  std::vector<Point> points = {{}};
  for (size_t size : sizes) {
    std::vector<Point> longer;
    for (const Point &point : points)
      for (size_t value = 0; value < size; ++value) {
        longer.push_back(point);
        longer.back().push_back(value);
      }
    points = std::move(longer);
  }
  return points;
}

/// In an order that has nothing to do with their values.
static std::vector<Point> scattered(const std::vector<Point> &points) {
  size_t step = points.size() * 5 / 8 + 1;
  while (std::gcd(step, points.size()) != 1)
    ++step;
  std::vector<Point> order;
  for (size_t i = 0, at = 0; i < points.size();
       ++i, at = (at + step) % points.size())
    order.push_back(points[at]);
  return order;
}

template <typename Visitor>
static void forPairs(const Point &point, Visitor visit) {
  for (size_t i = 0; i < point.size(); ++i)
    for (size_t j = i + 1; j < point.size(); ++j)
      visit(std::tuple(i, j, point[i], point[j]));
}

/// Takes what meets the most pairs that were not met, again and again.
std::vector<std::vector<size_t>>
tonno::samplePairs(const std::vector<size_t> &sizes) {
  std::vector<Point> points = scattered(allPoints(sizes));
  Pairs open;
  for (const Point &point : points)
    forPairs(point, [&](auto pair) { open.insert(pair); });
  std::vector<Point> sample;
  while (!open.empty()) {
    auto gain = [&](const Point &point) {
      size_t count = 0;
      forPairs(point, [&](auto pair) { count += open.contains(pair); });
      return count;
    };
    const Point &best = *std::ranges::max_element(points, {}, gain);
    forPairs(best, [&](auto pair) { open.erase(pair); });
    sample.push_back(best);
  }
  std::ranges::sort(sample);
  return sample;
}

//===- Few points that meet all pairs -------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "PairwiseSample.h"

#include <algorithm>
#include <numeric>

using namespace tonno;

using Point = std::vector<size_t>;

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

/// Orders the points independently of their values.
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

namespace {

/// Numbers the pairs of values that points meet.
class PairNumbers {
public:
  explicit PairNumbers(const std::vector<size_t> &sizes) : sizes(sizes) {
    for (size_t i = 0; i < sizes.size(); ++i)
      for (size_t j = i + 1; j < sizes.size(); ++j) {
        first.push_back(count);
        count += sizes[i] * sizes[j];
      }
  }

  size_t size() const { return count; }

  /// Returns the numbers of the pairs that the point covers.
  std::vector<size_t> of(const Point &point) const {
    std::vector<size_t> numbers;
    for (size_t i = 0; i < point.size(); ++i)
      for (size_t j = i + 1; j < point.size(); ++j)
        numbers.push_back(first[numbers.size()] + point[i] * sizes[j] +
                          point[j]);
    return numbers;
  }

private:
  const std::vector<size_t> &sizes;
  std::vector<size_t> first; ///< of each two places
  size_t count = 0;
};

} // namespace

/// Takes what meets the most pairs that were not met, again and again.
std::vector<std::vector<size_t>>
tonno::samplePairs(const std::vector<size_t> &sizes) {
  const std::vector<Point> points = scattered(allPoints(sizes));
  PairNumbers numbers(sizes);
  std::vector<std::vector<size_t>> pairs;
  for (const Point &point : points)
    pairs.push_back(numbers.of(point));
  std::vector<char> isOpen(numbers.size(), 1);
  std::vector<Point> sample;
  for (size_t open = numbers.size(); open > 0;) {
    size_t best = 0, most = 0;
    for (size_t i = 0; i < points.size(); ++i) {
      size_t gain = 0;
      for (size_t pair : pairs[i])
        gain += isOpen[pair];
      if (gain > most) {
        most = gain;
        best = i;
      }
    }
    for (size_t pair : pairs[best])
      isOpen[pair] = 0;
    open -= most;
    sample.push_back(points[best]);
  }
  std::ranges::sort(sample);
  return sample;
}

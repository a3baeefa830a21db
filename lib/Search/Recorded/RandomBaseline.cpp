//===- What random search is expected to find -----------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Search/RandomBaseline.h"

#include <algorithm>

using namespace tonno;

static constexpr size_t fewestScored = 20;
static constexpr size_t firstScored = 10;

RandomBaseline::RandomBaseline(const Recording &recording)
    : points(recording.trials().size()) {
  for (const RecordedTrial &trial : recording.trials())
    if (trial.ok())
      times.push_back(trial.seconds);
  std::ranges::sort(times);
  way = times[times.size() / 2] - times.front();
  constexpr double near = 0.05;
  // What is expected falls with the draws.
  size_t low = 1, high = points;
  while (low < high) {
    size_t draws = low + (high - low) / 2;
    if (expectedDistance(draws) <= near * way)
      high = draws;
    else
      low = draws + 1;
  }
  scoredDraws = std::min(std::max(low, fewestScored), points);
}

/// Of the value of the best time: with C(points - i, draws) / C(points, draws)
/// as the chance that none of the best i is drawn.
template <typename Value>
double RandomBaseline::expected(size_t draws, double ofNothing,
                                Value value) const {
  double sum = 0, missed = 1;
  constexpr double negligible = 1e-16;
  for (size_t i = 0; i < times.size() && missed > negligible; ++i) {
    auto left = static_cast<double>(points - i);
    double stillMissed =
        missed * std::max(0.0, left - static_cast<double>(draws)) / left;
    sum += (missed - stillMissed) * value(times[i]);
    missed = stillMissed;
  }
  return sum + missed * ofNothing;
}

double RandomBaseline::expectedSeconds(size_t draws) const {
  return expected(draws, times.back(), [](double time) { return time; });
}

/// Not a difference of what is expected: where the optimum is certain, or all
/// times are one, it is 0 and not what rounding has left.
double RandomBaseline::expectedDistance(size_t draws) const {
  return expected(draws, times.back() - times.front(),
                  [this](double time) { return time - times.front(); });
}

double RandomBaseline::expectedFraction(size_t draws) const {
  return expected(draws, 0,
                  [this](double time) { return times.front() / time; });
}

double RandomBaseline::missProbability(double factor, size_t draws) const {
  double limit = times.front() * factor;
  return 1 - expected(draws, 0,
                      [limit](double time) { return time <= limit ? 1 : 0; });
}

double RandomBaseline::drawsUntil(double factor, size_t cap) const {
  double drawn = 0;
  for (size_t draws = 0; draws < cap; ++draws)
    drawn += missProbability(factor, draws); // one more is drawn
  return drawn / (1 - missProbability(factor, cap));
}

std::optional<double>
RandomBaseline::score(const std::vector<double> &best) const {
  constexpr double negligible = 0.01;
  double sum = 0;
  size_t count = 0;
  for (size_t draws = firstScored; draws <= std::min(scoredDraws, best.size());
       ++draws) {
    double distance = expectedDistance(draws);
    if (distance <= negligible * way || way == 0)
      break;
    sum += 1 - (best[draws - 1] - times.front()) / distance;
    ++count;
  }
  if (count == 0)
    return std::nullopt;
  return sum / static_cast<double>(count);
}

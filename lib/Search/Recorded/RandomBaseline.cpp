//===- RandomBaseline.cpp - What random search is expected to find --------===//
//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

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
  constexpr double far = 0.95;
  double middle = times[times.size() / 2];
  double enough = middle - far * (middle - times.front());
  // What is expected falls with the draws.
  size_t low = 1, high = points;
  while (low < high) {
    size_t draws = low + (high - low) / 2;
    if (expectedSeconds(draws) <= enough)
      high = draws;
    else
      low = draws + 1;
  }
  scoredDraws = std::max(low, fewestScored);
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

double RandomBaseline::score(const std::vector<double> &best) const {
  double sum = 0;
  size_t count = 0;
  for (size_t draws = firstScored; draws <= std::min(scoredDraws, best.size());
       ++draws) {
    double random = expectedSeconds(draws);
    double distance = random - times.front();
    if (distance <= 0)
      break;
    sum += (random - best[draws - 1]) / distance;
    ++count;
  }
  return count == 0 ? 0 : sum / static_cast<double>(count);
}

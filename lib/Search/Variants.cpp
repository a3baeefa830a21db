//===- A few configurations for many shapes -------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Search/Variants.h"

#include <algorithm>
#include <limits>

using namespace tonno;

/// Growth of an estimated regret with each factor of two to where it was
/// measured.
static constexpr double regretPerOctave = 0.05;

/// What a regret above the limit counts beside one below it.
static constexpr double penalty = 10;

/// Regret of a configuration that was taken nowhere.
static constexpr double unknownRegret = 100;

double ShapeTimes::best(size_t shape) const {
  double best = std::numeric_limits<double>::infinity();
  for (std::optional<double> time : times[shape])
    best = std::min(best, time.value_or(best));
  return best;
}

double ShapeTimes::regret(size_t shape, size_t configuration) const {
  std::optional<size_t> nearest;
  for (size_t other = 0; other < times.size(); ++other)
    if (times[other][configuration] &&
        (!nearest || distances[shape][other] < distances[shape][*nearest]))
      nearest = other;
  if (!nearest)
    return unknownRegret;
  return *times[*nearest][configuration] / best(*nearest) *
         (1 + regretPerOctave * distances[shape][*nearest]);
}

namespace {

/// Regrets of all configurations, of which some become variants.
class Cover {
public:
  Cover(const ShapeTimes &times, const VariantLimits &limits)
      : times(times), limits(limits),
        regrets(times.times.size(),
                std::vector<double>(times.times.front().size())) {
    for (size_t shape = 0; shape < regrets.size(); ++shape)
      for (size_t i = 0; i < regrets[shape].size(); ++i)
        regrets[shape][i] = times.regret(shape, i);
  }

  size_t findBest(size_t shape, const std::vector<size_t> &chosen) const {
    return std::ranges::min_element(chosen,
                                    [&](size_t one, size_t other) {
                                      return regrets[shape][one] <
                                             regrets[shape][other];
                                    }) -
           chosen.begin();
  }

  /// Returns what the chosen ones cost together.
  double cost(const std::vector<size_t> &chosen) const {
    double sum = 0;
    for (size_t shape = 0; shape < regrets.size(); ++shape) {
      double regret = regrets[shape][chosen[findBest(shape, chosen)]];
      sum += times.weights[shape] * (regret - 1) +
             penalty * std::max(0.0, regret - limits.regret);
    }
    return sum;
  }

  bool suffices(const std::vector<size_t> &chosen) const {
    for (size_t shape = 0; shape < regrets.size(); ++shape)
      if (regrets[shape][chosen[findBest(shape, chosen)]] > limits.regret)
        return false;
    return true;
  }

private:
  const ShapeTimes &times;
  const VariantLimits &limits;
  std::vector<std::vector<double>> regrets; ///< by shape
};

} // namespace

VariantChoice tonno::chooseVariants(const ShapeTimes &times,
                                    const VariantLimits &limits) {
  Cover cover(times, limits);
  VariantChoice choice;
  std::vector<size_t> &chosen = choice.configurations;
  size_t count = times.times.front().size();
  while (chosen.size() < std::min(limits.most, count)) {
    std::optional<size_t> next;
    double least = std::numeric_limits<double>::infinity();
    for (size_t i = 0; i < count; ++i) {
      if (std::ranges::find(chosen, i) != chosen.end())
        continue;
      chosen.push_back(i);
      if (double cost = cover.cost(chosen); cost < least) {
        least = cost;
        next = i;
      }
      chosen.pop_back();
    }
    if (!chosen.empty() && least >= cover.cost(chosen))
      break;
    chosen.push_back(*next);
    if (cover.suffices(chosen))
      break;
  }
  for (size_t shape = 0; shape < times.times.size(); ++shape)
    choice.ofShapes.push_back(cover.findBest(shape, chosen));
  return choice;
}

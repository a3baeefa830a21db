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

/// Weight of regret above the limit, beside that below it.
static constexpr double penalty = 10;

/// Regret of a configuration that was taken nowhere.
static constexpr double unknownRegret = 100;

double ShapeTimes::best(size_t shape) const {
  double best = std::numeric_limits<double>::infinity();
  for (std::optional<double> time : times[shape])
    best = std::min(best, time.value_or(best));
  return best;
}

size_t ShapeTimes::getTaken(size_t shape, size_t configuration) const {
  bool isAllowed = shape >= isBarred.size() ||
                   configuration >= isBarred[shape].size() ||
                   !isBarred[shape][configuration];
  return isAllowed ? configuration : 0;
}

double ShapeTimes::regret(size_t shape, size_t configuration) const {
  configuration = getTaken(shape, configuration);
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

/// The cost of each configuration in each cell.
class Cover {
public:
  Cover(const ShapeTimes &times, const VariantLimits &limits)
      : costs(*std::ranges::max_element(times.cells) + 1,
              std::vector<double>(times.times.front().size())),
        isGood(costs.size(), std::vector<bool>(costs.front().size(), true)) {
    for (size_t shape = 0; shape < times.times.size(); ++shape)
      for (size_t i = 0; i < costs.front().size(); ++i) {
        double regret = times.regret(shape, i);
        costs[times.cells[shape]][i] +=
            times.weights[shape] * (regret - 1) +
            penalty * std::max(0.0, regret - limits.regret);
        if (regret > limits.regret)
          isGood[times.cells[shape]][i] = false;
      }
  }

  size_t numCells() const { return costs.size(); }

  size_t findBest(size_t cell, const std::vector<size_t> &chosen) const {
    return std::ranges::min_element(chosen, {},
                                    [&](size_t i) { return costs[cell][i]; }) -
           chosen.begin();
  }

  /// Returns what the chosen ones cost together.
  double cost(const std::vector<size_t> &chosen) const {
    double sum = 0;
    for (size_t cell = 0; cell < costs.size(); ++cell)
      sum += costs[cell][chosen[findBest(cell, chosen)]];
    return sum;
  }

  bool suffices(const std::vector<size_t> &chosen) const {
    for (size_t cell = 0; cell < costs.size(); ++cell)
      if (!isGood[cell][chosen[findBest(cell, chosen)]])
        return false;
    return true;
  }

private:
  std::vector<std::vector<double>> costs; ///< by cell
  std::vector<std::vector<bool>> isGood;  ///< at all shapes of the cell
};

} // namespace

VariantChoice tonno::chooseVariants(const ShapeTimes &times,
                                    const VariantLimits &limits) {
  Cover cover(times, limits);
  VariantChoice choice;
  std::vector<size_t> &chosen = choice.configurations;
  chosen = limits.kept;
  size_t count = times.times.front().size();
  bool suffices = !chosen.empty() && cover.suffices(chosen);
  while (!suffices && chosen.size() < std::min(limits.most, count)) {
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
    suffices = cover.suffices(chosen);
  }
  // The first ones may be the best in no cell by now.
  std::vector<size_t> used;
  for (size_t cell = 0; cell < cover.numCells(); ++cell) {
    size_t configuration = chosen[cover.findBest(cell, chosen)];
    auto known = std::ranges::find(used, configuration);
    choice.ofCells.push_back(known - used.begin());
    if (known == used.end())
      used.push_back(configuration);
  }
  chosen = std::move(used);
  return choice;
}

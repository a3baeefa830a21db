//===- Values as ratios ---------------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Search/ValueScale.h"

#include "tonno/Core/Statistics.h"

#include <algorithm>
#include <limits>

using namespace tonno;

/// The scale is fitted to each trial up to this many.
static constexpr size_t fewTrials = 16;
/// Ratios of values below the scale's best stay above it.
static constexpr double leastRatio = 0.5;
/// Keeps sums of ratios finite.
static constexpr double mostRatio = 1e12;

static bool hasValue(const Trial &trial) {
  return trial.measurement.has_value();
}

void ValueScale::fit() {
  std::vector<double> values, above;
  for (const Trial &trial : observed)
    if (hasValue(trial))
      values.push_back(trial.measurement->ratio);
  best = values.empty() ? 0 : *std::ranges::min_element(values);
  for (double value : values)
    if (value > best)
      above.push_back(
          std::min(value - best, std::numeric_limits<double>::max()));
  spread = above.empty() ? 1 : median(std::move(above));
  numFitted = observed.size();
}

double ValueScale::getRatio(double value) const {
  return std::clamp(1 + ((value - best) / spread), leastRatio, mostRatio);
}

Trial ValueScale::rescale(Trial trial) const {
  if (hasValue(trial)) {
    double ratio = getRatio(trial.measurement->ratio);
    trial.measurement->ratio = ratio;
    trial.measurement->ratioInterval = {ratio, ratio};
  }
  return trial;
}

void ValueScale::observe(std::span<const Trial> trials) {
  bool isOff = observed.size() < fewTrials || observed.size() >= 2 * numFitted;
  for (const Trial &trial : trials) {
    observed.push_back(trial);
    isOff |=
        hasValue(trial) && getRatio(trial.measurement->ratio) <= leastRatio;
  }
  if (isOff)
    fit();
  std::vector<Trial> ratios;
  for (const Trial &trial : isOff ? std::span<const Trial>(observed) : trials)
    ratios.push_back(rescale(trial));
  strategy->observe(ratios);
}

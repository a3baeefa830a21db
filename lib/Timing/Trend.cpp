//===- What samples share at a moment -------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Trend.h"
#include "tonno/Core/Statistics.h"

#include <algorithm>
#include <cmath>
#include <limits>

using namespace tonno;

static constexpr size_t wholeBlock = std::numeric_limits<size_t>::max();
static constexpr size_t reaches[] = {1, 2, 4, 8, 16, 32, 64, wholeBlock};
/// Effects and trend each follow from the other.
static constexpr int iterations = 3;

namespace {
/// Samples, with the ends of each one's block.
struct Blocks {
  explicit Blocks(std::span<const TimedSample> samples);

  std::span<const TimedSample> samples;
  std::vector<size_t> begin, end; ///< by sample
};
} // namespace

Blocks::Blocks(std::span<const TimedSample> samples)
    : samples(samples), begin(samples.size()), end(samples.size()) {
  size_t n = samples.size();
  for (size_t i = 0; i < n; ++i)
    begin[i] =
        i > 0 && samples[i - 1].block == samples[i].block ? begin[i - 1] : i;
  for (size_t i = n; i-- > 0;)
    end[i] = i + 1 < n && samples[i + 1].block == samples[i].block ? end[i + 1]
                                                                   : i + 1;
}

/// Half of the values are nearer than this to their middle, times what makes it
/// the standard deviation of normal noise.
static double robustDeviation(std::vector<double> values, double middle) {
  for (double &value : values)
    value = std::fabs(value - middle);
  return 1.4826 * median(std::move(values));
}

/// Estimates the time of each entrant from its adjusted samples.
static void estimate(std::span<const TimedSample> samples,
                     const std::vector<double> &adjusted,
                     std::vector<double> &effects) {
  std::vector<std::vector<double>> own(effects.size());
  for (size_t i = 0; i < samples.size(); ++i)
    own[samples[i].entrant].push_back(adjusted[i]);
  for (size_t entrant = 0; entrant < own.size(); ++entrant)
    if (own[entrant].size() > 1)
      effects[entrant] = trimmedMean(std::move(own[entrant])).mean;
    else if (!own[entrant].empty())
      effects[entrant] = own[entrant].front();
}

/// With the medians of blocks as the trend.
static std::vector<double> adjustRoughly(const Blocks &blocks) {
  std::vector<double> adjusted;
  for (size_t i = 0; i < blocks.samples.size(); i = blocks.end[i]) {
    std::vector<double> logs;
    for (size_t j = i; j < blocks.end[i]; ++j)
      logs.push_back(blocks.samples[j].log);
    double middle = median(logs);
    for (double log : logs)
      adjusted.push_back(log - middle);
  }
  return adjusted;
}

/// With the mean of so many neighbours on either side, as far as the block
/// goes, as the trend.
static std::vector<double>
adjust(const Blocks &blocks, const std::vector<double> &effects, size_t reach) {
  std::vector<double> rest;
  for (const TimedSample &sample : blocks.samples)
    rest.push_back(sample.log - effects[sample.entrant]);
  // Outliers say nothing about their neighbours.
  double middle = median(rest), limit = 3 * robustDeviation(rest, middle);
  std::vector<double> sums = {0};
  for (double &each : rest) {
    each = std::clamp(each, middle - limit, middle + limit);
    sums.push_back(sums.back() + each);
  }
  std::vector<double> adjusted;
  for (size_t i = 0; i < rest.size(); ++i) {
    size_t begin = i - std::min(reach, i - blocks.begin[i]);
    size_t end = i + 1 + std::min(reach, blocks.end[i] - i - 1);
    double neighbours = sums[end] - sums[begin] - rest[i];
    adjusted.push_back(blocks.samples[i].log -
                       neighbours / static_cast<double>(end - begin - 1));
  }
  return adjusted;
}

/// Returns the spread of the adjusted samples without the entrants' effects.
static double computeSpread(std::span<const TimedSample> samples,
                            std::vector<double> adjusted,
                            const std::vector<double> &effects) {
  for (size_t i = 0; i < samples.size(); ++i)
    adjusted[i] -= effects[samples[i].entrant];
  double middle = median(adjusted);
  return robustDeviation(std::move(adjusted), middle);
}

std::vector<double> Trend::removeFrom(std::span<const TimedSample> samples) {
  if (samples.empty())
    return {};
  Blocks blocks(samples);
  if (chosenAt == 0)
    estimate(samples, adjustRoughly(blocks), effects);
  if (samples.size() >= 2 * chosenAt) {
    chosenAt = samples.size();
    double least = std::numeric_limits<double>::infinity();
    for (size_t each : reaches) {
      double spread =
          computeSpread(samples, adjust(blocks, effects, each), effects);
      if (spread < least) {
        least = spread;
        reach = each;
      }
    }
  }
  std::vector<double> adjusted;
  for (int i = 0; i < iterations; ++i) {
    adjusted = adjust(blocks, effects, reach);
    estimate(samples, adjusted, effects);
  }
  return adjusted;
}
